/**
 * The minimum cost of a response with a signature of its own: the service's own routes, unsigned, and one native
 * signature a request of as many bytes as an envelope has, which is thrown away. Measured as a server, since under load a
 * signature takes longer than in a loop of nothing else. Prints where it listens.
 */
import { sign } from 'node:crypto';
import { createApp } from '../../src/server/app.ts';
import { testServer } from '../http/service.ts';
import { sampleKey } from '../signing/sample_keys.ts';

const ENVELOPE = Buffer.alloc(230, 'x');
const { privateKey } = sampleKey(1);
const app = createApp({ ...testServer(), now: Date.now });
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  fetch(request) {
    sign(null, ENVELOPE, privateKey);
    return app.handle(request);
  },
});
console.log(`listening on ${server.url.origin}`);
