import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { ProblemLog } from '../common/problem_log.ts';
import type { Server, Snapshot } from '../http/snapshot.ts';
import { NOW, script } from '../redis/redis_connection.ts';
import type { Execute } from '../redis/redis_hash.ts';
import { type RedisLink, type RunCommand, runReported } from '../redis/redis_link.ts';
import { BUILD } from './build_info.ts';
import { dataReleases } from './data_sets.ts';
import { type EventLog, reporter } from './log.ts';
import { repeatedly } from './repeatedly.ts';

/** The Redis that a server shares with other machines. */
export interface SharedRedis {
  readonly store: RedisLink;
  readonly run: RunCommand;
  /** Those that this machine has. */
  readonly revisions: () => Revisions;
}

/** A machine's report about itself: members of `meridian fleet status --json`. */
export interface MachineReport extends Revisions {
  /** Identifies its state directory. */
  readonly machine: string;
  readonly host: string;
  readonly version: string;
  readonly pid: number;
  readonly started: string;
  readonly workers: number;
  /** The releases of data sets, and the digests of the operator's files that replace or extend them. */
  readonly data: Readonly<Record<string, string>>;
  /** The `kid` of the key that it signs with. */
  readonly signs_with: string | null;
  /** A digest of the public keys that it publishes. */
  readonly public_keys: string;
}

/** The revisions of keys and plans in Redis, or those that a machine has from it. */
export interface Revisions {
  readonly api_keys: string;
  readonly plans: string;
}

/** How long a machine is listed after a report. */
export const LISTED_MS = 15_000;
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

/** The machines that report to Redis. Methods reject like `RedisLink`. */
export function redisMachines(execute: Execute) {
  return {
    /** Stores a report; `text` is its JSON. */
    async report(machine: string, text: string, nowMs: number): Promise<void> {
      await execute(REPORT, [MACHINES_KEY], [machine, text, String(nowMs), String(LISTED_MS)]);
    },
    /** Deletes a machine unless its report no longer contains `part`, since it is then another process's. */
    async leave(machine: string, part: string): Promise<void> {
      await execute(LEAVE, [MACHINES_KEY], [machine, part]);
    },
    /** The reports, and how far each machine's clock was ahead of Redis's, minus the time that its report took to arrive. */
    async list() {
      const values = await execute<string[]>(LIST, [MACHINES_KEY], []);
      return values.map(value => ({
        report: JSON.parse(value.slice(value.indexOf('{'))) as MachineReport,
        clockAheadMs: Number(value.split(' ', 2)[1]),
      }));
    },
  };
}

/** How often to check for changes, and how often to report without one. */
const CHECK_MS = 1000;
const REPORT_MS = 5000;

/** Reports this machine in Redis until `stop`, every five seconds and after changes. */
export function startHeartbeat(
  { store, run, revisions }: SharedRedis,
  server: Pick<Server, 'snapshot' | 'signing'>,
  { stateDirectory, workers }: { readonly stateDirectory: string; readonly workers: number },
  log: EventLog,
) {
  const machines = redisMachines((script, keys, args) => run(() => store.execute(script, keys, args)));
  const machine = shortHash(`${hostname()} ${stateDirectory}`);
  const fixed = {
    machine,
    host: hostname(),
    version: `${BUILD.version} (${BUILD.commit})`,
    pid: process.pid,
    started: new Date().toISOString(),
    workers,
  };
  let [sent, sentMs] = ['', Number.NEGATIVE_INFINITY];
  const problems = new ProblemLog<'report'>(reporter(log));

  async function check(): Promise<void> {
    const { active, published } = server.signing.current;
    const publicKeys = published.map(({ kid, x }) => `${kid} ${x}`).sort();
    const report: MachineReport = {
      ...fixed,
      ...revisions(),
      data: dataOf(server.snapshot()),
      signs_with: active?.kid ?? null,
      public_keys: shortHash(publicKeys.join('\n')),
    };
    const text = JSON.stringify(report);
    if (text === sent && performance.now() - sentMs < REPORT_MS) return;
    const send = async () => {
      await machines.report(machine, text, Date.now());
      [sent, sentMs] = [text, performance.now()];
    };
    const what = 'cannot report this machine';
    await runReported(problems, 'report', what, send, 'this machine is reported in Redis again');
  }

  const checked = check();
  const stopChecking = repeatedly(() => CHECK_MS, check);
  return {
    /** Removes the report, unless a successor has already replaced it: that reports under the same name. */
    async stop(): Promise<void> {
      await Promise.all([checked, stopChecking()]);
      // In restarted containers, process ids recur.
      await machines.leave(machine, `"pid":${fixed.pid},"started":"${fixed.started}",`).catch(() => {}); // it expires anyway
    },
  };
}

function dataOf(snapshot: Snapshot): Readonly<Record<string, string>> {
  const files = Object.entries(snapshot.digests).map(([set, digest]) => [`${set} file`, digest.slice(0, 12)]);
  return { ...dataReleases(snapshot), ...Object.fromEntries(files) };
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
