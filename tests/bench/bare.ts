/**
 * What the framework can do at most: a bare Elysia server whose routes answer with the very bytes and headers of the
 * URLs in its arguments, and a request id of their own. The Nth URL's path is at `/N/…`. Prints where it listens.
 */
import { Elysia } from 'elysia';

const app = new Elysia();
for (const [index, url] of process.argv.slice(2).entries()) {
  const response = await fetch(url);
  const text = await response.text();
  const headers = new Headers(response.headers);
  for (const name of ['date', 'content-length']) headers.delete(name); // Bun writes them itself
  // One Headers object for all answers is the fastest way there is: a Response copies what it is given.
  app.get(`/${index}${new URL(url).pathname}`, () => {
    headers.set('X-Request-Id', crypto.randomUUID());
    return new Response(text, { headers });
  });
}
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
console.log(`listening on ${server.url.origin}`);
