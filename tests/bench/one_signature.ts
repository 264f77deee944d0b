/**
 * The minimum cost of a signed response: the service's own routes, unsigned, plus one discarded native signature per request
 * over as many bytes as an envelope has. Measured in a server, since a signature takes longer under load than in a tight loop.
 * Prints where it listens.
 */
import { sign } from 'node:crypto';
import { createApp } from '../../src/server/app.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

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
