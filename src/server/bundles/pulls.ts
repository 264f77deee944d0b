import { messageOf } from '../../common/errors.ts';
import type { DependencyStatus } from '../../http/snapshot.ts';
import type { MetricFamily } from '../../http/traffic.ts';
import type { EventLog } from '../log.ts';
import { metric } from '../metrics.ts';
import { lastError, outputOf, ownCommand, startProgram } from '../programs.ts';
import { repeatedly } from '../repeatedly.ts';

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
    let pulls = 0;
    const pause = () => pauseMs(intervalMs, pulls++ === 0, Math.random());
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

  /** Never rejects: a pull that cannot even be started has failed, and the next one may succeed. */
  async #pull(): Promise<void> {
    try {
      this.#child = startProgram(this.#command, { env: { ...process.env, NOTIFY_SOCKET: undefined } });
      const { stdout, stderr } = await outputOf(this.#child);
      if (this.#isStopped) return;
      if (this.#child.exitCode !== 0) throw new Error(lastError(stderr));
      this.#hasFailed = false;
      this.#succeededMs = Date.now();
      this.#log.info('data pulled', { result: stdout.split('\n')[0]! });
    } catch (error) {
      this.#hasFailed = true;
      this.#log.warn('data could not be pulled; the data in use remains', { error: messageOf(error) });
    }
  }
}
