/** Serves the operations of the service with minimal overhead; `validating` validates queries. Prints where it listens. */
import { computingApp } from './computing_app.ts';

const app = await computingApp(Date.now, { validates: process.argv[2] === 'validating' });
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
console.log(`listening on ${server.url.origin}`);
