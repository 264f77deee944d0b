/** The state of a plan, as in the query of the planner's URL. */
export interface PlanState {
  /** Names of places or zones, in the order of the rows. The day is that of the first one. */
  readonly places: readonly string[];
  /** `YYYY-MM-DD`; null for today. */
  readonly date: string | null;
  /** The cursor, in minutes since the day began. */
  readonly cursorMinutes: number;
  /** The length of the meeting. */
  readonly lengthMinutes: number;
  /** Working hours in every place, in minutes after midnight. */
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
  const hasHours = workStartMinutes !== null && workEndMinutes !== null && workStartMinutes < workEndMinutes;
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

/** Minutes after midnight as `HH:MM`. */
export function clockText(minutes: number): string {
  return [minutes / 60, minutes % 60].map(part => String(Math.floor(part)).padStart(2, '0')).join(':');
}

function minutesOf(clock: string | null): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock ?? '') ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

function isDate(text: string): boolean {
  const epochMs = /^(19|20)\d\d-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : Number.NaN;
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text);
}
