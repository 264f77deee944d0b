import { hash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ConnectionFailure } from '../access/redis/redis_connection.ts';
import { parseValue, type RedisHash, revisionOf } from '../access/redis/redis_hash.ts';
import type { RedisStore, RunShared } from '../access/redis/redis_store.ts';
import { type CopyFile, ValueCache, type ValueKind } from '../access/redis/value_cache_file.ts';
import { messageOf } from '../common/errors.ts';
import type { Snapshot } from '../http/snapshot.ts';
import {
  FleetKeyStore,
  readSharedKey,
  type SharedKeyAt,
  type SharedKeyStore,
  type SharedKeys,
  type SigningKeyChange,
} from '../signing/fleet_key_store.ts';
import type { KeyDirectory } from '../signing/key_directory.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { BUILD } from './build_info.ts';
import { dataReleases } from './data_sets.ts';
import { type EventLog, fieldsOfError } from './log.ts';
import { RedisMachines } from './redis_machines.ts';
import { repeatedly } from './repeatedly.ts';

/** The Redis that a server shares with other machines. */
export interface SharedRedis {
  readonly store: RedisStore;
  readonly run: RunShared;
}

/** The values of `meridian:signing-keys`. */
const SIGNING_KEYS: ValueKind<SharedKeyAt> = {
  what: 'signing keys',
  parse: value => ({ key: readSharedKey(parseValue(value)), revision: revisionOf(value) }),
};

/** The signing keys of this machine and of all machines that share its Redis. */
export function fleetKeyStore(
  directory: KeyDirectory,
  hash: RedisHash,
  copy: CopyFile | null,
  report: (message: string) => void,
): FleetKeyStore {
  const shared = new RedisKeys(hash, copy, report);
  return new FleetKeyStore(directory, { shared, epochMs: Date.now, seed: () => randomBytes(32), report });
}

/** The cached signing keys of all machines in Redis, with a copy for starting without Redis. Other failures are reported once. */
export class RedisKeys implements SharedKeyStore {
  readonly #hash: RedisHash;
  readonly #cache: ValueCache<SharedKeyAt>;
  readonly #report: (message: string) => void;
  #problem: string | undefined;

  constructor(hash: RedisHash, copy: CopyFile | null, report: (message: string) => void) {
    this.#hash = hash;
    this.#cache = new ValueCache(SIGNING_KEYS, copy);
    this.#report = report;
  }

  async read(): Promise<SharedKeys> {
    await this.#unlessAway(async () => {
      await this.#cache.poll(this.#hash);
      if (this.#cache.copyError !== undefined) throw new Error(this.#cache.copyError);
    });
    return this.#cache.read();
  }

  async change(changes: readonly SigningKeyChange[]): Promise<'done' | 'conflict' | 'away'> {
    const replacements = changes.map(({ name, revision, key }) => ({
      name,
      revision,
      value: JSON.stringify(key),
    }));
    const isDone = await this.#unlessAway(() => this.#hash.replace(...replacements));
    if (isDone === undefined) return 'away';
    return isDone ? 'done' : 'conflict';
  }

  async #unlessAway<Value>(command: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await command();
      this.#problem = undefined;
      return value;
    } catch (error) {
      const problem = `Signing keys in Redis: ${messageOf(error)}`;
      // A lost connection is reported by access control.
      if (!(error instanceof ConnectionFailure) && problem !== this.#problem) this.#report(problem);
      this.#problem = problem;
      return undefined;
    }
  }
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
interface Revisions {
  readonly api_keys: string;
  readonly plans: string;
}

/** How often to check for changes, and how often to report without one. */
const CHECK_MS = 1000;
const REPORT_MS = 5000;

/** Reports this machine in Redis until `stop`, every five seconds and after changes. */
export function startHeartbeat(
  { store, run }: SharedRedis,
  server: {
    readonly snapshot: () => Snapshot;
    readonly signing: SigningKeys;
    readonly revisions: () => Revisions;
    readonly stateDirectory: string;
    readonly workers: number;
  },
  log: EventLog,
) {
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
  let reported = '';
  let reportedMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  async function check(): Promise<void> {
    const { active, published } = server.signing.current;
    const publicKeys = published.map(({ kid, x }) => `${kid} ${x}`).sort();
    const report: MachineReport = {
      ...fixed,
      ...server.revisions(),
      data: dataOf(server.snapshot()),
      signs_with: active?.kid ?? null,
      public_keys: shortHash(publicKeys.join('\n')),
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
      if (!(error instanceof ConnectionFailure) && !isFailing)
        log.error('cannot report this machine in Redis', fieldsOfError(error));
      isFailing = true;
    }
  }

  void checkSafely();
  const stopChecking = repeatedly(() => CHECK_MS, checkSafely);
  return {
    /** Removes the report, unless a successor has already replaced it: that reports under the same name. */
    async stop(): Promise<void> {
      await stopChecking();
      await machines.leave(machine, `"pid":${process.pid},`).catch(() => {}); // it expires anyway
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

/** A machine as seen by others. */
export interface Machine extends MachineReport {
  readonly clock_ahead_ms: number;
}

/** A difference between machines: the values, and the machines that have each of them. */
export interface Disagreement {
  readonly what: string;
  readonly values: readonly { readonly value: string; readonly machines: readonly string[] }[];
}

/** The maximum difference between a clock and Redis's, in milliseconds: a larger one would affect key expiry. */
const CLOCK_TOLERANCE_MS = 1000;

/** All differences between machines, or from Redis: `present` are its revisions. */
export function disagreements(machines: readonly Machine[], present: Revisions): Disagreement[] {
  const groupsOf = (what: string, read: (machine: Machine) => string | null): Disagreement => {
    const groups = [...Map.groupBy(machines, read)];
    const values = groups.flatMap(([value, having]) =>
      value === null ? [] : [{ value, machines: having.map(nameOf) }],
    );
    return { what, values };
  };
  const sets = new Set(machines.flatMap(({ data }) => Object.keys(data)));
  const outdated = (name: keyof Revisions) => (machine: Machine) =>
    machine[name] === present[name] ? null : `of ${machine[name] || 'never'}`;
  const skewed = ({ clock_ahead_ms: aheadMs }: Machine) =>
    Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS ? null : clockText(aheadMs);
  const among = [
    groupsOf('version', ({ version }) => version),
    ...[...sets].map(set => groupsOf(set, ({ data }) => data[set] ?? 'none')),
    groupsOf('public keys', ({ public_keys }) => public_keys),
  ];
  // These matter even if all machines agree.
  const fromRedis = [
    groupsOf('API keys', outdated('api_keys')),
    groupsOf('plans', outdated('plans')),
    groupsOf('clock', skewed),
  ];
  return [
    ...among.filter(({ values }) => values.length > 1),
    ...fromRedis.filter(({ values }) => values.length > 0),
  ];
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
