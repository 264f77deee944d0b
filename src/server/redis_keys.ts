import { randomBytes } from 'node:crypto';
import { ProblemLog } from '../common/problem_log.ts';
import { parseValue, type RedisHash, revisionOf } from '../redis/redis_hash.ts';
import { runReported } from '../redis/redis_link.ts';
import { type CopyFile, ValueCache, type ValueKind } from '../redis/value_cache_file.ts';
import {
  type FleetKeyAt,
  FleetKeyStore,
  type FleetKeyTable,
  readFleetKey,
} from '../signing/fleet_key_store.ts';
import type { KeyDirectory } from '../signing/key_directory.ts';

/** The values of `meridian:signing-keys`. */
export const SIGNING_KEYS: ValueKind<FleetKeyAt> = {
  what: 'signing keys',
  parse: value => ({ key: readFleetKey(parseValue(value)), revision: revisionOf(value) }),
};

/** The signing keys of this machine and of all machines that share its Redis. */
export function fleetKeyStore(
  directory: KeyDirectory,
  shared: FleetKeyTable,
  report: (message: string) => void,
): FleetKeyStore {
  return new FleetKeyStore(directory, { shared, epochMs: Date.now, seed: () => randomBytes(32), report });
}

/**
 * The cached signing keys of all machines in Redis, with a copy for starting without Redis; null for a command. Other failures are
 * reported once, and by a server also values that cannot be read.
 */
export function redisKeys(
  hash: RedisHash,
  copy: CopyFile | null,
  report: (message: string) => void,
): FleetKeyTable & Pick<ValueCache<FleetKeyAt>, 'unreadable'> {
  const cache = new ValueCache(SIGNING_KEYS, copy);
  const problems = new ProblemLog<'read' | 'change'>((_, message) => report(message));

  return {
    unreadable: cache.unreadable,
    async read() {
      await runReported(problems, 'read', 'Signing keys', async () => {
        await cache.poll(hash);
        if (copy !== null) cache.requireReadable();
      });
      return cache.read();
    },
    async change(changes) {
      const values = changes.map(({ key, ...at }) => ({ ...at, value: JSON.stringify(key) }));
      const isDone = await runReported(problems, 'change', 'Signing keys', () => hash.replace(values));
      if (isDone === undefined) return 'away';
      return isDone ? 'done' : 'conflict';
    },
  };
}
