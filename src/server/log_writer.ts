import { write } from 'node:fs';

/** Lines that nobody watches closely wait this long for others to go out with. */
const LAZY_MS = 200;
/** As much is written at once without waiting. */
const CHUNK_CHARACTERS = 64 * 1024;
/** More is not held: the reader of the log is too slow or stands still, and the server must not. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const RETRY_MS = 20;

/**
 * Writes lines to a file descriptor from a bounded buffer, in the background: neither a slow disk nor a reader that
 * stands still ever holds up an answer. What does not fit is dropped and counted.
 */
export class LogWriter {
  readonly #descriptor: number;
  readonly #isShared: boolean;
  #waiting = '';
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #droppedLines = 0;

  /** `isShared`: other processes write to it too, so that only whole lines may go out at once. */
  constructor(descriptor: number, isShared = false) {
    this.#descriptor = descriptor;
    this.#isShared = isShared;
  }

  /** How many lines were dropped because the reader is too slow. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** Takes a line, with its line feed, that may wait a moment for others. */
  writeLazily(line: string): void {
    this.#add(line, LAZY_MS);
  }

  /** Takes a line, with its line feed, that is written as soon as the running work is done. */
  write(line: string): void {
    this.#add(line, 0);
  }

  /** Writes all that waits; gives up after `timeoutMs` milliseconds. */
  async flush(timeoutMs: number): Promise<void> {
    const deadline = Bun.sleep(timeoutMs);
    await Promise.race([this.#drain(), deadline]);
  }

  #add(line: string, delayMs: number): void {
    if (this.#waiting.length + line.length > MOST_CHARACTERS) {
      this.#droppedLines++;
      return;
    }
    this.#waiting += line;
    if (this.#writing !== undefined) return; // what runs takes the new lines along
    if (this.#waiting.length >= CHUNK_CHARACTERS) void this.#drain();
    else if (delayMs === 0) this.#schedule(0);
    else if (this.#timer === undefined) this.#schedule(delayMs);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#drain(), delayMs);
  }

  #drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting !== '') {
      const bytes = Buffer.from(this.#waiting);
      this.#waiting = '';
      for (const piece of this.#isShared ? wholeLines(bytes) : [bytes])
        await writeBytes(this.#descriptor, piece);
    }
  }
}

/** As much goes through a pipe without the bytes of another process in between (`PIPE_BUF`). */
const ATOMIC_BYTES = 4096;
const LINE_FEED = 10;

/** Bytes in pieces that end with a line and are written in one go; a longer line is a piece of its own. */
function* wholeLines(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    let end = bytes.lastIndexOf(LINE_FEED, at + ATOMIC_BYTES - 1) + 1;
    if (end <= at) end = bytes.indexOf(LINE_FEED, at) + 1;
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** Writes all bytes; those of a descriptor that is closed are lost. */
async function writeBytes(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { count, code } = await writeSome(descriptor, bytes.subarray(at));
    at += count;
    if (code === 'EAGAIN') await Bun.sleep(RETRY_MS);
    else if (code !== undefined) return;
  }
}

function writeSome(descriptor: number, bytes: Uint8Array): Promise<{ count: number; code?: string }> {
  return new Promise(resolve => {
    write(descriptor, bytes, (error, count) => {
      if (error === null) resolve({ count });
      else resolve({ count: 0, code: error.code ?? 'EIO' });
    });
  });
}
