import { isTerminal } from '../cli/terminal.ts';
import type { LogClientMode } from '../http/access_log.ts';
import { type AccessLogMode, jsonAccessLine, textAccessLine } from '../http/access_log.ts';
import type { Observer } from '../http/snapshot.ts';
import { createEventLog, type EventLog, type LogFormat, type LogLevel } from './event_log.ts';
import { LogWriter } from './log_writer.ts';
import type { WorkerPlace } from './workers/worker_messages.ts';

const STDERR = 2;
/** How long the end of the process waits for a slow reader of the log. */
const LAST_FLUSH_MS = 1000;

/** The log of a process that serves. */
export interface ServerLog extends EventLog {
  readonly accessLog: Observer['accessLog'];
  /** How many lines were dropped because nobody read them in time. */
  readonly droppedLines: () => number;
  /** Writes what still waits, before the process ends. */
  close(): Promise<void>;
}

/** The settings of the log. */
export interface LogSettings {
  readonly 'log-level': LogLevel;
  readonly 'log-format': LogFormat | null;
  readonly 'access-log': AccessLogMode | null;
  readonly 'log-client': LogClientMode;
}

/** Logs to stderr: stdout is kept for the lines that say where the server listens. */
export function openServerLog(settings: LogSettings, { index, count }: WorkerPlace): ServerLog {
  const isShared = count > 1;
  const writer = new LogWriter(STDERR, isShared);
  const isWatched = isTerminal(STDERR);
  const format = settings['log-format'] ?? (isWatched ? 'text' : 'json');
  const events = createEventLog(
    settings['log-level'],
    format,
    line => writer.write(line),
    isShared ? { worker: index } : {},
  );
  return {
    ...events,
    accessLog: {
      // Whoever sits before a terminal wants to see the requests. In a service the metrics have them all, and a line
      // for each would cost more than its answer: journald takes longer over a line, and drops all that a service
      // logs, its errors too, once it logs more than 10,000 lines in half a minute.
      mode: settings['access-log'] ?? (isWatched ? 'all' : 'errors'),
      line: format === 'json' ? jsonAccessLine : textAccessLine,
      write: line => writer.writeLazily(line),
      client: settings['log-client'],
    },
    droppedLines: () => writer.droppedLines,
    close: () => writer.flush(LAST_FLUSH_MS),
  };
}
