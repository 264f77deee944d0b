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
import { checkShares } from '../../src/access/limiter.ts';
import { definedPlans, UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { PlanFile, plansIn, withPlan } from '../../src/access/plan_file.ts';
import { newFolder } from '../support/process.ts';
import { thrownBy } from '../support/thrown.ts';

const KEY = '0123456789abcdef';

test('a list has one key per line, optionally with role, plan and name', () => {
  const text = `\uFEFF# ours\n1${KEY}\n\n  2${KEY} pro\t mobile app # of 2026\r\ng#h${KEY}\n${KEY} role=operator pro ops\n3${KEY} role=client`;
  expect(readKeyList(text, 'keys')).toEqual([
    { key: `1${KEY}`, plan: 'default', name: 'keys:2:1' },
    { key: `2${KEY}`, plan: 'pro', name: 'keys:4:21 (mobile app)' },
    { key: `g#h${KEY}`, plan: 'default', name: 'keys:5:1' },
    { key: KEY, role: 'operator', plan: 'pro', name: 'keys:6:32 (ops)' },
    { key: `3${KEY}`, role: 'client', plan: 'default', name: 'keys:7:1' },
  ]);
});

test('each invalid line is reported with its position, and no key is shown', () => {
  const { key } = makeKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7));
  const mistyped = `${key.slice(0, -1)}!`;
  for (const bad of ['a', KEY.slice(1), `sécret${KEY}`, `a,b${KEY}`, 'x'.repeat(513), mistyped]) {
    expect(
      thrownBy(() => readKeyList(`good${KEY}\n ${bad} pro\ngood${KEY} pro\n${KEY} role=admin`, 'keys')),
    ).toEqual([
      expect.stringMatching(/^line 2, column 2: (?!.*sécret)(?!.*a,b)(?!.*mrd_)/),
      'line 3, column 1: this key is already on line 1',
      "line 4, column 18: 'role=admin' is not one of client, operator",
    ]);
  }
});

const NONE = { keys: [], keyFiles: [], plans: null, marketplaceKeys: null };

test('a key with an undefined plan is rejected by name, wherever it is listed', () => {
  const folder = newFolder();
  const [keys, plans] = [join(folder, 'keys'), join(folder, 'plans')];
  writeFileSync(keys, '# ours\nsecret-of-sixteen-characters gold mobile app\n');
  const wanted = `${keys}:2:30 (mobile app): there is no plan 'gold'; defined are 'default'`;
  expect(() => requirePlans(readAccessFiles({ ...NONE, keyFiles: [keys] }))).toThrow(wanted);
  expect(() => requirePlans(readAccessFiles({ ...NONE, marketplaceKeys: keys }))).toThrow(wanted);
  writeFileSync(plans, '[plans.gold]\nrequests_per_month = 5\n');
  const lists = readAccessFiles({ ...NONE, keyFiles: [keys], plans });
  requirePlans(lists);
  expect(lists.keys).toEqual([
    { key: 'secret-of-sixteen-characters', plan: 'gold', name: `${keys}:2:30 (mobile app)` },
  ]);
});

test('the stamp changes with each of the files', () => {
  const folder = newFolder();
  const paths = ['keys', 'plans', 'marketplace'].map(name => join(folder, name));
  const [keys, plans, marketplaceKeys] = paths as [string, string, string];
  const stamps = [''];
  for (const path of [...paths, ...paths]) {
    writeFileSync(path, 'x'.repeat(stamps.length));
    stamps.push(stampOfAccessFiles({ keys: [], keyFiles: [keys], plans, marketplaceKeys }));
  }
  expect(new Set(stamps).size).toBe(7);
});

test('there is always a plan `default`, unlimited unless defined', () => {
  const folder = newFolder();
  const plans = join(folder, 'plans');
  const defaultIn = (text: string) => {
    writeFileSync(plans, text);
    return readAccessFiles({ ...NONE, plans }).plans.get('default');
  };
  expect([defaultIn('\n'), defaultIn('[plans.pro]')]).toEqual([UNLIMITED_PLAN, UNLIMITED_PLAN]);
  expect(readAccessFiles(NONE).plans.get('default')).toEqual(UNLIMITED_PLAN);
  expect(defaultIn('[plans.default]\nrequests_per_month = 5')?.monthlyQuota).toBe(5);
});

const read = (toml: string) => definedPlans(Bun.TOML.parse(toml));

test('plans are read, and the burst defaults to the rate', () => {
  const plans = read(`
    [plans.pro]
    requests_per_second = 2.5
    requests_per_month = 1_000_000
    [plans.batch]
    requests_per_second = 1
    burst = 500
    [plans.internal]
  `);
  const rate = { perSecond: 2.5, burst: 3 };
  expect(plans.get('pro')).toEqual({ name: 'pro', rate, monthlyQuota: 1_000_000 });
  expect(plans.get('batch')?.rate).toEqual({ perSecond: 1, burst: 500 });
  expect(plans.get('internal')).toEqual({ name: 'internal', rate: undefined, monthlyQuota: undefined });
});

const RATE = 'is not a number from 0.001 to 1000000';
const BURST = 'is not a whole number from 1 to 1000000';

test.each([
  ['requests_per_second = 0', `requests_per_second': 0 ${RATE}`],
  ['requests_per_second = "9"', `requests_per_second': "9" ${RATE}`],
  ['requests_per_second = nan', `requests_per_second': null ${RATE}`],
  ['requests_per_second = 0.0015', "requests_per_second': 0.0015 has more than three decimals"],
  ['requests_per_second = 1\nburst = 0', `burst': 0 ${BURST}`],
  ['requests_per_second = 1\nburst = 1.5', `burst': 1.5 ${BURST}`],
  ['burst = 5', "burst' needs 'plans.pro.requests_per_second'"],
  ["bulk = 'all'", "bulk': \"all\" is not 'one' or 'each'"],
  ['requests_per_month = -1', "requests_per_month': -1 is not a whole number from 0 to 1000000000000"],
  ['requests_per_minute = 1', "requests_per_minute' is unknown"],
])('a plan with %p is rejected by the name of its entry', (entry, message) => {
  expect(() => read(`[plans.pro]\n${entry}`)).toThrow(`'plans.pro.${message}`);
});

test.each([
  ['[plan.pro]', "'plans' is missing"],
  ['plans = 5', "'plans': 5 is not a table"],
  ['[plans]\npro = 5', "'plans.pro': 5 is not a table"],
  ['[[plans.pro]]', "'plans.pro': a table or list is not a table"],
  ['[plans."a b"]', "'plans.a b': a plan's name is 1 to 64 letters"],
  ['[plans.pro]\n[other]', "'other' is unknown"],
])('%p is rejected by the name of its entry', (toml, message) => {
  expect(() => read(toml)).toThrow(message);
});

test('all faults of a plans file are reported with their positions', () => {
  const path = join(newFolder(), 'plans');
  const plans = new PlanFile(path);
  writeFileSync(
    path,
    `# ours
[plans.pro] # "burst = 0"
requests_per_second = "9"
  burst = 0.5
requests_per_minute = 1
[plans]
free = { bulk = "all", burst = 1 }
"a/b".requests_per_month = 1
[other]
`,
  );
  expect(thrownBy(() => plans.plans()).toSorted()).toEqual([
    expect.stringContaining(`${path}:3:23: 'plans.pro.requests_per_second': "9" is not`),
    expect.stringContaining(`${path}:4:11: 'plans.pro.burst': 0.5 is not`),
    expect.stringContaining(`${path}:5:1: 'plans.pro.requests_per_minute' is unknown`),
    expect.stringContaining(`${path}:7:8: 'plans.free.bulk': "all" is not`),
    expect.stringContaining(`${path}:8:28: 'plans.a/b': a plan's name is`),
    expect.stringContaining(`${path}:9:1: 'other' is unknown`),
  ]);
  writeFileSync(
    path,
    '[plans.a]\r\nrequests_per_second = 1\r\n[plans.b]\r\nburst = 3\r\nrequests_per_second = 9',
  );
  expect(thrownBy(() => plans.check(() => checkShares(plans.plans().values(), 4)))).toEqual([
    expect.stringContaining(`${path}:1:1: 'plans.a.burst': 1 cannot be divided among 4 workers`),
    expect.stringContaining(`${path}:4:9: 'plans.b.burst': 3 cannot be divided among 4 workers`),
  ]);
});

test('a burst that cannot be divided among the workers is rejected, by name', () => {
  const plans = read('[plans.slow]\nrequests_per_second = 1\nburst = 3');
  expect(() => checkShares(plans.values(), 3)).not.toThrow();
  expect(() => checkShares(plans.values(), 4)).toThrow(
    "'plans.slow.burst': 3 cannot be divided among 4 workers",
  );
});

const TEXT = `# Our plans.
[plans.default] # for everyone
requests_per_second = 10 # small

# The one that people buy.
[plans.pro]
requests_per_month = 1_000_000

[plans."x.large"]
burst = 5
requests_per_second = 2.5
`;

test('a plan is replaced, added and removed without touching the rest of the file', () => {
  expect(withPlan(TEXT, 'default', { requests_per_second: 0.5, burst: 3, bulk: 'each' })).toBe(
    TEXT.replace(
      '[plans.default] # for everyone\nrequests_per_second = 10 # small\n',
      '[plans.default]\nrequests_per_second = 0.5\nburst = 3\nbulk = "each"\n',
    ),
  );
  expect(withPlan(TEXT, 'free', { requests_per_month: 0 })).toBe(
    `${TEXT}\n[plans.free]\nrequests_per_month = 0\n`,
  );
  expect(withPlan(TEXT, 'pro', null)).toBe(TEXT.replace('[plans.pro]\nrequests_per_month = 1_000_000\n', ''));
  const withoutLast = withPlan(TEXT, 'x.large', null);
  expect([...plansIn(withoutLast).keys()]).toEqual(['default', 'pro']);
  expect(plansIn(withPlan(withoutLast, 'x.large', {})).get('x.large')?.rate).toBeUndefined();
  expect(withPlan('', 'a', {})).toBe('[plans.a]\n');
});

test('a plan in another TOML form is not changed, and the reason is given', () => {
  const inline = 'plans = { pro = { requests_per_month = 1 } }\n';
  const dotted = 'plans.pro.requests_per_month = 1\n';
  for (const text of [inline, dotted, '[plans]\npro = { requests_per_month = 1 }\n']) {
    for (const entry of [null, { requests_per_month: 2 }]) {
      expect(() => withPlan(text, 'pro', entry)).toThrow(
        "it defines 'pro' in another form than a table [plans.pro]; edit it by hand",
      );
    }
  }
});
