import {
  type AccessLogMode,
  jsonAccessLine,
  type LogClientMode,
  textAccessLine,
} from '../http/access_log.ts';
import type { Observer } from '../http/snapshot.ts';
import { createEventLog, type LogFormat, type LogLevel } from './event_log.ts';
import { priorityPrefix } from './journal.ts';
import { type LogSink, LogWriter } from './log_writer.ts';
import type { Environment } from './state_directory.ts';
import type { WorkerPlace } from './workers/worker_messages.ts';

const STDERR = 2;
/** How long the process waits for a slow log reader when it exits. */
const FLUSH_TIMEOUT_MS = 1000;

/** The log of a serving process. */
export type ServerLog = ReturnType<typeof openServerLog>;

/** The settings of the log. */
export interface LogSettings {
  readonly 'log-level': LogLevel;
  readonly 'log-format': LogFormat | null;
  readonly 'access-log': AccessLogMode | null;
  readonly 'log-client': LogClientMode;
}

/** The destination of the log. */
interface LogContext {
  readonly isTerminal: (descriptor: number) => boolean;
  readonly environment: Environment;
  /** Replaces stderr, which Windows services do not have. */
  readonly logSink?: LogSink;
}

/** Logs to stderr: stdout is reserved for the lines that name the listeners. */
export function openServerLog(
  settings: LogSettings,
  { index, count }: WorkerPlace,
  { isTerminal, environment, logSink }: LogContext,
) {
  const isShared = count > 1;
  const writer = new LogWriter(logSink ?? STDERR, isShared);
  const isInteractive = logSink === undefined && isTerminal(STDERR);
  const format = settings['log-format'] ?? (isInteractive ? 'text' : 'json');
  const common = isShared ? { worker: index } : {};
  const prefix = priorityPrefix(STDERR, environment);
  const accessLog: Observer['accessLog'] = {
    // Services have metrics, and a log line costs more than the response: journald takes longer to process it, and beyond
    // 10,000 lines in 30 s it drops everything the service logs, including errors.
    mode: settings['access-log'] ?? (isInteractive ? 'all' : 'errors'),
    line: format === 'json' ? jsonAccessLine : textAccessLine,
    write: line => writer.writeLazily(line),
    client: settings['log-client'],
  };
  return {
    ...createEventLog(
      settings['log-level'],
      format,
      (line, level) => writer.write(prefix(level) + line),
      common,
    ),
    accessLog,
    /** How many lines were dropped because the reader was too slow. */
    droppedLines: () => writer.droppedLines,
    /** Flushes buffered lines before the process exits. */
    close: () => writer.flush(FLUSH_TIMEOUT_MS),
  };
}
