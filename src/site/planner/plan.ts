import { crossings, type GeoPoint, sunHeight, twilightHeight } from '../../common/sun.ts';
import type { PlanState } from './plan_state.ts';

export const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** A range of instants, half open. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A range in which a zone's offset is constant. */
export interface OffsetSpan extends Span {
  readonly offsetMinutes: number;
}

/** Days of `/v1/work/days` by date. */
export type DayKinds = ReadonlyMap<string, { readonly kind: string; readonly name: string | null }>;

/** A place in a plan, with the data of its row. */
export interface PlanRow {
  /** The name of the place in the plan's state. */
  readonly query: string;
  readonly name: string;
  /** Its administrative area or country, or the zone if the row is not a place. */
  readonly area: string;
  readonly zone: string;
  /** The coordinates for computing the sun's position; null for a zone. */
  readonly point: GeoPoint | null;
  /** Contiguous, over the day of the plan. */
  readonly offsets: readonly OffsetSpan[];
  readonly days: DayKinds;
}

/** A row that cannot be shown, with the reason. */
export interface FaultyRow {
  readonly query: string;
  readonly fault: string;
}

/** A day in several places: the first place's day, of 23 to 25 hours. */
export interface Plan extends Span {
  readonly state: PlanState;
  /** The local date of the first place. */
  readonly date: string;
  readonly rows: readonly (PlanRow | FaultyRow)[];
}

export function isShown(row: PlanRow | FaultyRow): row is PlanRow {
  return 'zone' in row;
}

/** The instant of the cursor, within the day. */
export function cursorMs({ state, startMs, endMs }: Plan): number {
  return Math.min(startMs + state.cursorMinutes * MINUTE_MS, endMs - MINUTE_MS);
}

/** The offset of a row at an instant, in minutes. */
export function offsetAt({ offsets }: PlanRow, epochMs: number): number {
  // A plan's day has at least one span; the first and last ones extend beyond the day.
  return (offsets.find(({ endMs }) => epochMs < endMs) ?? offsets.at(-1)!).offsetMinutes;
}

/** Local time as if it were UTC, in milliseconds, for formatting with UTC functions. */
export function localMs(row: PlanRow, epochMs: number): number {
  return epochMs + offsetAt(row, epochMs) * MINUTE_MS;
}

export function dateOf(row: PlanRow, epochMs: number): string {
  return new Date(localMs(row, epochMs)).toISOString().slice(0, 10);
}

/** A clock change in a row. */
export interface ClockChange {
  readonly atMs: number;
  readonly offsetBefore: number;
  readonly offsetAfter: number;
}

/** The clock changes of a row on the plan's day. */
export function changesOf({ offsets }: PlanRow): ClockChange[] {
  return offsets.slice(1).map(({ startMs, offsetMinutes }, index) => ({
    atMs: startMs,
    offsetBefore: offsets[index]!.offsetMinutes,
    offsetAfter: offsetMinutes,
  }));
}

/** A local date of a row, or the part of it before or after a clock change. */
interface DaySpan extends OffsetSpan {
  readonly date: string;
}

/** The local dates of a row. */
export function daysOf({ offsets }: PlanRow): DaySpan[] {
  const spans = offsets.filter(({ startMs, endMs }) => startMs < endMs);
  return spans.flatMap(({ startMs, endMs, offsetMinutes }) => {
    const shiftMs = offsetMinutes * MINUTE_MS;
    const first = Math.floor((startMs + shiftMs) / DAY_MS);
    const count = Math.ceil((endMs + shiftMs) / DAY_MS) - first;
    return Array.from({ length: count }, (_, index) => {
      const midnightMs = (first + index) * DAY_MS;
      return {
        date: new Date(midnightMs).toISOString().slice(0, 10),
        startMs: Math.max(startMs, midnightMs - shiftMs),
        endMs: Math.min(endMs, midnightMs + DAY_MS - shiftMs),
        offsetMinutes,
      };
    });
  });
}

/** Whether a date of a row is a working day, i.e. neither a weekend nor a holiday. */
export function isWorkday({ days }: PlanRow, date: string): boolean {
  const kind = days.get(date)?.kind;
  return kind === 'business' || kind === 'worked';
}

/** The parts of the day in which local time is between two times of day, on dates that satisfy a condition. */
export function hoursOf(
  row: PlanRow,
  fromMinutes: number,
  toMinutes: number,
  isIncluded: (date: string) => boolean,
): Span[] {
  return daysOf(row)
    .filter(({ date }) => isIncluded(date))
    .map(({ date, startMs, endMs, offsetMinutes }) => {
      const midnightMs = Date.parse(date) - offsetMinutes * MINUTE_MS;
      return {
        startMs: Math.max(startMs, midnightMs + fromMinutes * MINUTE_MS),
        endMs: Math.min(endMs, midnightMs + toMinutes * MINUTE_MS),
      };
    })
    .filter(({ startMs, endMs }) => startMs < endMs);
}

/** The working hours of a row. */
export function workOf(row: PlanRow, { workStartMinutes, workEndMinutes }: PlanState): Span[] {
  return hoursOf(row, workStartMinutes, workEndMinutes, date => isWorkday(row, date));
}

/** The parts of a day in which `height` is positive. */
function spansAbove(height: typeof sunHeight, point: GeoPoint, { startMs, endMs }: Span): Span[] {
  const changes = crossings(height, point, startMs, endMs);
  const spans: Span[] = [];
  let riseMs = height(point, startMs) > 0 ? startMs : null;
  for (const { epochMs, isRise } of changes) {
    if (isRise) riseMs = epochMs;
    else if (riseMs !== null) spans.push({ startMs: riseMs, endMs: epochMs });
    if (!isRise) riseMs = null;
  }
  return riseMs === null ? spans : [...spans, { startMs: riseMs, endMs }];
}

/** Daylight, and daylight with civil twilight. */
export function lightOf(point: GeoPoint, day: Span): { readonly day: Span[]; readonly twilight: Span[] } {
  return {
    day: spansAbove(sunHeight, point, day),
    twilight: spansAbove(twilightHeight, point, day),
  };
}
