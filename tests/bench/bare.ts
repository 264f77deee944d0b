/**
 * The limits of the framework, the runtime and signatures: `bare.ts KIND 'N URL' …` starts a server and prints where it listens.
 *
 * - `elysia`, `encoding`, `serve` and `static` serve the bytes and headers of each URL at `/N` and its path, with a new request id
 *   for each response except in `static`: bare Elysia, the same parsing the query and encoding the body for each request, bare
 *   `Bun.serve` with a function for each route, and with a prepared response for each.
 * - `computing` and `validating` serve the operations of the service with minimal overhead, the latter with validated queries.
 * - `signature` serves the service's own routes, unsigned, and discards one native signature per request over as many bytes as an
 *   envelope has: the minimum cost of a signed response, in a server since a signature takes longer under load than in a tight loop.
 */
import { sign } from 'node:crypto';
import { Elysia } from 'elysia';
import { prepareResponses } from './servers.ts';

const [kind = '', ...targets] = process.argv.slice(2);
const address = { hostname: '127.0.0.1', port: 0, development: false } as const;
const server = await started();
console.log(`listening on ${server.url.origin}`);

function started() {
  if (kind === 'signature') return signing();
  return kind === 'computing' || kind === 'validating' ? computing() : replaying();
}

// The service is imported only where it is served, so that a bare server is bare.
async function signing() {
  const { createApp } = await import('../../src/server/app.ts');
  const { testServer } = await import('../support/service.ts');
  const { sampleKey } = await import('../support/signing_keys.ts');
  const envelope = Buffer.alloc(230, 'x');
  const { privateKey } = sampleKey(1);
  const app = createApp({ ...testServer(), now: Date.now });
  return Bun.serve({
    ...address,
    fetch(request) {
      sign(null, envelope, privateKey);
      return app.handle(request);
    },
  });
}

async function computing() {
  const { computingApp } = await import('./computing_app.ts');
  const { fetch } = await computingApp(Date.now, { validates: kind === 'validating' });
  return Bun.serve({ ...address, fetch });
}

async function replaying() {
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
  const isElysia = kind === 'elysia' || kind === 'encoding';
  return isElysia ? Bun.serve({ ...address, fetch: app.fetch }) : Bun.serve({ ...address, routes });
}
