/** One value of a metric. */
export interface MetricSample {
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
