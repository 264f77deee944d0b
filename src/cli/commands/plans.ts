import { readKeyFile } from '../../access/access_files.ts';
import { type PlanEntry, planEntry, planOf, UNLIMITED_PLAN } from '../../access/plan.ts';
import { messageOf, UsageError, visible } from '../../common/errors.ts';
import { boundedList, counted } from '../../common/words.ts';
import { knownPlans, withKeyStore, withPlanStore } from '../access_stores.ts';
import { type ActionInput, defineActions } from '../command.ts';
import { COMMON_FLAGS, choice, fromServe, parseNumber, type SettingsOf, single, toggle } from '../flags.ts';
import { EFFECT, table } from '../report.ts';

const FLAGS = {
  ...COMMON_FLAGS,
  'requests-per-second': single('N', 'requests per second, up to three decimals', null, parseNumber, {
    fallbackText: 'unlimited',
  }),
  burst: single('N', 'maximum burst', null, parseNumber, { fallbackText: 'the rate, rounded up' }),
  'requests-per-month': single('N', 'requests per month', null, parseNumber, { fallbackText: 'unlimited' }),
  bulk: choice(['one', 'each'], 'count a list as one request, or each entry', 'one'),
  force: toggle('even if API keys use the plan'),
  ...fromServe('plans', 'redis', 'api-key-file'),
  json: toggle('print JSON'),
} as const;

type Input = ActionInput<SettingsOf<typeof FLAGS>>;

export const plansCommand = defineActions({
  name: 'plans',
  summary: 'API key limits by plan, in Redis or a plans file: list, set, remove',
  flags: FLAGS,
  actions: {
    list: { flags: ['json'], run: list },
    set: { operand: 'NAME', flags: ['requests-per-second', 'burst', 'requests-per-month', 'bulk'], run: set },
    remove: { operand: 'NAME', flags: ['force'], run: remove },
  },
});

async function list(input: Input): Promise<void> {
  const keys = Map.groupBy(await keysOf(input), ({ plan }) => plan);
  const known = [...(await knownPlans(input.settings))].sort(([a], [b]) => (a < b ? -1 : 1));
  const unlimited = { requests_per_second: null, burst: null, requests_per_month: null, bulk: 'one' };
  const rows = known.map(([name, { plan, from }]) => ({
    name,
    ...unlimited,
    ...planEntry(plan),
    keys: keys.get(name)?.length ?? 0,
    from,
  }));
  const head = ['NAME', 'PER SECOND', 'BURST', 'PER MONTH', 'BULK', 'KEYS', 'FROM'];
  input.context.print(input.settings.json ? JSON.stringify(rows, null, 2) : table(head, rows, 'unlimited'));
}

/** Defines a plan with the given limits and no others. */
async function set(input: Input): Promise<void> {
  const { operand: name, context } = input;
  const entry = entryOf(input);
  try {
    planOf(name, entry);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  const place = await withPlanStore(input.settings, async (store, place) => {
    await store.set(name, entry);
    return place;
  });
  context.print(`plan '${name}' is set in ${place}; ${EFFECT}`);
}

function entryOf({ settings }: Input): PlanEntry {
  const { burst, bulk } = settings;
  const [perSecond, perMonth] = [settings['requests-per-second'], settings['requests-per-month']];
  return {
    ...(perSecond !== null && { requests_per_second: perSecond }),
    ...(burst !== null && { burst }),
    ...(perMonth !== null && { requests_per_month: perMonth }),
    ...(bulk === 'each' && { bulk }),
  };
}

async function remove(input: Input): Promise<void> {
  const { operand: name, settings, context } = input;
  await withPlanStore(input.settings, async (store, place) => {
    const absent = new Error(`There is no plan '${visible(name)}' in ${place}`);
    if (!(await store.plans()).has(name)) throw absent;
    const users = (await keysOf(input)).filter(({ plan }) => plan === name).map(({ id }) => id);
    if (users.length > 0 && !settings.force) throw new Error(refusal(name, users));
    if (!(await store.remove(name))) throw absent;
    const affected = users.length === 0 ? '' : `, which ${counted(users.length, 'API key')} used,`;
    context.print(`plan '${name}'${affected} is removed from ${place}; ${EFFECT}`);
  });
}

function refusal(name: string, users: readonly string[]): string {
  const effect = name === UNLIMITED_PLAN.name ? 'they would be unlimited' : 'they would be rejected';
  return `${counted(users.length, 'API key')} of plan '${name}' (${boundedList(users)}): ${effect}; give them another plan with 'meridian tokens edit', or use --force`;
}

/** All keys, stored or in the key file, with their plans. */
async function keysOf(input: Input): Promise<{ readonly id: string; readonly plan: string }[]> {
  const stored = await withKeyStore(input, false, store => store.keys());
  const file = input.settings['api-key-file'];
  const listed = file === null ? [] : readKeyFile(file).map(({ name, plan }) => ({ id: name, plan }));
  return [...stored, ...listed];
}
