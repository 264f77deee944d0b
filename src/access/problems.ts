import type { ProblemLog } from '../common/problem_log.ts';

/** What can fail: reading `files`, or the store of `tokens`; there are no `keys`, or undefined `plans`; writing `usage` or each `last_use`; reaching Redis, reading its keys and plans, and usage being `restored` there. */
export const ACCESS_TOPICS = [
  'files',
  'tokens',
  'keys',
  'plans',
  'usage',
  'last_use',
  'restored',
  'shared',
  'shared_keys',
  'shared_plans',
] as const;
export type AccessTopic = (typeof ACCESS_TOPICS)[number];
export type Problems = ProblemLog<AccessTopic>;
