import type { DataSetManifest } from '../../data/manifest.ts';
import { BUILD } from '../cli/version.ts';
import type { MetricFamily, MetricSource } from '../http/metrics.ts';
import type { HostClock } from '../http/snapshot.ts';
import type { ReloadState } from './reload.ts';

/** What metrics tell besides the traffic. */
export interface ProcessFacts {
  readonly pendingRequests: () => number;
  readonly droppedLogLines: () => number;
  readonly lastReload: () => ReloadState | null;
  readonly hostClock: () => HostClock | null;
  /** The release of tzdata in use, and whether it is the embedded one. */
  readonly zones: () => { readonly version: string; readonly from: 'embedded' | 'zoneinfo' };
  readonly embedded: readonly DataSetManifest[];
  /** The end of the certificate's validity, null without one. */
  readonly certificateExpiresMs: () => number | null;
}

/** The metrics of a process that serves. */
export function processMetrics(facts: ProcessFacts): MetricSource {
  const startedSeconds = Date.now() / 1000;
  return () => [
    gauge('meridian_build_info', 'Version and commit, always 1.', 'max', 1, {
      version: BUILD.version,
      commit: BUILD.commit,
      bun: Bun.version,
    }),
    gauge('meridian_http_requests_in_flight', 'Requests being answered.', 'sum', facts.pendingRequests()),
    ...dataMetrics(facts),
    ...clockMetrics(facts.hostClock()),
    ...reloadMetrics(facts.lastReload()),
    ...certificateMetrics(facts.certificateExpiresMs()),
    counter(
      'meridian_log_lines_dropped_total',
      'Log lines that nobody read in time.',
      'sum',
      facts.droppedLogLines(),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', 'worker', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'User and system time.', 'worker', cpuSeconds()),
    gauge('process_start_time_seconds', 'Start, since the epoch.', 'worker', startedSeconds),
  ];
}

/** A family with one value. */
export function gauge(
  name: string,
  help: string,
  across: MetricFamily['across'],
  value: number,
  labels: Readonly<Record<string, string>> = {},
): MetricFamily {
  return { name, help, type: 'gauge', across, samples: [{ labels, value }] };
}

/** A family with one value that only grows. */
export function counter(
  name: string,
  help: string,
  across: MetricFamily['across'],
  value: number,
): MetricFamily {
  return { ...gauge(name, help, across, value), type: 'counter' };
}

function dataMetrics({ zones, embedded }: ProcessFacts): MetricFamily[] {
  const { version, from } = zones();
  return [
    gauge('meridian_zones_info', 'The release of tzdata in use, always 1.', 'max', 1, { version, from }),
    {
      name: 'meridian_data_timestamp_seconds',
      help: 'Day of the release of each embedded data set, since the epoch.',
      type: 'gauge',
      across: 'max',
      samples: embedded.map(({ name, version, date }) => ({
        labels: { set: name, version },
        value: Date.parse(date) / 1000,
      })),
    },
  ];
}

function clockMetrics(clock: HostClock | null): MetricFamily[] {
  if (clock === null) return [];
  return [
    gauge(
      'meridian_clock_synchronized',
      'Whether the host keeps its clock right.',
      'min',
      Number(clock.isSynchronized),
    ),
    gauge(
      'meridian_clock_max_error_seconds',
      "The most that the host's clock is off.",
      'max',
      clock.maxErrorSeconds,
    ),
  ];
}

function reloadMetrics(last: ReloadState | null): MetricFamily[] {
  if (last === null) return [];
  return [
    gauge(
      'meridian_reload_successful',
      'Whether the last reload took everything.',
      'min',
      Number(last.failed.length === 0),
    ),
    gauge(
      'meridian_reload_timestamp_seconds',
      'The last reload, since the epoch.',
      'min',
      last.epochMs / 1000,
    ),
  ];
}

function certificateMetrics(expiresMs: number | null): MetricFamily[] {
  if (expiresMs === null) return [];
  const help = 'End of the validity of the certificate, since the epoch.';
  return [gauge('meridian_certificate_expiry_timestamp_seconds', help, 'min', expiresMs / 1000)];
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
