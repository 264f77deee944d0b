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

export function requires(parameter: string, other: string): ServiceError {
  return unreadable(parameter, `it requires '${other}'`);
}

/** Throws `INVALID_PARAMETER` for a text of more characters than `maximum`. `kind` names the text in the message. */
export function requireLength(text: string, maximum: number, parameter: string, kind?: string): void {
  const length = text.length <= maximum ? text.length : [...text].length;
  if (length <= maximum) return;
  const counted = `it has ${length} characters; the maximum is ${maximum}`;
  throw unreadable(parameter, kind === undefined ? counted : `${kind} has at most ${maximum} characters`);
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

/** The end of a message about an unknown name: `; did you mean 'a', 'b'?`, or '' without suggestions. */
export function didYouMean(suggestions: readonly string[]): string {
  return suggestions.length === 0 ? '' : `; did you mean ${suggestions.map(quoted).join(', ')}?`;
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

/** An invalid command line, environment or configuration file: a one-line message, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Calls all functions and returns their results. If one throws, throws its error; if several do, throws an `AggregateError` with
 * the message of the first.
 */
export function resultsOf<Results extends readonly unknown[]>(
  ...functions: { readonly [Index in keyof Results]: () => Results[Index] }
): Results {
  const errors: unknown[] = [];
  const results = functions.map(run => {
    try {
      return run();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  });
  return errors.length === 0 ? (results as unknown as Results) : throwAll(errors); // in the order of the functions
}

/** Throws a single error itself, and several as an `AggregateError` with the message of the first. */
export function throwAll(errors: readonly unknown[]): never {
  throw errors.length === 1 ? errors[0] : new AggregateError(errors, messageOf(errors[0]));
}

/** The errors in a thrown value; an `AggregateError` has several. */
export function errorsIn(thrown: unknown): unknown[] {
  return thrown instanceof AggregateError ? thrown.errors.flatMap(errorsIn) : [thrown];
}

/** The messages of {@link errorsIn} a thrown value. */
export function messagesOf(thrown: unknown): string[] {
  return errorsIn(thrown).map(messageOf);
}

/** The first line of the message of a thrown value, as commands print it. */
export function oneLine(thrown: unknown): string {
  return withoutPasswords(visible(messageOf(thrown).split('\n')[0]!));
}

/** Control characters, some of which terminals interpret, and those that reverse the direction of text (UAX #9 §2). */
const INVISIBLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Makes text from outside safe for one line of a terminal or a log: control characters, including line feeds, become escapes like
 * `\u001b`. These are JSON escapes, so JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Hides user information in URLs, valid or not, as it may be a password: `https://…@example.com`. */
export function withoutPasswords(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(/\S+/g, word => {
    // A slash begins the path, unless it is part of an unencoded password.
    const [start, end] = [word.search(/\/\/[^/]*[:@]/) + 2, word.lastIndexOf('@')];
    return start > 1 && end >= start ? `${word.slice(0, start)}…${word.slice(end)}` : word;
  });
}

/** The same for text of several lines, which may contain tabs. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}

/** The reason for a system error, without the path that its message repeats: `permission denied (EACCES)`. */
export function systemReason(thrown: unknown): string {
  const message = messageOf(thrown);
  const { code } = Object(thrown) as { readonly code?: string };
  const reason = /^[A-Z0-9]+: (?<words>[^,]+), /.exec(message)?.groups?.['words'];
  return reason === undefined || code === undefined ? message : `${reason} (${code})`;
}
