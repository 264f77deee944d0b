import { nextTurn } from '../common/promises.ts';
import { Slices } from './slices.ts';

/** Larger bodies are streamed: copying 8 MB into a response and from there to a socket blocks the event loop for up to 9 ms. */
export const MAX_BYTES_AT_ONCE = 262_144;
/** How much of a stream is written before other requests get a turn. */
const CHUNK_BYTES = 65_536;

/** Writes text as UTF-8 into chunks: thousands of buffers would take the garbage collector longer than a hundred. */
export class ChunkWriter {
  readonly #full: Uint8Array[] = [];
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #filled = 0;

  write(text: string): void {
    for (let rest = text; ; ) {
      const { read, written } = UTF8.encodeInto(rest, this.#chunk.subarray(this.#filled));
      this.#filled += written;
      if (read === rest.length) return;
      rest = rest.slice(read);
      this.#full.push(this.#chunk.subarray(0, this.#filled)); // up to 3 bytes shorter if a character does not fit
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      this.#filled = 0;
    }
  }

  /** All that was written. */
  chunks(): readonly Uint8Array[] {
    return [...this.#full, this.#chunk.subarray(0, this.#filled)];
  }
}

const UTF8 = new TextEncoder();

/** A body consisting of parts. If it is large, it is a stream of chunks, which ends early when the client disconnects. */
export function slicedBody(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (totalBytes(parts) <= MAX_BYTES_AT_ONCE) return Buffer.concat(parts);
  return streamOf(chunksOf(parts));
}

/** A body in pieces; other requests are served in between. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/**
 * A body made of pieces. A long one is a stream, which is written as fast as the client reads and ends early if the client
 * disconnects. Rejects if one of the first pieces does; a later error is reported and closes the connection, so that clients notice
 * that the body is incomplete.
 */
export async function piecewiseBody(
  pieces: Pieces,
  report: (error: unknown) => void,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const chunks = textChunksOf(pieces);
  const ready = [await chunks.next(), await chunks.next()];
  if (ready[1]!.done) return ready[0]!.value ?? new Uint8Array();
  const next = async () => ready.shift() ?? (await chunks.next());
  return streamOf({ next, return: () => chunks.return() }, report);
}

async function* textChunksOf(pieces: Pieces): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const slices = new Slices();
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (slices.isOver) await slices.next();
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The total size of parts, in bytes. */
export function totalBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Yields parts in chunks of at most {@link CHUNK_BYTES}. */
function* chunksOf(parts: readonly Uint8Array[]): Generator<Uint8Array, void> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += CHUNK_BYTES) yield part.subarray(at, at + CHUNK_BYTES);
  }
}

type Chunks = Generator<Uint8Array, void> | AsyncGenerator<Uint8Array, void>;

/** A stream that is pulled as fast as the client reads. An error is reported and closes the connection. */
function streamOf(
  chunks: Pick<Chunks, 'next' | 'return'>,
  report: (error: unknown) => void = () => {},
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await nextTurn();
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          report(error);
          controller.error(error);
        }
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}
