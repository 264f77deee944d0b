/**
 * What the framework can do at most: a bare Elysia server whose routes return constants.
 * Reads from its arguments the URLs whose answers it shall give; prints where it listens.
 */
import { Elysia } from 'elysia';

const app = new Elysia();
for (const url of process.argv.slice(2)) {
  const response = await fetch(url);
  const headers = Object.fromEntries(response.headers);
  const text = await response.text();
  const { pathname } = new URL(url);
  // `/json` is what anyone would write; `/bytes` sends the very bytes of the answer, headers included.
  const constant = headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text;
  app.get(`/json${pathname}`, () => constant);
  app.get(`/bytes${pathname}`, () => new Response(text, { headers }));
}
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
console.log(`meridian listening on ${server.url.origin}`);
