/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The first line of the message of a thrown value, as commands print it. */
export function oneLine(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0]!;
}

/** The reason in the message of a system error, which repeats the path: `permission denied (EACCES)`. */
export function systemReason(thrown: unknown): string {
  const message = messageOf(thrown);
  const { code } = Object(thrown) as NodeJS.ErrnoException;
  const reason = /^[A-Z0-9]+: (?<words>[^,]+), /.exec(message)?.groups?.['words'];
  return reason === undefined || code === undefined ? message : `${reason} (${code})`;
}
