import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { messageOf } from '../common/errors.ts';
import type { MetricSource } from '../http/traffic.ts';
import type { EventLog } from './log.ts';
import { metric } from './metrics.ts';

/** How many descriptors a server should be allowed, since each connection takes one: see `meridian help limits`. */
const RECOMMENDED = 8192;

const CHECK_MS = 1000;
const REPORT_MS = 60_000;

/** How many descriptors this process may have; null if that is unknown: elsewhere than on Linux, and when none is free. */
function maxDescriptors(): number | null {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/** Warns if this process may have fewer descriptors than recommended. */
export function checkDescriptorLimit(log: EventLog): void {
  const limit = maxDescriptors();
  if (limit !== null && limit < RECOMMENDED)
    log.warn('few file descriptors: each connection takes one', { limit, recommended: RECOMMENDED });
}

/** The open descriptors of this process, and how many it may have. */
export function descriptorMetrics(): MetricSource {
  let max = maxDescriptors();
  return () => {
    max = maxDescriptors() ?? max;
    let open = max;
    try {
      open = max && readdirSync('/proc/self/fd').length - 1; // one is that of the listing
    } catch {
      // None is free.
    }
    return [metric('process_open_fds', open), metric('process_max_fds', max)];
  };
}

/**
 * Logs, at most once in `reportMs`, that no descriptor is free: the runtime does not report it, and new connections wait.
 * Returns a function that ends this.
 */
export function watchDescriptors(
  log: EventLog,
  { take = takeDescriptor, checkMs = CHECK_MS, reportMs = REPORT_MS } = {},
): () => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    try {
      take();
    } catch (error) {
      if (nowMs - reportedMs < reportMs) return;
      reportedMs = nowMs;
      log.error('out of file descriptors; new connections wait', { error: messageOf(error) });
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Throws `EMFILE`, or `ENFILE` if the system has none, if no descriptor is free. */
function takeDescriptor(): void {
  closeSync(openSync(devNull, 'r'));
}
