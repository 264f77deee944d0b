import type { ProblemLog } from '../common/problem_log.ts';

/** What can fail. Of `keys` there may be none, of `plans` undefined ones; `restored` is usage in Redis, `shared` Redis itself. */
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
