import { readFile } from 'node:fs/promises';
import type { DependencyStatus } from '../../http/snapshot.ts';
import type { MetricFamily } from '../../http/traffic.ts';
import { outputOf, ownCommand, repeatedly, startProgram } from '../lifecycle.ts';
import type { EventLog } from '../log.ts';
import { metric } from '../metrics.ts';
import type { CanaryReport } from './canary.ts';

/** The maximum delay of the first pull after startup. */
const MAX_FIRST_DELAY_MS = 600_000;
/** Each pause is 75 to 125 % of the interval at random, to spread the pulls of a fleet. */
const JITTER = 0.5;

/** The pause before the next pull, in milliseconds. `random` is from 0 to 1. */
export function pauseMs(intervalMs: number, isFirst: boolean, random: number): number {
  if (isFirst) return random * Math.min(intervalMs, MAX_FIRST_DELAY_MS);
  return intervalMs * (1 - JITTER / 2 + JITTER * random);
}

/**
 * Periodically installs newer bundles from a URL, with `meridian data install` in a separate process. A failed pull is a
 * warning, never an outage. Servers detect the installation by polling the store.
 */
export class Pulls {
  readonly #command: readonly string[];
  readonly #log: EventLog;
  readonly #stop: () => Promise<void>;
  #child: ReturnType<typeof startProgram> | undefined;
  #isStopped = false;
  #hasFailed = false;
  #succeededMs: number | null = null;

  /** `flags` are flags for `data install`. */
  constructor(url: string, intervalMs: number, flags: readonly string[], log: EventLog) {
    this.#command = ownCommand(['data', 'install', url, '--if-newer', ...flags]);
    this.#log = log;
    const pause = () => pauseMs(intervalMs, this.#child === undefined, Math.random());
    this.#stop = repeatedly(pause, () => this.#pull());
  }

  stop(): void {
    this.#isStopped = true;
    void this.#stop();
    this.#child?.kill();
  }

  /** The line in `/readyz` about a failed pull; the log has the reason. */
  status(): readonly DependencyStatus[] {
    if (!this.#hasFailed) return [];
    return [{ name: 'pull', state: 'warning', detail: 'the last data pull failed; the data in use remains' }];
  }

  readonly metrics = (): MetricFamily[] => [
    metric('meridian_data_pull_failed', this.#hasFailed),
    metric('meridian_data_pull_success_timestamp_seconds', this.#succeededMs && this.#succeededMs / 1000),
  ];

  async #pull(): Promise<void> {
    const child = startProgram(this.#command, { env: { ...process.env, NOTIFY_SOCKET: undefined } });
    this.#child = child;
    const { stdout, stderr } = await outputOf(child);
    if (this.#isStopped) return;
    this.#hasFailed = child.exitCode !== 0;
    if (this.#hasFailed) {
      this.#log.warn('data could not be pulled; the data in use remains', { error: reasonIn(stderr) });
    } else {
      this.#succeededMs = Date.now();
      this.#log.info('data pulled', { result: stdout.split('\n')[0]! });
    }
  }
}

/** Limit for anonymous memory; the mapped executable is shared. A bundle with boundaries takes about 110 MB. */
const MAX_MEMORY_BYTES = 200e6;
const MEMORY_CHECK_MS = 20;
const TIMEOUT_MS = 300_000;

/**
 * Tests a bundle with `meridian data verify` in a separate process, which is killed if it takes too much memory or time.
 * `flags` are the flags of the data in use. Rejects with the reason if the bundle must not be used.
 */
export async function tryInProcess(path: string, flags: readonly string[]): Promise<CanaryReport> {
  const command = ownCommand(['data', 'verify', path, '--json', ...flags]);
  const child = startProgram(command, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
  let hasExceeded = false;
  const watch = setInterval(async () => {
    if ((await anonymousBytes(child.pid)) <= MAX_MEMORY_BYTES) return;
    hasExceeded = true;
    child.kill('SIGKILL');
  }, MEMORY_CHECK_MS);
  try {
    const { stdout, stderr } = await outputOf(child);
    if (hasExceeded) throw new Error(`its data takes more than ${MAX_MEMORY_BYTES / 1e6} MB of memory`);
    if (child.signalCode !== null) throw new Error(`its trial ended with ${child.signalCode}`);
    if (child.exitCode !== 0) throw new Error(reasonIn(stderr));
    return JSON.parse(stdout) as CanaryReport;
  } finally {
    clearInterval(watch);
  }
}

/** The last error that a command printed. */
function reasonIn(stderr: string): string {
  const [last = ''] = stderr.trimEnd().split('\n').slice(-1);
  return last.replace(/^(?:<\d>)?meridian: /, '') || 'its trial failed without a message';
}

/** Resident anonymous memory; 0 if the system does not report it. */
async function anonymousBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
