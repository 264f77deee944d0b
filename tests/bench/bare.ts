/**
 * The limits of the framework and the runtime: `bare.ts KIND 'N URL' …` serves the bytes and headers of each URL at
 * `/N` and its path, with a new request id for each response except in `static`. `elysia` is a bare Elysia server, `encoding`
 * one that parses the query and encodes the body for each request, `serve` bare `Bun.serve` with a function for each route,
 * `static` `Bun.serve` with a prepared response for each. Prints where it listens.
 */
import { Elysia } from 'elysia';
import { prepareResponses } from './prepared_responses.ts';

const [kind, ...targets] = process.argv.slice(2);
const isElysia = kind === 'elysia' || kind === 'encoding';
const app = new Elysia();
const routes: Record<string, Response | (() => Response)> = {};
for (const { path, text, headers } of await prepareResponses(targets)) {
  // One Headers object for all responses is fastest: a Response copies its headers.
  const respondWith = (body: string) => {
    headers.set('X-Request-Id', crypto.randomUUID());
    return new Response(body, { headers });
  };
  const respond = () => respondWith(text);
  const payload: unknown = kind === 'encoding' ? JSON.parse(text) : null;
  // Elysia parses the query only for handlers that use it.
  const encode = ({ query }: { query: object }) =>
    respondWith(JSON.stringify('sign' in query ? null : payload));
  app.get(path, kind === 'encoding' ? encode : respond);
  routes[path] = kind === 'static' ? respond() : respond;
}
const address = { hostname: '127.0.0.1', port: 0, development: false } as const;
const server = isElysia ? Bun.serve({ ...address, fetch: app.fetch }) : Bun.serve({ ...address, routes });
console.log(`listening on ${server.url.origin}`);
