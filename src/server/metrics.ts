import type { DataSetManifest } from '../../data/manifest.ts';
import type { AccessControl } from '../access/access_control.ts';
import type { MetricFamily, MetricSource } from '../http/metrics.ts';
import type { HostClock } from '../http/snapshot.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { BUILD } from './build_info.ts';
import type { ReloadState } from './reload.ts';

type Labels = Readonly<Record<string, string>>;
type Across = MetricFamily['across'];

/** A gauge with one value. */
export function gauge(
  name: string,
  help: string,
  across: Across,
  value: number,
  labels: Labels = {},
): MetricFamily {
  return { name, help, type: 'gauge', across, samples: [{ labels, value }] };
}

/** A counter with one value. */
export function counter(name: string, help: string, across: Across, value: number): MetricFamily {
  return { ...gauge(name, help, across, value), type: 'counter' };
}

/** Access decisions, and the health of everything that access control depends on. */
export function accessMetrics(access: AccessControl): MetricSource {
  return () => [
    {
      name: 'meridian_access_requests_total',
      help: 'Requests that required an API key, by decision.',
      type: 'counter',
      across: 'sum',
      samples: [
        { labels: { decision: 'granted' }, value: access.grantedCount },
        ...[...access.rejectedCounts].map(([code, value]) => ({
          labels: { decision: code.toLowerCase() },
          value,
        })),
      ],
    },
    {
      name: 'meridian_access_problem',
      help: 'Whether a dependency of access control is failing: files, tokens, plans, usage, shared.',
      type: 'gauge',
      across: 'max',
      samples: (['files', 'tokens', 'plans', 'usage', 'shared'] as const).map(topic => ({
        labels: { topic },
        value: Number(access.problem(topic) !== undefined),
      })),
    },
  ];
}

/** The age of each published signing key. */
export function signingMetrics(keys: SigningKeys): MetricSource {
  return () => [
    {
      name: 'meridian_signing_key_age_seconds',
      help: 'Age of each published signing key; the active one signs.',
      type: 'gauge',
      across: 'max',
      samples: keys.current.published.map(({ kid, createdMs }) => ({
        labels: { kid, state: kid === keys.current.active?.kid ? 'active' : 'retained' },
        value: (Date.now() - createdMs) / 1000,
      })),
    },
  ];
}

/** Where {@link processMetrics} reads its values. */
export interface ProcessFacts {
  readonly pendingRequests: () => number;
  readonly droppedLogLines: () => number;
  readonly lastReload: () => ReloadState | null;
  readonly hostClock: () => HostClock | null;
  /** The tzdata release in use. */
  readonly zones: () => { readonly version: string; readonly from: 'embedded' | 'zoneinfo' };
  readonly embedded: readonly DataSetManifest[];
  /** When the certificate expires; null without one. */
  readonly certificateExpiresMs: () => number | null;
}

/** The metrics of a serving process. */
export function processMetrics(facts: ProcessFacts): MetricSource {
  const startedSeconds = Date.now() / 1000;
  const build = { ...BUILD, bun: Bun.version };
  return () => [
    gauge('meridian_build_info', 'Version and commit, always 1.', 'max', 1, build),
    gauge('meridian_http_requests_in_flight', 'Requests in flight.', 'sum', facts.pendingRequests()),
    ...dataMetrics(facts),
    ...clockMetrics(facts.hostClock()),
    ...reloadMetrics(facts.lastReload()),
    ...certificateMetrics(facts.certificateExpiresMs()),
    counter(
      'meridian_log_lines_dropped_total',
      'Log lines dropped because the reader was too slow.',
      'sum',
      facts.droppedLogLines(),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', 'worker', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'User and system time.', 'worker', cpuSeconds()),
    gauge('process_start_time_seconds', 'Start, since the epoch.', 'worker', startedSeconds),
  ];
}

function dataMetrics({ zones, embedded }: ProcessFacts): MetricFamily[] {
  return [
    gauge('meridian_zones_info', 'The tzdata release in use, always 1.', 'max', 1, zones()),
    {
      name: 'meridian_data_timestamp_seconds',
      help: 'Release date of each embedded data set, since the epoch.',
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
  const { isSynchronized, maxErrorSeconds } = clock;
  return [
    gauge(
      'meridian_clock_synchronized',
      "Whether the host's clock is synchronized.",
      'min',
      Number(isSynchronized),
    ),
    gauge('meridian_clock_max_error_seconds', "Maximum error of the host's clock.", 'max', maxErrorSeconds),
  ];
}

function reloadMetrics(last: ReloadState | null): MetricFamily[] {
  if (last === null) return [];
  const { failed, epochMs } = last;
  return [
    gauge(
      'meridian_reload_successful',
      'Whether the last reload succeeded entirely.',
      'min',
      Number(failed.length === 0),
    ),
    gauge('meridian_reload_timestamp_seconds', 'The last reload, since the epoch.', 'min', epochMs / 1000),
  ];
}

function certificateMetrics(expiresMs: number | null): MetricFamily[] {
  if (expiresMs === null) return [];
  const help = 'Expiry of the certificate, since the epoch.';
  return [gauge('meridian_certificate_expiry_timestamp_seconds', help, 'min', expiresMs / 1000)];
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
