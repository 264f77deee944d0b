import type { ErrorCode } from '../../common/service_error.ts';
import { STATUS_OF } from '../../http/errors.ts';

/** What each error code says, in sentences with `code` in backticks. */
const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_PARAMETER:
    'A parameter cannot be read, or its value is not one that is taken. The message names it.',
  AMBIGUOUS_TARGET: 'Alternatives are given together: several selectors, timestamps or hints.',
  INVALID_TIMESTAMP:
    'A timestamp is wanted and none is given, or `disambiguation=reject` refuses a local time.',
  MISSING_TARGET: 'A target is wanted, and no selector is given.',
  UNAUTHORIZED: 'The request carries no credential.',
  INVALID_AUTH: 'The credential is not known, is incomplete, or contradicts another.',
  SUBSCRIPTION_INACTIVE: 'The key is suspended.',
  NOT_FOUND: 'Nothing is at this path, or no key has this `kid`.',
  METHOD_NOT_ALLOWED: 'Only GET, HEAD and OPTIONS are allowed.',
  RATE_LIMITED:
    'More requests a second than the plan of the key allows. `Retry-After` says when to ask again.',
  QUOTA_EXCEEDED:
    'The requests of the month in the plan of the key are used up. `Retry-After` says when to ask again.',
  INTERNAL_ERROR: 'The server failed to answer. Its log has the request id and the reason.',
  DEPENDENCY_NOT_READY: 'This server has no data for the request, such as that of IP addresses.',
  SIGNING_NOT_READY: '`sign=true` is given, and this server has no signing key.',
  UPSTREAM_FAILURE: 'A store that this server shares with others does not answer.',
};

/** The statuses of errors in ascending order, each with its codes. */
export const CODES_BY_STATUS: ReadonlyMap<number, readonly ErrorCode[]> = groupByStatus();

/** What a code says at a status. */
export function meaningOf(code: ErrorCode, status: number): string {
  return status === 414 ? 'The query string has more than 8,192 characters.' : ERROR_MEANINGS[code];
}

/** Statuses that only a server with keys answers. */
export const KEYED_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

function groupByStatus(): Map<number, ErrorCode[]> {
  // A query string that is too long is an invalid parameter with a status of its own.
  const groups = new Map<number, ErrorCode[]>([[414, ['INVALID_PARAMETER']]]);
  for (const [code, status] of Object.entries(STATUS_OF) as [ErrorCode, number][]) {
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return new Map([...groups].sort(([left], [right]) => left - right));
}
