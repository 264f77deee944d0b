import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { RedisMachines } from '../../access/redis/redis_machines.ts';
import { ConnectionFailure } from '../../access/redis/store_errors.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { KeySet, SigningKeys } from '../../signing/key_set.ts';
import { BUILD } from '../build_info.ts';
import { dataReleases } from '../data_sets/data_sets.ts';
import { type EventLog, fieldsOfError } from '../event_log.ts';
import type { SharedRedis } from '../signing_keys.ts';
import type { MachineReport, Revisions } from './machine_report.ts';

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
  readonly sharesSigningKeys: boolean;
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
    shares_signing_keys: server.sharesSigningKeys,
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
