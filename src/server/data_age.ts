import { counted } from '../common/words.ts';
import { type DataInUse, dataInUse } from '../http/data_use.ts';
import type { MetricFamily } from '../http/metrics.ts';
import type { DependencyStatus, Snapshot } from '../http/snapshot.ts';
import { DATA_NAMES, type DataName, type ServedData } from '../operations/served_data.ts';
import { gauge } from './metrics.ts';

/** The maximum age at which a data set counts as fresh. */
export interface DataAgeLimit {
  readonly set: DataName;
  readonly days: number;
}

/** The data age settings. */
export interface DataAgeSettings {
  /** If a set is given several times, the last one counts. */
  readonly 'max-data-age': readonly DataAgeLimit[];
  readonly 'require-fresh-data': boolean;
}

const MS_PER_DAY = 86_400_000;

/** The releases in use, their age at an instant, and the age limits. */
export function dataMetrics(
  snapshot: Snapshot,
  sourceOf: (field: keyof ServedData) => string,
  settings: DataAgeSettings,
  nowMs: number,
): MetricFamily[] {
  const sets = DATA_NAMES.map(name => dataInUse(name, snapshot));
  return [
    gauge(
      'meridian_data_info',
      'The release of each data set in use and where it is from, always 1.',
      'max',
      sets.map(({ name, field, release }) => ({
        labels: { set: name, release, source: sourceOf(field) },
        value: 1,
      })),
    ),
    gauge(
      'meridian_data_age_seconds',
      'Age of each data set in use, since the date of its release.',
      'max',
      sets.flatMap(set => {
        const ageMs = ageMsOf(set, nowMs);
        return ageMs === null ? [] : { labels: { set: set.name }, value: ageMs / 1000 };
      }),
    ),
    gauge(
      'meridian_data_max_age_seconds',
      'The age of --max-data-age.',
      'max',
      [...limitsOf(settings)].map(([set, days]) => ({ labels: { set }, value: (days * MS_PER_DAY) / 1000 })),
    ),
  ];
}

/** The lines in `/readyz` about data sets with a limit. Sets that are too old are warnings, or make the server unready. */
export function dataAgeStatus(
  snapshot: Snapshot,
  settings: DataAgeSettings,
  nowMs: number,
): readonly DependencyStatus[] {
  const bad = settings['require-fresh-data'] ? 'broken' : 'warning';
  return [...limitsOf(settings)].map(([name, days]) => {
    const set = dataInUse(name, snapshot);
    const ageMs = ageMsOf(set, nowMs);
    const isFresh = ageMs !== null && ageMs <= days * MS_PER_DAY;
    return { name: 'data-age', state: isFresh ? 'ok' : bad, detail: describeAge(set, ageMs, days) };
  });
}

function describeAge({ name, release }: DataInUse, ageMs: number | null, days: number): string {
  const age = ageMs === null ? 'of unknown date' : `${counted(Math.floor(ageMs / MS_PER_DAY), 'day')} old`;
  return `${name} ${release} is ${age}, --max-data-age ${name}=${days}`;
}

function limitsOf({ 'max-data-age': limits }: DataAgeSettings): ReadonlyMap<DataName, number> {
  return new Map(limits.map(({ set, days }) => [set, days]));
}

/** Null if the date is unknown; 0 if it is in the future. */
function ageMsOf({ date }: DataInUse, nowMs: number): number | null {
  return date === null ? null : Math.max(0, nowMs - Date.parse(date));
}
