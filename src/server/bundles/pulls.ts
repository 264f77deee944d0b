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
 * warning, never an outage. Servers detect the installation by polling the store. `flags` are flags for `data install`.
 */
export function startPulls(url: string, intervalMs: number, flags: readonly string[], log: EventLog) {
  const command = ownCommand(['data', 'install', '--if-newer', ...flags]);
  // In the environment, since every user can see arguments, and a URL may have a password.
  const env = { ...process.env, MERIDIAN_DATA_URL: url, NOTIFY_SOCKET: undefined };
  let child: ReturnType<typeof startProgram> | undefined;
  let pulls = 0;
  let isStopped = false;
  let hasFailed = false;
  let succeededMs: number | null = null;

  /** Never rejects: a pull that cannot even be started has failed, and the next one may succeed. */
  async function pull(): Promise<void> {
    try {
      child = startProgram(command, { env });
      const { stdout, stderr } = await outputOf(child);
      if (isStopped) return;
      if (child.exitCode !== 0) throw new Error(lastError(stderr));
      hasFailed = false;
      succeededMs = Date.now();
      log.info('data pulled', { result: stdout.split('\n')[0]! });
    } catch (error) {
      hasFailed = true;
      log.warn('data could not be pulled; the data in use remains', { error: messageOf(error) });
    }
  }

  const stopPulling = repeatedly(() => pauseMs(intervalMs, pulls++ === 0, Math.random()), pull);
  return {
    stop(): void {
      isStopped = true;
      void stopPulling();
      child?.kill();
    },
    /** The line in `/readyz` about a failed pull; the log has the reason. */
    status(): readonly DependencyStatus[] {
      const detail = 'the last data pull failed; the data in use remains';
      return hasFailed ? [{ name: 'pull', state: 'warning', detail }] : [];
    },
    metrics: (): MetricFamily[] => [
      metric('meridian_data_pull_failed', hasFailed),
      metric('meridian_data_pull_success_timestamp_seconds', succeededMs && succeededMs / 1000),
    ],
  };
}
