import { MS_PER_DAY } from '../common/civil.ts';
import { counted } from '../common/words.ts';
import { type DataInUse, dataInUse } from '../http/data_use.ts';
import type { DependencyStatus, Snapshot } from '../http/snapshot.ts';
import type { MetricFamily } from '../http/traffic.ts';
import { DATA_NAMES, type DataName } from '../operations/served_data.ts';
import type { SetName } from './load_data.ts';
import { by, metric } from './metrics.ts';

/** The maximum age at which a data set counts as fresh. */
export interface DataAgeLimit {
  readonly set: DataName;
  readonly days: number;
}

export interface DataAgeSettings {
  /** If a set is given several times, the last one counts. */
  readonly 'max-data-age': readonly DataAgeLimit[];
  readonly 'require-fresh-data': boolean;
}

/** The releases in use, their age at an instant, and the age limits. */
export function dataMetrics(
  snapshot: Snapshot,
  sourceOf: (field: SetName) => string,
  settings: DataAgeSettings,
  nowMs: number,
): MetricFamily[] {
  const sets = DATA_NAMES.map(name => dataInUse(name, snapshot));
  const releases = sets.map(({ name, field, release }) => ({
    labels: { set: name, release, source: sourceOf(field) },
    value: 1,
  }));
  const ages = sets.flatMap(set => {
    const ageMs = ageMsOf(set, nowMs);
    return ageMs === null ? [] : [[set.name, ageMs / 1000] as const];
  });
  const limits = [...limitsOf(settings)].map(([set, days]) => [set, (days * MS_PER_DAY) / 1000] as const);
  const { certainUntilMs } = snapshot.holidays;
  return [
    metric('meridian_data_info', releases),
    metric('meridian_data_age_seconds', by('set', ages)),
    metric('meridian_data_max_age_seconds', by('set', limits)),
    metric(
      'meridian_holidays_certain_until_timestamp_seconds',
      certainUntilMs === null ? null : certainUntilMs / 1000,
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
    const age = ageMs === null ? 'of unknown date' : `${counted(Math.floor(ageMs / MS_PER_DAY), 'day')} old`;
    const detail = `${name} ${set.release} is ${age}, --max-data-age ${name}=${days}`;
    return { name: 'data-age', state: isFresh ? 'ok' : bad, detail };
  });
}

function limitsOf({ 'max-data-age': limits }: DataAgeSettings): ReadonlyMap<DataName, number> {
  return new Map(limits.map(({ set, days }) => [set, days]));
}

/** Null if the date is unknown; 0 if it is in the future. */
function ageMsOf({ date }: DataInUse, nowMs: number): number | null {
  return date === null ? null : Math.max(0, nowMs - Date.parse(date));
}
