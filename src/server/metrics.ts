import type { AccessControl } from '../access/access_control.ts';
import { ACCESS_TOPICS } from '../access/problems.ts';
import type { ErrorCode } from '../common/errors.ts';
import type { AddressLimiter } from '../http/address_limits.ts';
import type { HostClock } from '../http/snapshot.ts';
import { type MetricFamily, type MetricSource, metricsText } from '../http/traffic.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { BUILD } from './build_info.ts';
import type { ReloadState } from './reload.ts';

/**
 * The help of each metric, by how the values of several workers are combined. Those that end in `_total` are counters, all
 * others gauges. `http/traffic.ts` has those of requests.
 */
const METRICS = {
  sum: {
    meridian_access_requests_total: 'Requests that required an API key, by decision.',
    meridian_plan_requests_total: 'Requests with a known API key, by plan and decision.',
    meridian_quota_warnings_total: 'API keys that have used 80 % of their quota of a month, by plan.',
    meridian_address_requests_total: 'Requests without an API key, by the limit of their address.',
    meridian_address_limits: 'Addresses whose requests are in memory.',
    meridian_http_requests_in_flight: 'Requests in flight.',
    meridian_log_lines_dropped_total: 'Log lines dropped because the reader was too slow.',
    meridian_workers: 'Running workers.',
    meridian_worker_deaths_total: 'Workers that died.',
  },
  max: {
    meridian_access_problem: `Whether a dependency of access control is failing: ${ACCESS_TOPICS.join(', ')}.`,
    meridian_build_info: 'Version and commit, always 1.',
    meridian_certificate_expiry_timestamp_seconds: 'Expiry of the certificate, since the epoch.',
    meridian_clock_max_error_seconds: "Maximum error of the host's clock.",
    meridian_data_age_seconds: 'Age of each data set in use, since the date of its release.',
    meridian_data_degraded:
      'Whether a configured file or the installed bundle is replaced by earlier or embedded data.',
    meridian_data_info: 'The release of each data set in use and where it is from, always 1.',
    meridian_data_max_age_seconds: 'The age of --max-data-age.',
    meridian_data_pull_failed: 'Whether the last data pull failed.',
    meridian_data_pull_success_timestamp_seconds: 'The last successful pull of data, since the epoch.',
    meridian_holidays_certain_until_timestamp_seconds:
      'The end of the years in which holidays that follow from law are certain, since the epoch.',
    meridian_redis_unreadable_values: 'Values in Redis that cannot be read and are ignored, by hash.',
    meridian_signing_key_age_seconds: 'Age of each published signing key; the active one signs.',
  },
  min: {
    meridian_clock_synchronized: "Whether the host's clock is synchronized.",
    meridian_reload_successful: 'Whether the last reload succeeded entirely.',
    meridian_reload_timestamp_seconds: 'The last reload, since the epoch.',
  },
  worker: {
    meridian_data_bundle_sequence: 'Sequence number of the installed bundle in use, 0 for none.',
    process_cpu_seconds_total: 'User and system time.',
    process_max_fds: 'Maximum number of open file descriptors.',
    process_open_fds: 'Open file descriptors.',
    process_resident_memory_bytes: 'Resident memory.',
    process_start_time_seconds: 'Start, since the epoch.',
  },
} as const satisfies Record<MetricFamily['across'], object>;

type MetricName = { [Across in keyof typeof METRICS]: keyof (typeof METRICS)[Across] }[keyof typeof METRICS];
type Samples = MetricFamily['samples'];

const FAMILIES: ReadonlyMap<string, Pick<MetricFamily, 'across' | 'help'>> = new Map(
  (['sum', 'max', 'min', 'worker'] as const).flatMap(across =>
    Object.entries(METRICS[across]).map(([name, help]) => [name, { across, help }] as const),
  ),
);

/** A metric with one value, or one value per set of labels; it is omitted without a value. */
export function metric(name: MetricName, value: number | boolean | null | undefined | Samples): MetricFamily {
  const samples =
    typeof value === 'object' ? (value ?? []) : value === undefined ? [] : [{ value: Number(value) }];
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  return { name, type, samples, ...FAMILIES.get(name)! }; // it has all names
}

/** The values of a metric that has one label. */
export function by(label: string, values: Iterable<readonly [string, number | boolean]>): Samples {
  return [...values].map(([text, value]) => ({ labels: { [label]: text }, value: Number(value) }));
}

/** How long rendered metrics are cached: rendering takes milliseconds. */
const RENDERED_MS = 1000;

/** Renders metrics, at most once a second. */
export function renderedMetrics(gather: () => Promise<readonly MetricFamily[]>): () => Promise<string> {
  let text: Promise<string> | undefined;
  let renderedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (text === undefined || nowMs - renderedMs >= RENDERED_MS) {
      renderedMs = nowMs;
      text = gather().then(metricsText);
    }
    return text;
  };
}

/** Access decisions, and the health of access control's dependencies. */
export function accessMetrics(access: AccessControl): MetricSource {
  return () => {
    const byPlan = [...access.counts.byPlan];
    const decisions = byPlan.flatMap(([plan, counts]) => decisionSamples({ plan }, counts));
    const warnings = byPlan.map(([plan, { warnings }]) => [plan, warnings] as const);
    const problems = ACCESS_TOPICS.map(topic => [topic, access.problem(topic) !== undefined] as const);
    return [
      metric('meridian_access_requests_total', decisionSamples({}, access.counts)),
      metric('meridian_plan_requests_total', decisions),
      metric('meridian_quota_warnings_total', by('plan', warnings)),
      metric('meridian_access_problem', by('topic', problems)),
    ];
  };
}

/** The values in Redis that cannot be read, by the name of their hash. */
export function redisMetrics(
  unreadable: Readonly<Record<string, ReadonlyMap<string, unknown>>>,
): MetricSource {
  return () => {
    const counts = Object.entries(unreadable).map(([hash, values]) => [hash, values.size] as const);
    return [metric('meridian_redis_unreadable_values', by('hash', counts))];
  };
}

/** The requests that were granted, and those that were rejected by the code of the error. */
function decisionSamples(
  labels: Readonly<Record<string, string>>,
  { granted, rejected }: { readonly granted: number; readonly rejected: ReadonlyMap<ErrorCode, number> },
): Samples {
  return [
    { labels: { ...labels, decision: 'granted' }, value: granted },
    ...[...rejected].map(([code, value]) => ({ labels: { ...labels, decision: code.toLowerCase() }, value })),
  ];
}

/** Decisions on requests by the limits of addresses, of all limiters together; nothing where there are none. */
export function addressMetrics(limiters: readonly AddressLimiter[]): MetricSource {
  if (limiters.length === 0) return () => [];
  const sumOf = (read: (limiter: AddressLimiter) => number) =>
    limiters.reduce((sum, limiter) => sum + read(limiter), 0);
  return () => {
    const decisions = (['granted', 'rejected'] as const).map(
      decision => [decision, sumOf(({ counts }) => counts[decision])] as const,
    );
    const sizes = sumOf(({ size }) => size);
    return [
      metric('meridian_address_requests_total', by('decision', decisions)),
      metric('meridian_address_limits', sizes),
    ];
  };
}

/** The age of each published signing key. */
export function signingMetrics(keys: SigningKeys): MetricSource {
  return () => {
    const { active, published } = keys.current;
    const ages = published.map(({ kid, createdMs }) => ({
      labels: { kid, state: kid === active?.kid ? 'active' : 'retained' },
      value: (Date.now() - createdMs) / 1000,
    }));
    return [metric('meridian_signing_key_age_seconds', ages)];
  };
}

/** The metrics of a serving process. */
export function processMetrics(facts: {
  readonly pendingRequests: () => number;
  readonly droppedLogLines: () => number;
  readonly lastReload: () => ReloadState | null;
  readonly hostClock: () => HostClock | null;
  /** When the certificate expires; null without a certificate. */
  readonly certificateExpiresMs: () => number | null;
}): MetricSource {
  const startedSeconds = Date.now() / 1000;
  const build = [{ labels: { ...BUILD, bun: Bun.version }, value: 1 }];
  return () => {
    const clock = facts.hostClock();
    const reload = facts.lastReload();
    const expiresMs = facts.certificateExpiresMs();
    const { user, system } = process.cpuUsage(); // in microseconds
    return [
      metric('meridian_build_info', build),
      metric('meridian_http_requests_in_flight', facts.pendingRequests()),
      metric('meridian_clock_synchronized', clock?.isSynchronized),
      metric('meridian_clock_max_error_seconds', clock?.maxErrorSeconds),
      metric('meridian_reload_successful', reload && reload.failures.length === 0),
      metric('meridian_reload_timestamp_seconds', reload && reload.epochMs / 1000),
      metric('meridian_certificate_expiry_timestamp_seconds', expiresMs && expiresMs / 1000),
      metric('meridian_log_lines_dropped_total', facts.droppedLogLines()),
      metric('process_resident_memory_bytes', residentBytes()),
      metric('process_cpu_seconds_total', (user + system) / 1e6),
      metric('process_start_time_seconds', startedSeconds),
    ];
  };
}

/** Undefined if no descriptor is free. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
