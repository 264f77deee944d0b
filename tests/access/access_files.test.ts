import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  readAccessFiles,
  readKeyList,
  requirePlans,
  stampOfAccessFiles,
} from '../../src/access/access_files.ts';
import { KEY_RANDOM_BYTES, makeKey } from '../../src/access/key_format.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { temporaryFolder } from '../support/process.ts';

const KEY = '0123456789abcdef';

test('a list has one key per line, optionally with role, plan and name', () => {
  const text = `\uFEFF# ours\n1${KEY}\n\n  2${KEY} pro\t mobile app # of 2026\r\ng#h${KEY}\n${KEY} role=operator pro ops\n3${KEY} role=client`;
  expect(readKeyList(text, 'keys')).toEqual([
    { key: `1${KEY}`, plan: 'default', name: 'keys, line 2' },
    { key: `2${KEY}`, plan: 'pro', name: 'keys, line 4 (mobile app)' },
    { key: `g#h${KEY}`, plan: 'default', name: 'keys, line 5' },
    { key: KEY, role: 'operator', plan: 'pro', name: 'keys, line 6 (ops)' },
    { key: `3${KEY}`, role: 'client', plan: 'default', name: 'keys, line 7' },
  ]);
});

test('an invalid key is rejected by its line, and is not shown', () => {
  const { key } = makeKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7));
  const mistyped = `${key.slice(0, -1)}!`;
  for (const bad of ['a', KEY.slice(1), `sécret${KEY}`, `a,b${KEY}`, 'x'.repeat(513), mistyped]) {
    expect(() => readKeyList(`good${KEY}\n${bad}`, 'keys')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^keys, line 2: (?!.*sécret)(?!.*a,b)(?!.*mrd_)/),
      }),
    );
  }
  expect(() => readKeyList(`${KEY} role=admin`, 'keys')).toThrow(
    "keys, line 1: 'role=admin' is not one of client, operator",
  );
});

const NONE = { keys: [], keyFiles: [], plans: null, marketplaceKeys: null };

test('a key with an undefined plan is rejected by name, wherever it is listed', () => {
  using folder = temporaryFolder();
  const [keys, plans] = [join(folder.path, 'keys'), join(folder.path, 'plans')];
  writeFileSync(keys, '# ours\nsecret-of-sixteen-characters gold mobile app\n');
  const wanted = `${keys}, line 2 (mobile app): there is no plan 'gold'; defined are 'default'`;
  expect(() => requirePlans(readAccessFiles({ ...NONE, keyFiles: [keys] }))).toThrow(wanted);
  expect(() => requirePlans(readAccessFiles({ ...NONE, marketplaceKeys: keys }))).toThrow(wanted);
  writeFileSync(plans, '[plans.gold]\nrequests_per_month = 5\n');
  const lists = readAccessFiles({ ...NONE, keyFiles: [keys], plans });
  requirePlans(lists);
  expect(lists.keys).toEqual([
    { key: 'secret-of-sixteen-characters', plan: 'gold', name: `${keys}, line 2 (mobile app)` },
  ]);
});

test('the stamp changes with each of the files', () => {
  using folder = temporaryFolder();
  const paths = ['keys', 'plans', 'marketplace'].map(name => join(folder.path, name));
  const [keys, plans, marketplaceKeys] = paths as [string, string, string];
  const stamps = [''];
  for (const path of [...paths, ...paths]) {
    writeFileSync(path, 'x'.repeat(stamps.length));
    stamps.push(stampOfAccessFiles({ keys: [], keyFiles: [keys], plans, marketplaceKeys }));
  }
  expect(new Set(stamps).size).toBe(7);
});

test('there is always a plan `default`, unlimited unless defined', () => {
  using folder = temporaryFolder();
  const plans = join(folder.path, 'plans');
  const defaultIn = (text: string) => {
    writeFileSync(plans, text);
    return readAccessFiles({ ...NONE, plans }).plans.get('default');
  };
  expect([defaultIn('\n'), defaultIn('[plans.pro]')]).toEqual([UNLIMITED_PLAN, UNLIMITED_PLAN]);
  expect(readAccessFiles(NONE).plans.get('default')).toEqual(UNLIMITED_PLAN);
  expect(defaultIn('[plans.default]\nrequests_per_month = 5')?.monthlyQuota).toBe(5);
});
