import type { AccessLists } from '../access_files.ts';
import { definedPlans, type Plan, type PlanEntry } from '../plan.ts';
import type { Source } from '../stored_token.ts';
import { parseValue, type SharedValue } from './shared_value.ts';
import type { ValueCache, ValueKind } from './value_cache.ts';

type Plans = ReadonlyMap<string, Plan>;

/** The cache of the plans in Redis. */
export type SharedPlans = ValueCache<Plans>;

/** The values of `meridian:plans`: the members of plans as in a plans file by name, null for a removed one. */
export const SHARED_PLANS: ValueKind<Plans> = {
  what: 'plans',
  parse(values) {
    const entries = [...values].map(([name, value]) => [name, readSharedPlan(value)] as const);
    return definedPlans({ plans: Object.fromEntries(entries.filter(([, entry]) => entry !== null)) });
  },
};

/** The members of a plan's value, still to be validated; null for a removed plan. */
export function readSharedPlan(value: SharedValue): PlanEntry | null {
  return parseValue(value) as PlanEntry | null;
}

/** The plans in this machine's file and the shared plans, which override those of the same name in the file. */
export function withSharedPlans(file: Source<AccessLists>, shared: SharedPlans): Source<AccessLists> {
  return {
    stamp: () => `${shared.stamp()} ${file.stamp()}`,
    read() {
      const lists = file.read();
      return { ...lists, plans: new Map([...lists.plans, ...shared.read()]) };
    },
  };
}
