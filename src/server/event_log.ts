import { visible } from '../common/errors.ts';

/** Severities, in ascending order. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON object or one line of text per event. */
export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Structured fields of an event. Never a secret. */
export type EventFields = Readonly<Record<string, string | number | boolean | null>>;

/** Logs the events of a process: starts, reloads, failures. Requests go to the access log, see `http/access_log.ts`. */
export type EventLog = Readonly<Record<LogLevel, (message: string, fields?: EventFields) => void>>;

/** An event log that passes formatted lines, with their line feed, to `write`; `common` fields are added to each. */
export function createEventLog(
  minimumLevel: LogLevel,
  format: LogFormat,
  write: (line: string, level: LogLevel) => void,
  common: EventFields = {},
): EventLog {
  const minimum = LOG_LEVELS.indexOf(minimumLevel);
  const formatLine = format === 'json' ? jsonLine : textLine;
  const logAt =
    (level: LogLevel) =>
    (message: string, fields: EventFields = {}) => {
      if (LOG_LEVELS.indexOf(level) >= minimum)
        write(formatLine(level, message, { ...fields, ...common }), level);
    };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

function jsonLine(level: LogLevel, message: string, fields: EventFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`;
}

function textLine(level: LogLevel, message: string, fields: EventFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quotedIfNeeded(value)}`);
  return `${new Date().toISOString()} ${level.padEnd(5)} ${visible(message + pairs.join(''))}\n`;
}

/** Quotes values that could be mistaken for another field or line. */
function quotedIfNeeded(value: string | number | boolean | null): string {
  return typeof value === 'string' && !/^[\w.:/+-]+$/.test(value) ? JSON.stringify(value) : String(value);
}

/** The log fields of a thrown value. */
export function fieldsOfError(thrown: unknown): EventFields {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return { error: thrown.message, ...(thrown.stack === undefined ? {} : { stack: thrown.stack }) };
}
