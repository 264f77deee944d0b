import { RedisMachines } from '../../access/redis/redis_machines.ts';
import type { RedisStore } from '../../access/redis/redis_store.ts';
import { type Machine, type MachineReport, nameOf } from '../../server/machines.ts';

/** The machines that have recently reported, sorted by name. */
export async function listMachines(redis: RedisStore): Promise<Machine[]> {
  const listed = new RedisMachines<MachineReport>((script, keys, args) => redis.execute(script, keys, args));
  const machines = (await listed.list()).map(({ report, clockAheadMs }) => ({
    ...report,
    clock_ahead_ms: clockAheadMs,
  }));
  return machines.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
