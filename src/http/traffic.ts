import type { MetricFamily, MetricSample } from './metrics.ts';

/** Upper bounds of the latency histogram, in seconds: most responses take about ten microseconds. */
const BOUNDS_SECONDS = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1,
];
const BOUNDS_NS = BOUNDS_SECONDS.map(seconds => seconds * 1e9);

/** Counts the responses of one route. Memory for the statuses is allocated with the first response. */
export class RouteMeter {
  readonly route: string;
  /** Counts by status; most routes of a process have no responses. */
  #responses: Float64Array | undefined;
  /** Counts by the first bound that is not exceeded; the last one is for responses above all bounds. */
  readonly #latencies = new Float64Array(BOUNDS_NS.length + 1);
  #totalNs = 0;

  constructor(route: string) {
    this.route = route;
  }

  /** Counts a response. */
  count(status: number, durationNs: number): void {
    this.#responses ??= new Float64Array(600);
    this.#responses[status]!++;
    let bucket = 0;
    while (bucket < BOUNDS_NS.length && durationNs > BOUNDS_NS[bucket]!) bucket++;
    this.#latencies[bucket]!++;
    this.#totalNs += durationNs;
  }

  responseSamples(): MetricSample[] {
    const samples: MetricSample[] = [];
    this.#responses?.forEach((value, status) => {
      if (value > 0) samples.push({ labels: { route: this.route, status: String(status) }, value });
    });
    return samples;
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
