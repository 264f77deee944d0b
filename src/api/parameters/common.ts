import { nearest } from '../../common/nearest.ts';
import { cut, quoted, unreadable } from '../../common/service_error.ts';
import type { ParameterNames, Query } from '../../http/query.ts';
import { flagSchema } from './schemas.ts';

/** The parameters that routes have in common. */
export const COMMON_PARAMETERS = {
  sign: flagSchema('Signs the response.'),
  details: flagSchema('Adds `details`.'),
  strict: flagSchema('Rejects unknown parameters, which are ignored otherwise.'),
} as const;

/** Throws for the first unknown parameter of a query with `strict=true`. */
export function rejectUnknown(query: Query, known: ParameterNames): void {
  const [unknown] = query.ignored;
  if (unknown === undefined || !query.hasFlag('strict')) return;
  const [suggestion] = nearest(unknown, known.all, 1);
  const advice = suggestion === undefined ? '' : `; did you mean ${quoted(suggestion)}?`;
  throw unreadable(cut(unknown, 80), `this route has no such parameter${advice}`);
}
