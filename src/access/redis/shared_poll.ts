import { messageOf } from '../../common/errors.ts';
import { ConnectionFailure } from '../../redis/redis_connection.ts';
import type { Problems } from '../problems.ts';
import type { SharedAccess } from './redis_key_store.ts';
import type { WatchedStore } from './watched_store.ts';

/** Applies changes to the cached keys and plans, and reports failures; polling needs no second connection and misses nothing after an outage. */
export async function pollShared(
  access: SharedAccess,
  store: WatchedStore,
  problems: Problems,
): Promise<void> {
  async function poll(name: 'keys' | 'plans'): Promise<void> {
    const cache = access[name];
    const topic = `shared_${name}` as const;
    try {
      await cache.poll(access.store.hash(name, command => store.run(command)));
      problems.solve(topic, `The ${cache.what} in Redis can be read and copied again`);
    } catch (error) {
      // A lost connection is reported by the store.
      if (error instanceof ConnectionFailure) return;
      const what = cache.what[0]!.toUpperCase() + cache.what.slice(1);
      problems.fail(topic, `${what} in Redis: ${messageOf(error)}`);
    }
  }

  await Promise.all([poll('keys'), poll('plans')]);
}
