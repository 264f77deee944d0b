/** The error codes of the API; `http/errors.ts` maps them to HTTP statuses. */
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
  | 'HOST_NOT_ALLOWED'
  | 'RATE_LIMITED'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'DEPENDENCY_NOT_READY'
  | 'SIGNING_NOT_READY'
  | 'UPSTREAM_FAILURE';

/** An error whose message and details are sent to the client: what was given, and what is valid. */
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
 * `parameter` is the query parameter as the client wrote it; `reason` has no trailing period.
 */
export function unreadable(parameter: string, reason: string): ServiceError {
  return new ServiceError('INVALID_PARAMETER', `Cannot read '${parameter}': ${reason}`, { parameter });
}

/** A client's value for use in a message: quoted, and truncated if long. */
export function quoted(value: string): string {
  return `'${cut(value, 80)}'`;
}

/**
 * Like {@link quoted}, for signed numbers: a space in place of a sign is shown as the `+` that was typed, since
 * query strings decode it to a space.
 */
export function quotedSigned(value: string): string {
  return quoted(value.replace(/(^|[,A-Za-z]) (?=[0-9.])/g, '$1+'));
}

/** An `INVALID_PARAMETER` for a list instead of a single value; `kind` names it, such as `zone`. */
export function unwantedList(parameter: string, shown: string, kind: string): ServiceError {
  return unreadable(parameter, `${shown} is a list, but only one ${kind} is allowed`);
}

/** Truncates a text to `limit` UTF-16 units with an ellipsis; never splits a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const end = /[\uD800-\uDBFF]/.test(text[limit - 2]!) ? limit - 2 : limit - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}
