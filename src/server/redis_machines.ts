import { NOW, script } from '../access/redis/redis_connection.ts';
import type { Execute } from '../access/redis/redis_hash.ts';

const LISTED_MS = 15_000;
/** A hash of values by machine: `EXPIRY AHEAD JSON`, both milliseconds, the former by Redis's clock. */
const MACHINES_KEY = 'meridian:machines';

const MACHINES = `${NOW}local machines = redis.call('HGETALL', KEYS[1])
`;

/** ARGV: machine, report, its clock, how long it is listed, milliseconds. Deletes machines that are no longer listed. */
const REPORT = script(`${MACHINES}
for i = 1, #machines, 2 do
  if tonumber(string.match(machines[i + 1], '^%d+')) < now then redis.call('HDEL', KEYS[1], machines[i]) end
end
local head = string.format('%.0f %.0f ', now + tonumber(ARGV[4]), tonumber(ARGV[3]) - now)
redis.call('HSET', KEYS[1], ARGV[1], head .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
`);

/** ARGV: machine, a part of its report. Deletes the machine if its report still contains that part. */
const LEAVE = script(`
local report = redis.call('HGET', KEYS[1], ARGV[1])
if report and string.find(report, ARGV[2], 1, true) then redis.call('HDEL', KEYS[1], ARGV[1]) end
`);

const LIST = script(`${MACHINES}
local listed = {}
for i = 1, #machines, 2 do
  if tonumber(string.match(machines[i + 1], '^%d+')) >= now then listed[#listed + 1] = machines[i + 1] end
end
return listed
`);

/** A machine's report, and how far its clock was ahead of Redis's, minus the time that the report took to arrive. */
interface ListedMachine<Report> {
  readonly report: Report;
  readonly clockAheadMs: number;
}

/** The machines that report to Redis. Methods reject like a `SharedStore`. */
export class RedisMachines<Report> {
  readonly #execute: Execute;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  /** Stores a report; `text` is its JSON. */
  async report(machine: string, text: string, nowMs: number): Promise<void> {
    await this.#execute(REPORT, [MACHINES_KEY], [machine, text, String(nowMs), String(LISTED_MS)]);
  }

  /** Deletes a machine unless its report no longer contains `part`, since it is then another process's. */
  async leave(machine: string, part: string): Promise<void> {
    await this.#execute(LEAVE, [MACHINES_KEY], [machine, part]);
  }

  async list(): Promise<ListedMachine<Report>[]> {
    const values = await this.#execute<string[]>(LIST, [MACHINES_KEY], []);
    return values.map(value => ({
      report: JSON.parse(value.slice(value.indexOf('{'))),
      clockAheadMs: Number(value.split(' ', 2)[1]),
    }));
  }
}
