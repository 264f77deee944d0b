import type { AccessControl } from '../access/access_control.ts';
import { ACCESS_TOPICS } from '../access/reports.ts';
import type { ErrorCode } from '../common/errors.ts';
import type { AddressLimiter } from '../http/address_limits.ts';
import { type MetricFamily, type MetricSource, metricsText } from '../http/metrics.ts';
import type { HostClock } from '../http/snapshot.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { BUILD } from './build_info.ts';
import type { ReloadState } from './reload.ts';

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

type Labels = Readonly<Record<string, string>>;
type Across = MetricFamily['across'];
type Samples = MetricFamily['samples'];

/** A gauge with one value, or one value per set of labels. */
export function gauge(name: string, help: string, across: Across, value: number | Samples): MetricFamily {
  const samples = typeof value === 'number' ? [{ labels: {}, value }] : value;
  return { name, help, type: 'gauge', across, samples };
}

/** A counter with one value, or one value per set of labels; summed over workers unless `across` says otherwise. */
export function counter(
  name: string,
  help: string,
  value: number | Samples,
  across: Across = 'sum',
): MetricFamily {
  return { ...gauge(name, help, across, value), type: 'counter' };
}

function sample(labels: Labels, value: number): Samples[number] {
  return { labels, value };
}

/** Access decisions, and the health of access control's dependencies. */
export function accessMetrics(access: AccessControl): MetricSource {
  return () => [
    counter(
      'meridian_access_requests_total',
      'Requests that required an API key, by decision.',
      decisionSamples({}, access.counts),
    ),
    counter(
      'meridian_plan_requests_total',
      'Requests with a known API key, by plan and decision.',
      byPlan(access).flatMap(([plan, counts]) => decisionSamples({ plan }, counts)),
    ),
    counter(
      'meridian_quota_warnings_total',
      'API keys that have used 80 % of their quota of a month, by plan.',
      byPlan(access).map(([plan, { warnings }]) => sample({ plan }, warnings)),
    ),
    gauge(
      'meridian_access_problem',
      `Whether a dependency of access control is failing: ${ACCESS_TOPICS.join(', ')}.`,
      'max',
      ACCESS_TOPICS.map(topic => sample({ topic }, Number(access.problem(topic) !== undefined))),
    ),
  ];
}

/** Decisions on requests by the limits of addresses, of all limiters together; nothing where there are none. */
export function addressMetrics(limiters: readonly AddressLimiter[]): MetricSource {
  if (limiters.length === 0) return () => [];
  const decisions = (decision: 'granted' | 'rejected') =>
    sample({ decision }, sum(limiters.map(({ counts }) => counts[decision])));
  return () => [
    counter(
      'meridian_address_requests_total',
      'Requests without an API key, by the limit of their address.',
      [decisions('granted'), decisions('rejected')],
    ),
    gauge(
      'meridian_address_limits',
      'Addresses whose requests are in memory.',
      'sum',
      sum(limiters.map(({ size }) => size)),
    ),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The requests that were granted, and those that were rejected by the code of the error. */
function decisionSamples(
  labels: Labels,
  { granted, rejected }: { readonly granted: number; readonly rejected: ReadonlyMap<ErrorCode, number> },
): Samples {
  return [
    sample({ ...labels, decision: 'granted' }, granted),
    ...[...rejected].map(([code, count]) => sample({ ...labels, decision: code.toLowerCase() }, count)),
  ];
}

function byPlan({ counts }: AccessControl) {
  return [...counts.byPlan];
}

/** The age of each published signing key. */
export function signingMetrics(keys: SigningKeys): MetricSource {
  return () => [
    gauge(
      'meridian_signing_key_age_seconds',
      'Age of each published signing key; the active one signs.',
      'max',
      keys.current.published.map(({ kid, createdMs }) =>
        sample(
          { kid, state: kid === keys.current.active?.kid ? 'active' : 'retained' },
          (Date.now() - createdMs) / 1000,
        ),
      ),
    ),
  ];
}

/** The sources of {@link processMetrics}. */
export interface ProcessFacts {
  readonly pendingRequests: () => number;
  readonly droppedLogLines: () => number;
  readonly lastReload: () => ReloadState | null;
  readonly hostClock: () => HostClock | null;
  /** When the certificate expires; null without a certificate. */
  readonly certificateExpiresMs: () => number | null;
}

/** The metrics of a serving process. */
export function processMetrics(facts: ProcessFacts): MetricSource {
  const startedSeconds = Date.now() / 1000;
  const build = { ...BUILD, bun: Bun.version };
  return () => [
    gauge('meridian_build_info', 'Version and commit, always 1.', 'max', [sample(build, 1)]),
    gauge('meridian_http_requests_in_flight', 'Requests in flight.', 'sum', facts.pendingRequests()),
    ...clockMetrics(facts.hostClock()),
    ...reloadMetrics(facts.lastReload()),
    ...certificateMetrics(facts.certificateExpiresMs()),
    counter(
      'meridian_log_lines_dropped_total',
      'Log lines dropped because the reader was too slow.',
      facts.droppedLogLines(),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', 'worker', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'User and system time.', cpuSeconds(), 'worker'),
    gauge('process_start_time_seconds', 'Start, since the epoch.', 'worker', startedSeconds),
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
  const { failures, epochMs } = last;
  return [
    gauge(
      'meridian_reload_successful',
      'Whether the last reload succeeded entirely.',
      'min',
      Number(failures.length === 0),
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
