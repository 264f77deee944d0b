import { expect, test } from 'bun:test';
import { piecewiseBody } from '../../src/api/admin/piecewise_body.ts';

const PIECE = 'é'.repeat(1000);

function* pieces(count: number, failure?: Error): Generator<string> {
  for (let i = 0; i < count; i++) yield PIECE;
  if (failure !== undefined) throw failure;
}

function unexpected(error: unknown): never {
  throw error;
}

test('a short body is sent whole, and a long one as a stream of the same text', async () => {
  for (const [count, isStream] of [
    [0, false],
    [1, false],
    [300, true],
  ] as const) {
    const body = await piecewiseBody(pieces(count), unexpected);
    expect(body instanceof ReadableStream).toBe(isStream);
    expect(await new Response(body).text()).toBe(PIECE.repeat(count));
  }
});

test('an early error rejects, and a late one is reported and aborts the stream', async () => {
  const failure = new Error('the store is gone');
  expect(piecewiseBody(pieces(3, failure), unexpected)).rejects.toThrow('the store is gone');
  const reported: unknown[] = [];
  const body = await piecewiseBody(pieces(300, failure), error => reported.push(error));
  expect(await new Response(body).text().catch(error => error)).toBe(failure);
  expect(reported).toEqual([failure]);
});

test('a disconnecting client stops the work', async () => {
  let isEnded = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield PIECE;
    } finally {
      isEnded = true;
    }
  }
  const body = await piecewiseBody(endless(), unexpected);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  expect(isEnded).toBe(true);
});
