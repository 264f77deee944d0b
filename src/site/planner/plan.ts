import { crossings, type GeoPoint, sunHeight, twilightHeight } from '../sun.ts';
import { clockText } from '../time_texts.ts';

/** The state of a plan, as in the query of the planner's URL. Times of day are in minutes after midnight. */
export interface PlanState {
  /** Names of places or zones, in the order of the rows. The day is that of the first one. */
  readonly places: readonly string[];
  /** `YYYY-MM-DD`; null for today. */
  readonly date: string | null;
  /** The cursor, in minutes since the day began. */
  readonly cursorMinutes: number;
  readonly lengthMinutes: number;
  /** Working hours in every place. */
  readonly workStartMinutes: number;
  readonly workEndMinutes: number;
}

export const PLANNER_PATH = '/planner';
export const MAX_PLACES = 10;
const MAX_NAME_LENGTH = 80;
export const CURSOR_STEP_MINUTES = 15;
/** A day on which clocks go back has at most 25 hours. */
const MAX_CURSOR_MINUTES = 25 * 60 - CURSOR_STEP_MINUTES;
export const LENGTHS_MINUTES = [15, 30, 45, 60, 90, 120, 180] as const;

const DEFAULTS: PlanState = {
  places: ['New York', 'Berlin', 'Tokyo'],
  date: null,
  cursorMinutes: 9 * 60,
  lengthMinutes: 60,
  workStartMinutes: 9 * 60,
  workEndMinutes: 17 * 60,
};

/** Parses the query of a URL. Missing or malformed values are replaced by defaults. */
export function parsePlan(query: URLSearchParams): PlanState {
  const names = query
    .getAll('place')
    .map(name => name.trim().slice(0, MAX_NAME_LENGTH))
    .filter(name => name !== '');
  const [workStartMinutes, workEndMinutes] = [minutesOf(query.get('from')), minutesOf(query.get('to'))];
  const hasHours = workStartMinutes < workEndMinutes;
  const length = Number(query.get('length'));
  const date = query.get('date') ?? '';
  const at = query.get('at') ?? '';
  return {
    ...DEFAULTS,
    ...(names.length > 0 && { places: [...new Set(names)].slice(0, MAX_PLACES) }),
    ...(isDate(date) && { date }),
    ...(/^\d{1,4}$/.test(at) && { cursorMinutes: Math.min(Number(at), MAX_CURSOR_MINUTES) }),
    ...(LENGTHS_MINUTES.some(known => known === length) && { lengthMinutes: length }),
    ...(hasHours && { workStartMinutes, workEndMinutes }),
  };
}

/** The URL of a plan, with the values that differ from the defaults. */
export function planUrl(state: PlanState): string {
  const { places, date, cursorMinutes, lengthMinutes, workStartMinutes, workEndMinutes } = state;
  const query = new URLSearchParams();
  for (const place of places) query.append('place', place);
  if (date !== null) query.set('date', date);
  if (cursorMinutes !== DEFAULTS.cursorMinutes) query.set('at', String(cursorMinutes));
  if (lengthMinutes !== DEFAULTS.lengthMinutes) query.set('length', String(lengthMinutes));
  if (workStartMinutes !== DEFAULTS.workStartMinutes || workEndMinutes !== DEFAULTS.workEndMinutes) {
    query.set('from', clockText(workStartMinutes));
    query.set('to', clockText(workEndMinutes));
  }
  return `${PLANNER_PATH}?${query}`;
}

/** The minutes after midnight of `HH:MM`; NaN for anything else. */
function minutesOf(clock: string | null): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock ?? '') ?? [];
  return Number(hours) * 60 + Number(minutes);
}

function isDate(text: string): boolean {
  const epochMs = /^(19|20)\d\d-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : Number.NaN;
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text);
}

export const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** The date some days after another, both `YYYY-MM-DD`. */
export function shiftedDate(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** A range of instants, half open. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A range in which a zone's offset is constant. */
export interface OffsetSpan extends Span {
  readonly offsetMinutes: number;
}

/** A day of `/v1/work/days`: whether it is off, and the name of the holiday, if it is one. */
export interface DayKind {
  readonly kind: string;
  readonly name: string | null;
}

export type DayKinds = ReadonlyMap<string, DayKind>;

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

/** The clock changes of a row on the plan's day, with the offsets before and after in minutes. */
export function changesOf({ offsets }: PlanRow) {
  return offsets.slice(1).map(({ startMs, offsetMinutes }, index) => ({
    atMs: startMs,
    offsetBefore: offsets[index]!.offsetMinutes,
    offsetAfter: offsetMinutes,
  }));
}

/** The local dates of a row, each as up to two spans: before and after a clock change. */
export function daysOf({ offsets }: PlanRow) {
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
function hoursOf(
  row: PlanRow,
  fromMinutes: number,
  toMinutes: number,
  isIncluded: (date: string) => boolean,
): Span[] {
  const days = daysOf(row).filter(({ date }) => isIncluded(date));
  const hours = days.map(({ date, startMs, endMs, offsetMinutes }) => {
    const midnightMs = Date.parse(date) - offsetMinutes * MINUTE_MS;
    return {
      startMs: Math.max(startMs, midnightMs + fromMinutes * MINUTE_MS),
      endMs: Math.min(endMs, midnightMs + toMinutes * MINUTE_MS),
    };
  });
  return hours.filter(({ startMs, endMs }) => startMs < endMs);
}

export function workOf(row: PlanRow, { workStartMinutes, workEndMinutes }: PlanState): Span[] {
  return hoursOf(row, workStartMinutes, workEndMinutes, date => isWorkday(row, date));
}

/** The parts of a day in which `height` is positive. */
function spansAbove(height: typeof sunHeight, point: GeoPoint, { startMs, endMs }: Span): Span[] {
  const edges = [startMs, ...crossings(height, point, startMs, endMs).map(({ epochMs }) => epochMs), endMs];
  const spans = edges.slice(1).map((edgeMs, index) => ({ startMs: edges[index]!, endMs: edgeMs }));
  const first = height(point, startMs) > 0 ? 0 : 1;
  return spans.filter((_, index) => index % 2 === first);
}

/** Daylight, and daylight with civil twilight. */
export function lightOf(point: GeoPoint, day: Span) {
  return { day: spansAbove(sunHeight, point, day), twilight: spansAbove(twilightHeight, point, day) };
}

/** How suitable a time is in a place: within working hours, while people are awake, or at night. */
export type Suitability = 'work' | 'awake' | 'night';

export interface Slot extends Span {
  /** The suitability for each place, in the order of the rows. */
  readonly suits: readonly { readonly row: PlanRow; readonly suitability: Suitability }[];
  /** 0 if it is within working hours everywhere; lower is better. */
  readonly cost: number;
}

const STEP_MS = 30 * MINUTE_MS;
const AWAKE_FROM_MINUTES = 7 * 60;
const AWAKE_TO_MINUTES = 22 * 60;
const MOST_SLOTS = 5;

/** One place at night is worse than several outside working hours. */
const COSTS: Readonly<Record<Suitability, number>> = { work: 0, awake: 1, night: 12 };

/** Returns the suitability of slots in a row. */
export function suitabilityIn(row: PlanRow, { state }: Plan): (slot: Span) => Suitability {
  const work = workOf(row, state);
  const awake = hoursOf(row, AWAKE_FROM_MINUTES, AWAKE_TO_MINUTES, () => true);
  return slot => (covers(work, slot) ? 'work' : covers(awake, slot) ? 'awake' : 'night');
}

/** The best non-overlapping times of the day, best first; if equal, earliest first. */
export function proposeSlots(plan: Plan): Slot[] {
  const rows = plan.rows.filter(isShown).map(row => ({ row, suitabilityAt: suitabilityIn(row, plan) }));
  const lengthMs = plan.state.lengthMinutes * MINUTE_MS;
  const count = Math.max(0, Math.floor((plan.endMs - plan.startMs - lengthMs) / STEP_MS) + 1);
  const slots = Array.from({ length: count }, (_, index): Slot => {
    const startMs = plan.startMs + index * STEP_MS;
    const slot = { startMs, endMs: startMs + lengthMs };
    const suits = rows.map(({ row, suitabilityAt }) => ({ row, suitability: suitabilityAt(slot) }));
    return { ...slot, suits, cost: suits.reduce((sum, { suitability }) => sum + COSTS[suitability], 0) };
  });
  const proposed: Slot[] = [];
  for (const slot of slots.sort((one, other) => one.cost - other.cost || one.startMs - other.startMs)) {
    const overlaps = proposed.some(({ startMs, endMs }) => slot.startMs < endMs && startMs < slot.endMs);
    if (!overlaps && proposed.length < MOST_SLOTS) proposed.push(slot);
  }
  return proposed;
}

/** Whether spans that do not overlap cover a range. */
function covers(spans: readonly Span[], { startMs, endMs }: Span): boolean {
  const coveredMs = spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(endMs, span.endMs) - Math.max(startMs, span.startMs)),
    0,
  );
  return coveredMs === endMs - startMs;
}
