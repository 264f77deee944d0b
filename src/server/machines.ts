import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { ConnectionFailure } from '../access/redis/redis_connection.ts';
import { RedisMachines } from '../access/redis/redis_machines.ts';
import type { Snapshot } from '../http/snapshot.ts';
import type { KeySet, SigningKeys } from '../signing/key_set.ts';
import { BUILD } from './build_info.ts';
import { dataReleases } from './data_sets.ts';
import { type EventLog, fieldsOfError } from './log.ts';
import type { SharedRedis } from './signing_keys.ts';

/** How often to check for changes, and how often to report without one. */
const CHECK_MS = 1000;
const REPORT_MS = 5000;

/** The reported parts of a server. */
export interface ReportedServer {
  readonly snapshot: () => Snapshot;
  readonly signing: SigningKeys;
  readonly revisions: () => Revisions;
  readonly stateDirectory: string;
  readonly workers: number;
}

/** Reports this machine in Redis until `stop`, every five seconds and after changes. */
export function startHeartbeat({ store, run }: SharedRedis, server: ReportedServer, log: EventLog) {
  const machines = new RedisMachines<MachineReport>((script, keys, args) =>
    run(() => store.execute(script, keys, args)),
  );
  const machine = shortHash(`${hostname()} ${server.stateDirectory}`);
  const fixed = {
    machine,
    host: hostname(),
    version: `${BUILD.version} (${BUILD.commit})`,
    pid: process.pid,
    started: new Date().toISOString(),
    workers: server.workers,
  };
  const publicKeys = digestOfKeys();
  let reported = '';
  let reportedMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  async function check(): Promise<void> {
    const { current } = server.signing;
    const report: MachineReport = {
      ...fixed,
      ...server.revisions(),
      data: dataOf(server.snapshot()),
      signs_with: current.active?.kid ?? null,
      public_keys: publicKeys(current),
    };
    const text = JSON.stringify(report);
    if (text === reported && performance.now() - reportedMs < REPORT_MS) return;
    await machines.report(machine, text, Date.now());
    reported = text;
    reportedMs = performance.now();
  }

  async function checkSafely(): Promise<void> {
    try {
      await check();
      isFailing = false;
    } catch (error) {
      // A lost connection is reported by access control.
      if (!(error instanceof ConnectionFailure) && !isFailing) {
        log.error('cannot report this machine in Redis', fieldsOfError(error));
      }
      isFailing = true;
    }
  }

  let checking = checkSafely();
  const timer = setInterval(() => {
    checking = checking.then(checkSafely);
  }, CHECK_MS);
  return {
    /** Removes the report, unless a successor has already replaced it: that reports under the same name. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await checking;
      await machines.leave(machine, `"pid":${process.pid},`).catch(() => {}); // it expires anyway
    },
  };
}

/** A digest of the published keys, recomputed when the set is replaced. */
function digestOfKeys(): (keys: KeySet) => string {
  let latest: { readonly keys: KeySet; readonly digest: string } | undefined;
  return keys => {
    if (latest?.keys !== keys) {
      const names = keys.published.map(({ kid, x }) => `${kid} ${x}`).sort();
      latest = { keys, digest: shortHash(names.join('\n')) };
    }
    return latest.digest;
  };
}

function dataOf(snapshot: Snapshot): Readonly<Record<string, string>> {
  const files = Object.entries(snapshot.digests).map(([set, digest]) => [`${set} file`, digest.slice(0, 12)]);
  return { ...dataReleases(snapshot), ...Object.fromEntries(files) };
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 8);
}

/** A machine's report about itself: members of `meridian fleet status --json`. */
export interface MachineReport {
  /** Identifies its state directory. */
  readonly machine: string;
  readonly host: string;
  readonly version: string;
  readonly pid: number;
  readonly started: string;
  readonly workers: number;
  /** The releases of data sets, and the digests of the operator's files that replace or extend them. */
  readonly data: Readonly<Record<string, string>>;
  /** The revisions of the keys and plans that it has from Redis. */
  readonly api_keys: string;
  readonly plans: string;
  /** The `kid` of the key that it signs with. */
  readonly signs_with: string | null;
  /** A digest of the public keys that it publishes. */
  readonly public_keys: string;
}

/** A machine as seen by others. */
export interface Machine extends MachineReport {
  readonly clock_ahead_ms: number;
}

/** A difference between machines: the values, and the machines that have each of them. */
export interface Disagreement {
  readonly what: string;
  readonly values: readonly { readonly value: string; readonly machines: readonly string[] }[];
}

/** The revisions in Redis. */
export interface Revisions {
  readonly api_keys: string;
  readonly plans: string;
}

/** The maximum difference between a clock and Redis's, in milliseconds: a larger one would affect key expiry. */
const CLOCK_TOLERANCE_MS = 1000;

/** All differences between machines, or from Redis. */
export function disagreements(machines: readonly Machine[], present: Revisions): Disagreement[] {
  const sets = new Set(machines.flatMap(({ data }) => Object.keys(data)));
  const isPresent = (name: keyof Revisions) => (machine: Machine) =>
    machine[name] === present[name] ? 'up to date' : `of ${machine[name] || 'never'}`;
  return [
    difference('version', machines, ({ version }) => version),
    ...[...sets].map(set => difference(set, machines, ({ data }) => data[set] ?? 'none')),
    outdated('API keys', machines, isPresent('api_keys')),
    outdated('plans', machines, isPresent('plans')),
    difference('public keys', machines, ({ public_keys }) => public_keys),
    outdated('clock', machines, ({ clock_ahead_ms }) =>
      Math.abs(clock_ahead_ms) <= CLOCK_TOLERANCE_MS ? 'up to date' : clockText(clock_ahead_ms),
    ),
  ].filter(found => found !== null);
}

function difference(
  what: string,
  machines: readonly Machine[],
  read: (machine: Machine) => string,
): Disagreement | null {
  const groups = [...Map.groupBy(machines, read)];
  if (groups.length < 2) return null;
  return { what, values: groups.map(([value, having]) => ({ value, machines: having.map(nameOf) })) };
}

/** A difference between machines and Redis, which matters even if all machines agree. */
function outdated(
  what: string,
  machines: readonly Machine[],
  read: (machine: Machine) => string,
): Disagreement | null {
  const wrong = machines.filter(machine => read(machine) !== 'up to date');
  if (wrong.length === 0) return null;
  const groups = [...Map.groupBy(wrong, read)];
  return { what, values: groups.map(([value, having]) => ({ value, machines: having.map(nameOf) })) };
}

/** The display name of a machine, since several may run on one host. */
export function nameOf({ host, machine }: MachineReport): string {
  return `${host}/${machine}`;
}

/** How far a clock is from Redis's. */
export function clockText(aheadMs: number): string {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  return aheadMs < 0 ? `${seconds} s behind` : `${seconds} s ahead`;
}
