import { runReported } from '../../redis/redis_link.ts';
import type { Problems } from '../problems.ts';
import type { SharedAccess } from './redis_key_store.ts';
import type { WatchedStore } from './watched_store.ts';

/** Applies changes to the cached keys and plans, and reports failures; polling needs no second connection and misses nothing after an outage. */
export async function pollShared(
  access: SharedAccess,
  store: WatchedStore,
  problems: Problems,
): Promise<void> {
  // Plans afterwards, so that a key's plan, which was set before it, is known.
  for (const name of ['keys', 'plans'] as const) {
    const cache = access[name];
    const hash = access.store.hash(name, command => store.run(command));
    const what = `${cache.what[0]!.toUpperCase()}${cache.what.slice(1)}`;
    const poll = async () => {
      await cache.poll(hash);
      cache.requireReadable();
    };
    const solved = `The ${cache.what} in Redis can be read and copied again`;
    await runReported(problems, `shared_${name}`, what, poll, solved);
  }
}
