import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccessFiles, requirePlans, stampOfAccessFiles } from '../../src/access/access_files.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { temporaryFolder } from '../support/process.ts';

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
  expect([defaultIn(''), defaultIn('[plans.pro]')]).toEqual([UNLIMITED_PLAN, UNLIMITED_PLAN]);
  expect(readAccessFiles(NONE).plans.get('default')).toEqual(UNLIMITED_PLAN);
  expect(defaultIn('[plans.default]\nrequests_per_month = 5')?.monthlyQuota).toBe(5);
});
