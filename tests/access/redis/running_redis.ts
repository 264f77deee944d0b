import { RedisClient } from 'bun';
import { RedisStore } from '../../../src/access/redis/redis_store.ts';
import { temporaryFolder } from '../folders.ts';
import { RedisServer } from './redis_server.ts';

/** Longer than an overloaded machine takes for a reply. */
const BUDGET_MS = 2000;

/** A running Redis with a store and a client that are connected to it; disposing of it closes all. */
export async function runningRedis(options: ConstructorParameters<typeof RedisServer>[1] = {}) {
  await using started = new AsyncDisposableStack();
  const folder = started.use(temporaryFolder());
  const server = started.use(new RedisServer(folder.path, options));
  await server.start();
  const store = new RedisStore(server.url, BUDGET_MS);
  started.defer(() => store.close());
  await store.connect();
  const client = new RedisClient(server.url);
  started.defer(() => client.close());
  const running = started.move();
  return { server, store, client, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
