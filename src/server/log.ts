import { fstatSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { visible, withoutPasswords } from '../common/errors.ts';
import type { Report } from '../common/problem_log.ts';
import type { Observer } from '../http/snapshot.ts';
import { type AccessLogMode, jsonAccessLine, type LogClientMode, textAccessLine } from '../http/traffic.ts';
import type { Environment } from './state_directory.ts';

/** Severities, in ascending order. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON object or one line of text per event. */
export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Structured fields of an event. Never a secret. */
export type EventFields = Readonly<Record<string, string | number | boolean | null>>;

/** Logs the events of a process: starts, reloads, failures. Requests go to the access log, see `http/traffic.ts`. */
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
  const logAt = (level: LogLevel) => (message: string, fields?: EventFields) => {
    if (LOG_LEVELS.indexOf(level) < minimum) return;
    write(formatLine(level, message, { ...fields, ...common }), level);
  };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

function jsonLine(level: LogLevel, message: string, fields: EventFields): string {
  const event = { time: new Date().toISOString(), level, message, ...fields };
  return `${JSON.stringify(event, (_, value) => (typeof value === 'string' ? withoutPasswords(value) : value))}\n`;
}

/** Prints each line of a text as the message of an event in JSON. */
export function jsonPrinter(print: (text: string) => void): (text: string) => void {
  return text =>
    print(
      text
        .split('\n')
        .map(line => jsonLine('info', line, {}).trimEnd())
        .join('\n'),
    );
}

function textLine(level: LogLevel, message: string, fields: EventFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quotedIfNeeded(value)}`);
  return `${new Date().toISOString()} ${level.padEnd(5)} ${withoutPasswords(visible(message + pairs.join('')))}\n`;
}

/** Quotes values that could be mistaken for another field or line. */
function quotedIfNeeded(value: string | number | boolean | null): string {
  return typeof value === 'string' && !/^[\w.:/+-]+$/.test(value) ? JSON.stringify(value) : String(value);
}

/** Reports to a log; a `cause` is logged with its stack. */
export function reporter(log: EventLog): Report {
  return (severity, message, cause) =>
    log[severity](message, cause === undefined ? undefined : fieldsOfError(cause));
}

/** The log fields of a thrown value. */
export function fieldsOfError(thrown: unknown): EventFields {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return { error: thrown.message, ...(thrown.stack === undefined ? {} : { stack: thrown.stack }) };
}

const STDERR = 2;
/** How long the process waits for a slow log reader when it exits. */
const FLUSH_TIMEOUT_MS = 1000;

/** The log of a serving process. */
export type ServerLog = ReturnType<typeof openServerLog>;

/** Logs to stderr: stdout is for the lines that name the listeners. `worker`: the number of this one of several. */
export function openServerLog(
  settings: {
    readonly 'log-level': LogLevel;
    readonly 'log-format': LogFormat | null;
    readonly 'access-log': AccessLogMode | null;
    readonly 'log-client': LogClientMode;
  },
  worker: number | null,
  context: { readonly isTerminal: (descriptor: number) => boolean; readonly environment: Environment },
) {
  const writer = new LogWriter(STDERR, worker !== null);
  const isInteractive = context.isTerminal(STDERR);
  const format = settings['log-format'] ?? (isInteractive ? 'text' : 'json');
  const prefix = priorityPrefix(STDERR, context.environment);
  const writeEvent = (line: string, level: LogLevel) => writer.write(prefix(level) + line);
  const accessLog: Observer['accessLog'] = {
    // Services have metrics, and a log line costs more than the response: journald takes longer to process it, and beyond
    // 10,000 lines in 30 s it drops everything the service logs, including errors.
    mode: settings['access-log'] ?? (isInteractive ? 'all' : 'errors'),
    line: format === 'json' ? jsonAccessLine : textAccessLine,
    write: line => writer.writeLazily(line),
    client: settings['log-client'],
  };
  return {
    ...createEventLog(settings['log-level'], format, writeEvent, worker === null ? {} : { worker }),
    accessLog,
    droppedLines: () => writer.droppedLines,
    /** Flushes buffered lines before the process exits. */
    close: () => writer.flush(FLUSH_TIMEOUT_MS),
  };
}

const writeOnce = promisify(write);

/** How long lazily written lines are buffered, to be written together. */
const LAZY_MS = 200;
/** Buffered characters that trigger an immediate write. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Buffer limit, reached only when the reader of the log is too slow or blocked. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const RETRY_MS = 20;

/** Writes log bytes; discards those that cannot be written. */
type LogSink = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes lines to a file descriptor or a {@link LogSink} in the background from a bounded buffer, so that neither a slow
 * disk nor a blocked reader delays a response. Lines beyond the bound are dropped and counted.
 */
export class LogWriter {
  readonly #sink: LogSink;
  readonly #isShared: boolean;
  #buffer = '';
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  /** How many lines were dropped because the reader was too slow. */
  droppedLines = 0;

  /** `isShared`: other processes write to the descriptor too, so that each write must consist of whole lines. */
  constructor(target: number | LogSink, isShared = false) {
    this.#sink = typeof target === 'number' ? bytes => writeBytes(target, bytes) : target;
    this.#isShared = isShared;
  }

  /** Buffers a line, which includes its line feed, for up to {@link LAZY_MS}. */
  writeLazily(line: string): void {
    this.#add(line, LAZY_MS);
  }

  /** Writes a line, which includes its line feed, on the next turn of the event loop. */
  write(line: string): void {
    this.#add(line, 0);
  }

  /** Writes the whole buffer; returns after `timeoutMs` even if that has not finished. */
  async flush(timeoutMs: number): Promise<void> {
    await Promise.race([this.#writeBuffer(), Bun.sleep(timeoutMs)]);
  }

  #add(line: string, delayMs: number): void {
    if (this.#buffer.length + line.length > MAX_CHARACTERS) {
      this.droppedLines++;
      return;
    }
    this.#buffer += line;
    if (this.#writing !== undefined) return; // the running write includes it
    if (this.#buffer.length >= CHUNK_CHARACTERS) void this.#writeBuffer();
    else if (delayMs === 0 || this.#timer === undefined) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#writeBuffer(), delayMs);
    }
  }

  #writeBuffer(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffer !== '') this.#writing ??= this.#writeAll();
    return this.#writing ?? Promise.resolve();
  }

  /**
   * Writes a non-empty buffer, and what is added meanwhile. No line can be added between the last check of the buffer and
   * the end.
   */
  async #writeAll(): Promise<void> {
    try {
      while (this.#buffer !== '') {
        const bytes = Buffer.from(this.#buffer);
        this.#buffer = '';
        for (const piece of this.#isShared ? wholeLines(bytes) : [bytes]) await this.#sink(piece);
      }
    } finally {
      this.#writing = undefined;
    }
  }
}

/** Writes of up to this size to a pipe are atomic (`PIPE_BUF`). */
const ATOMIC_BYTES = 4096;
const LINE_FEED = 10;

/** Splits bytes at line ends into chunks that are written atomically; a longer line is a chunk by itself. */
function* wholeLines(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    let end = bytes.lastIndexOf(LINE_FEED, start + ATOMIC_BYTES - 1) + 1;
    if (end <= start) end = bytes.indexOf(LINE_FEED, start) + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Writes all bytes; retries while a non-blocking descriptor is full, and discards the rest on any other error. */
async function writeBytes(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      const { bytesWritten } = await writeOnce(descriptor, rest);
      rest = rest.subarray(bytesWritten);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await Bun.sleep(RETRY_MS);
    }
  }
}

/** Syslog priorities, which `journalctl -p` selects by. */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

/**
 * The prefix of a line on a descriptor, by level: `<3>` if systemd has connected the descriptor to the journal, which removes
 * the prefix (`sd-daemon(3)`), else empty.
 */
export function priorityPrefix(descriptor: number, { JOURNAL_STREAM: journal }: Environment) {
  const isJournal = journal !== undefined && journal === identityOf(descriptor);
  return (level: LogLevel): string => (isJournal ? `<${PRIORITIES[level]}>` : '');
}

/** Device and inode, as in `JOURNAL_STREAM`; they differ if stderr has been redirected. */
function identityOf(descriptor: number): string | null {
  try {
    const { dev, ino } = fstatSync(descriptor);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
