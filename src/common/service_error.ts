/** The error codes of the API; `http/errors.ts` knows the HTTP status of each. */
export type ErrorCode =
  | 'INVALID_PARAMETER'
  | 'AMBIGUOUS_TARGET'
  | 'INVALID_TIMESTAMP'
  | 'MISSING_TARGET'
  | 'UNAUTHORIZED'
  | 'INVALID_AUTH'
  | 'SUBSCRIPTION_INACTIVE'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'RATE_LIMITED'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'DEPENDENCY_NOT_READY'
  | 'SIGNING_NOT_READY'
  | 'UPSTREAM_FAILURE';

/** A failure that the caller is told about, in words that say what was wrong and what would be right. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/**
 * An `INVALID_PARAMETER` that reads `Cannot read 'unix': '1.5' is not a whole number`.
 * `parameter` is the query parameter as the caller wrote it; `reason` has no trailing period.
 */
export function unreadable(parameter: string, reason: string): ServiceError {
  return new ServiceError('INVALID_PARAMETER', `Cannot read '${parameter}': ${reason}`, { parameter });
}

/** A caller's value for use in a message: in quotes, and cut where it is long. */
export function quoted(value: string): string {
  return `'${cut(value, 80)}'`;
}

/**
 * Like {@link quoted}, for a signed number or a list of them: a space where a sign belongs is shown as the `+` that was
 * typed, and that query strings turn into a space.
 */
export function quotedSigned(value: string): string {
  return quoted(value.replace(/(^|[,A-Za-z]) (?=[0-9.])/g, '$1+'));
}

/** An `INVALID_PARAMETER` for a list where one value is wanted; `wanted` is what that would be: `zone`. */
export function unwantedList(parameter: string, shown: string, wanted: string): ServiceError {
  return unreadable(parameter, `${shown} is a list, and one ${wanted} is wanted here`);
}

/** A text of at most `limit` UTF-16 units, with an ellipsis where it was longer; never half of a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const end = /[\uD800-\uDBFF]/.test(text[limit - 2]!) ? limit - 2 : limit - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}
