import { write } from 'node:fs';
import { promisify } from 'node:util';

const writeOnce = promisify(write);

/** How long lazily written lines are buffered, to be written together. */
const LAZY_MS = 200;
/** Buffered characters that trigger an immediate write. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Buffer limit, reached only when the reader of the log is too slow or blocked. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const RETRY_MS = 20;

/** Writes log bytes; discards those that cannot be written. */
export type LogSink = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes lines to a file descriptor or a {@link LogSink} in the background from a bounded buffer, so that neither a slow disk nor a blocked
 * reader delays a response. Lines beyond the bound are dropped and counted.
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

  /** Writes a non-empty buffer, and what is added meanwhile. No line can be added between the last check of the buffer and the end. */
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
