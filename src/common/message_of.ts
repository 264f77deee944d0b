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
  if (errors.length === 0) return results as unknown as Results; // in the order of the functions
  throw errors.length === 1 ? errors[0] : new AggregateError(errors, messageOf(errors[0]));
}

/** The messages of an error; an `AggregateError` has several. */
export function messagesOf(thrown: unknown): string[] {
  return thrown instanceof AggregateError ? thrown.errors.flatMap(messagesOf) : [messageOf(thrown)];
}

/** The first line of the message of a thrown value, as commands print it. */
export function oneLine(thrown: unknown): string {
  return visible(messageOf(thrown).split('\n')[0]!);
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

/** The same for text of several lines, which may contain tabs. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}

/** The reason for a system error, without the path that its message repeats: `permission denied (EACCES)`. */
export function systemReason(thrown: unknown): string {
  const message = messageOf(thrown);
  const { code } = Object(thrown) as NodeJS.ErrnoException;
  const reason = /^[A-Z0-9]+: (?<words>[^,]+), /.exec(message)?.groups?.['words'];
  return reason === undefined || code === undefined ? message : `${reason} (${code})`;
}
