import { addressOf, type IpAddress } from '../places/ip_address.ts';

/** One value of a metric. */
interface MetricSample {
  /** Suffix of the family's name, for the parts of a histogram. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A Prometheus metric with all its values. */
export interface MetricFamily {
  /** `meridian_…`, with its unit (`_seconds`, `_bytes`), and `_total` for a counter. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How values from several workers are combined: into one, or each with a label `worker`. */
  readonly across: 'sum' | 'max' | 'min' | 'worker';
  readonly samples: readonly MetricSample[];
}

/** Reports metrics; called at every scrape. */
export type MetricSource = () => readonly MetricFamily[];

/** Formats families in the Prometheus text format; those without values are omitted. */
export function metricsText(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        sample => `${name}${sample.suffix ?? ''}${labelText(sample)} ${sample.value}\n`,
      );
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

function labelText({ labels }: MetricSample): string {
  const pairs = Object.entries(labels ?? {}).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** Combines the metrics of workers; `parts` has the families of each worker by its number. */
export function mergeMetrics(parts: ReadonlyMap<number, readonly MetricFamily[]>): MetricFamily[] {
  const merged = new Map<string, { family: MetricFamily; samples: Map<string, MetricSample> }>();
  for (const [worker, families] of parts) {
    for (const family of families) {
      const entry = merged.get(family.name) ?? { family, samples: new Map() };
      merged.set(family.name, entry);
      for (const sample of family.samples) {
        const own = family.across === 'worker' ? withWorker(sample, worker) : sample;
        const key = `${own.suffix ?? ''}${labelText(own)}`;
        const other = entry.samples.get(key);
        const value = other === undefined ? own.value : combined(family.across, other.value, own.value);
        entry.samples.set(key, { ...own, value });
      }
    }
  }
  return [...merged.values()].map(({ family, samples }) => ({ ...family, samples: [...samples.values()] }));
}

function withWorker(sample: MetricSample, worker: number): MetricSample {
  return { ...sample, labels: { worker: String(worker), ...sample.labels } };
}

function combined(across: MetricFamily['across'], a: number, b: number): number {
  if (across === 'max') return Math.max(a, b);
  if (across === 'min') return Math.min(a, b);
  return a + b;
}

/** Upper bounds of the latency histogram, in seconds: most responses take about ten microseconds. */
const BOUNDS_SECONDS = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1,
];
const BOUNDS_NS = BOUNDS_SECONDS.map(seconds => seconds * 1e9);

/** Counts the responses of one route. */
class RouteMeter {
  readonly route: string;
  /** Counts by status. */
  readonly #responses = new Map<number, number>();
  /** Counts by the first bound that is not exceeded; the last one is for responses above all bounds. */
  readonly #latencies = new Float64Array(BOUNDS_NS.length + 1);
  #totalNs = 0;

  constructor(route: string) {
    this.route = route;
  }

  /** Counts a response. */
  count(status: number, durationNs: number): void {
    this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BOUNDS_NS.length && durationNs > BOUNDS_NS[bucket]!) bucket++;
    this.#latencies[bucket]!++;
    this.#totalNs += durationNs;
  }

  responseSamples(): MetricSample[] {
    return [...this.#responses]
      .sort(([a], [b]) => a - b)
      .map(([status, value]) => ({ labels: { route: this.route, status: String(status) }, value }));
  }

  /** The cumulative histogram; empty before the first response. */
  latencySamples(): MetricSample[] {
    const labels = { route: this.route };
    let total = 0;
    const buckets = [...this.#latencies].map((count, bucket) => {
      total += count;
      const bound = BOUNDS_SECONDS[bucket];
      const le = bound === undefined ? '+Inf' : String(bound);
      return { suffix: '_bucket', labels: { ...labels, le }, value: total } as const;
    });
    if (total === 0) return [];
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#totalNs / 1e9 },
      { suffix: '_count', labels, value: total },
    ];
  }
}

/** Counts the responses of a process by route and status, and their latencies. */
export class Traffic {
  readonly #meters = new Map<string, RouteMeter>();

  /** The meter of a route, shared by all listeners. */
  meter(route: string): RouteMeter {
    const meter = this.#meters.get(route) ?? new RouteMeter(route);
    this.#meters.set(route, meter);
    return meter;
  }

  /** The metrics, sorted by route. */
  families(): MetricFamily[] {
    const meters = [...this.#meters.values()].sort((a, b) => (a.route < b.route ? -1 : 1));
    return [
      {
        name: 'meridian_http_requests_total',
        help: 'Responses by route and status.',
        type: 'counter',
        across: 'sum',
        samples: meters.flatMap(meter => meter.responseSamples()),
      },
      {
        name: 'meridian_http_request_duration_seconds',
        help: 'Time from the arrival of a request in the application to its response, network excluded.',
        type: 'histogram',
        across: 'sum',
        samples: meters.flatMap(meter => meter.latencySamples()),
      },
    ];
  }
}

/** Which requests are logged: all, only server errors (5xx), or none. */
export const ACCESS_LOG_MODES = ['all', 'errors', 'off'] as const;
export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number];

/** A completed request, without anything private to the client: no query string, no full path. */
interface CompletedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The path of the route; that of the request could contain anything. */
  readonly route: string;
  readonly status: number;
  readonly durationNs: number;
  /** The id of the API key, which is not secret. */
  readonly keyId: string | null;
  /** The client's address, or the part of it that may be logged. */
  readonly client: string | null;
}

/** Formats a request as a log line. All values use small, safe alphabets, so nothing is escaped. */
export type AccessLogLine = (request: CompletedRequest) => string;

/** Formats a request as a line of JSON. */
export function jsonAccessLine(request: CompletedRequest): string {
  const { requestId, method, route, status, keyId, client } = request;
  const key = keyId === null ? '' : `,"key_id":"${keyId}"`;
  const from = client === null ? '' : `,"client":"${client}"`;
  return (
    `{"time":"${new Date().toISOString()}","level":"info","message":"request","request_id":"${requestId}","method":"${method}",` +
    `"route":"${route}","status":${status},"duration_ms":${milliseconds(request)}${key}${from}}\n`
  );
}

/** Formats a request as human-readable text. */
export function textAccessLine(request: CompletedRequest): string {
  const { requestId, method, route, status, keyId, client } = request;
  const key = keyId === null ? '' : ` key=${keyId}`;
  const from = client === null ? '' : ` client=${client}`;
  return `${new Date().toISOString()} info  ${status} ${method} ${route} ${milliseconds(request)}ms ${requestId}${key}${from}\n`;
}

/** The duration, to the microsecond. */
function milliseconds({ durationNs }: CompletedRequest): number {
  return Math.round(durationNs / 1000) / 1000;
}

/** How much of a client's address is logged: nothing, its network (/24, or /48 for IPv6), or all of it. */
export const LOG_CLIENT_MODES = ['none', 'network', 'full'] as const;
export type LogClientMode = (typeof LOG_CLIENT_MODES)[number];

const NETWORK_BYTES = { 4: 3, 6: 6 } as const;

/** A client's address as it appears in the access log; null if it is not logged. */
export function loggedClient(client: IpAddress | undefined, mode: LogClientMode): string | null {
  if (client === undefined || mode === 'none') return null;
  if (mode === 'full') return client.text;
  const length = NETWORK_BYTES[client.version];
  const network = addressOf(client.bytes.map((byte, index) => (index < length ? byte : 0)));
  return `${network.text}/${length * 8}`;
}
