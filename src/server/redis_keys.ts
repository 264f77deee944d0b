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
const SIGNING_KEYS: ValueKind<FleetKeyAt> = {
  what: 'signing keys',
  parse: value => ({ key: readFleetKey(parseValue(value)), revision: revisionOf(value) }),
};

/** The signing keys of this machine and of all machines that share its Redis. */
export function fleetKeyStore(
  directory: KeyDirectory,
  hash: RedisHash,
  copy: CopyFile | null,
  report: (message: string) => void,
): FleetKeyStore {
  const shared = redisKeys(hash, copy, report);
  return new FleetKeyStore(directory, { shared, epochMs: Date.now, seed: () => randomBytes(32), report });
}

/** The cached signing keys of all machines in Redis, with a copy for starting without Redis. Other failures are reported once. */
export function redisKeys(
  hash: RedisHash,
  copy: CopyFile | null,
  report: (message: string) => void,
): FleetKeyTable {
  const cache = new ValueCache(SIGNING_KEYS, copy);
  const problems = new ProblemLog<'read' | 'change'>((_, message) => report(message));

  return {
    async read() {
      await runReported(problems, 'read', 'Signing keys', () => cache.poll(hash));
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
