import { expect, test } from 'bun:test';
import { listen } from '../../src/cli/listener.ts';

/** Answers as routes do: at once, later, and without a body. */
function answer({ url }: Request): Response | Promise<Response> {
  const { pathname } = new URL(url);
  if (pathname === '/304') return new Response(null, { status: 304 });
  const response = new Response('{}', { headers: { 'Content-Type': 'application/json' } });
  return pathname === '/later' ? Promise.resolve(response) : response;
}

test('answers to HEAD say when they were made, as those to GET do', async () => {
  const listener = await listen({ kind: 'tcp', host: '127.0.0.1', port: 0 }, () => answer);
  try {
    for (const path of ['/', '/later', '/304']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await fetch(listener.url + path, { method });
        expect([path, method, headers.get('Date')]).toEqual([
          path,
          method,
          expect.stringMatching(/^[^,]+, [^,]+ GMT$/),
        ]);
      }
    }
  } finally {
    await listener.stop();
  }
});
