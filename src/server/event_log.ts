/** How much an event matters, from the least on. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line of JSON for programs, or of text for people. */
export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** What is known of an event besides its message. Never a secret. */
export type EventFields = Readonly<Record<string, string | number | boolean | null>>;

/** Takes the events of a process: starts, reloads, failures. Requests are not events, see `http/access_log.ts`. */
export interface EventLog {
  debug(message: string, fields?: EventFields): void;
  info(message: string, fields?: EventFields): void;
  warn(message: string, fields?: EventFields): void;
  error(message: string, fields?: EventFields): void;
}

/**
 * An event log that hands lines of a format, with their line feed, to `write`; those below `level` are left out, and
 * `common` fields are in all.
 */
export function createEventLog(
  level: LogLevel,
  format: LogFormat,
  write: (line: string) => void,
  common: EventFields = {},
): EventLog {
  const least = LOG_LEVELS.indexOf(level);
  const line = format === 'json' ? jsonLine : textLine;
  const at =
    (name: LogLevel) =>
    (message: string, fields: EventFields = {}) => {
      if (LOG_LEVELS.indexOf(name) >= least) write(line(name, message, { ...fields, ...common }));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function jsonLine(level: LogLevel, message: string, fields: EventFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`;
}

function textLine(level: LogLevel, message: string, fields: EventFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${plain(value)}`);
  return `${new Date().toISOString()} ${level.padEnd(5)} ${message}${pairs.join('')}\n`;
}

/** A value that cannot be mistaken for another field or another line. */
function plain(value: string | number | boolean | null): string {
  return typeof value === 'string' && !/^[\w.:/+-]+$/.test(value) ? JSON.stringify(value) : String(value);
}

/** The fields that tell of anything thrown. */
export function fieldsOfError(thrown: unknown): EventFields {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return { error: thrown.message, ...(thrown.stack === undefined ? {} : { stack: thrown.stack }) };
}
