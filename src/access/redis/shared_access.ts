import type { SharedAccessValues } from '../upkeep/shared_upkeep.ts';
import { type SharedKeys, withSharedKeys } from './shared_key.ts';
import { type SharedPlans, withSharedPlans } from './shared_plan.ts';
import type { SharedValueStore } from './shared_value.ts';

/** API keys and plans in a store shared by several machines, for access control. */
export function sharedAccess(
  keys: SharedKeys,
  plans: SharedPlans,
  store: SharedValueStore,
): SharedAccessValues {
  return {
    keys,
    plans,
    store,
    over: own => ({
      ...own,
      lists: withSharedPlans(own.lists, plans),
      tokens: withSharedKeys(own.tokens, keys),
    }),
  };
}
