import { isatty } from 'node:tty';
import { createEventLog, type EventLog, type LogFormat, type LogLevel } from './event_log.ts';
import { LogWriter } from './log_writer.ts';

const STDERR = 2;
/** How long the end of the process waits for a slow reader of the log. */
const LAST_FLUSH_MS = 1000;

/** The log of a process that serves. */
export interface ServerLog extends EventLog {
  readonly format: LogFormat;
  readonly writer: LogWriter;
  /** Writes what still waits, before the process ends. */
  close(): Promise<void>;
}

/** Logs to stderr: stdout is kept for the lines that say where the server listens. */
export function openServerLog(settings: {
  readonly 'log-level': LogLevel;
  readonly 'log-format': LogFormat | null;
}): ServerLog {
  const writer = new LogWriter(STDERR);
  const format = settings['log-format'] ?? (isatty(STDERR) ? 'text' : 'json');
  const events = createEventLog(settings['log-level'], format, line => writer.write(line));
  return { ...events, format, writer, close: () => writer.flush(LAST_FLUSH_MS) };
}
