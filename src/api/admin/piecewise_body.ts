import { Slices } from '../slices.ts';
import type { Pieces } from './operation.ts';

/** Longer bodies are streamed in chunks of this length. */
const CHUNK_BYTES = 65_536;

/**
 * A body made of pieces. A long one is a stream, which is written as fast as the client reads and ends early if the client
 * disconnects. Other requests are served between pieces. Rejects if one of the first pieces does; a later error is reported and
 * closes the connection, so that clients notice that the body is incomplete.
 */
export async function piecewiseBody(
  pieces: Pieces,
  report: (error: unknown) => void,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const chunks = chunksOf(pieces);
  const first = await chunks.next();
  if (first.done) return new Uint8Array();
  const second = await chunks.next();
  return second.done ? first.value : streamOf([first.value, second.value], chunks, report);
}

async function* chunksOf(pieces: Pieces): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
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

function streamOf(
  ready: Uint8Array[],
  more: AsyncGenerator<Uint8Array, void>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const chunk = ready.shift() ?? (await more.next()).value;
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        } catch (error) {
          report(error);
          controller.error(error);
        }
      },
      async cancel() {
        await more.return();
      },
    },
    { highWaterMark: 0 },
  );
}
