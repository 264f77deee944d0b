import { setImmediate as yieldToRequests } from 'node:timers/promises';

/** Larger bodies are streamed: to copy 8 MB into a response and from there to a socket takes up to 9 ms of a turn. */
const MAX_BYTES_AT_ONCE = 262_144;
/** How much of a stream is written before other requests get a turn. */
const CHUNK_BYTES = 65_536;

/** The body of the bytes of some parts: a stream of chunks if it is large, which ends early when the client disconnects. */
export function slicedBody(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const isSmall = totalBytes(parts) <= MAX_BYTES_AT_ONCE;
  return isSmall ? Buffer.concat(parts) : streamOf(chunksOf(parts));
}

/** How many bytes some parts have together. */
export function totalBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Yields the bytes of some parts in chunks of one size, but for the last. */
function* chunksOf(parts: readonly Uint8Array[]): Generator<Uint8Array, void> {
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let filled = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + CHUNK_BYTES - filled);
      chunk.set(piece, filled);
      at += piece.length;
      filled += piece.length;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES); // the stream still has the other
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** A stream that is pulled as fast as the client reads. */
function streamOf(chunks: Generator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        await yieldToRequests();
        const { done, value } = chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}
