import { expect, test } from 'bun:test';
import { plansIn, withPlan } from '../../src/access/plan_file.ts';

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
