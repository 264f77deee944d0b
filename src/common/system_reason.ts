import { messageOf } from './message_of.ts';

/**
 * What anything thrown says of itself; of an error of the system, whose message repeats the path, the reason alone:
 * `permission denied (EACCES)`.
 */
export function systemReason(thrown: unknown): string {
  const message = messageOf(thrown);
  const { code } = Object(thrown) as NodeJS.ErrnoException;
  const reason = /^[A-Z0-9]+: (?<words>[^,]+), /.exec(message)?.groups?.['words'];
  return reason === undefined || code === undefined ? message : `${reason} (${code})`;
}
