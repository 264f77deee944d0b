import { SHARED_KEYS, SHARED_PLANS } from '../access/redis/redis_key_store.ts';
import { RedisStore } from '../access/redis/redis_store.ts';
import { messageOf, quoted, visible } from '../common/errors.ts';
import { ValueCache } from '../redis/value_cache_file.ts';
import { SIGNING_KEYS } from './redis_keys.ts';

/** Longer than a busy Redis takes. */
const SILENCE_MS = 2000;

/** The state of a server's Redis for `check`, `doctor` and `fleet status`; the members are those of the latter's JSON. */
export async function redisReport(url: string) {
  const redis = new RedisStore(url, SILENCE_MS);
  const problems = new Set<string>(); // several commands may have the same
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      return true;
    } catch (error) {
      problems.add(messageOf(error));
      return false;
    }
  };
  async function read<Item>(name: string, kind: ConstructorParameters<typeof ValueCache<Item>>[0]) {
    const cache = new ValueCache(kind, null);
    await attempt(() => cache.poll(redis.hash(name)));
    for (const [value, reason] of cache.unreadable)
      problems.add(`the value of ${quoted(visible(value))} in meridian:${name} cannot be read: ${reason}`);
    return cache;
  }

  let keys: Awaited<ReturnType<typeof read<{ readonly removedMs: number | null }>>> | undefined;
  if (await attempt(() => redis.connect())) {
    await attempt(() => redis.probe());
    keys = await read('keys', SHARED_KEYS);
    await read('plans', SHARED_PLANS);
    await read('signing-keys', SIGNING_KEYS);
  }
  redis.close();
  const present = [...(keys?.read().values() ?? [])].filter(({ removedMs }) => removedMs === null);
  return {
    keys: present.length,
    /** Whether there is, or was, a key; null if that is unknown. */
    has_held_keys: keys?.isFilled ?? null,
    problems: [...problems],
  };
}
