/**
 * An inconsistency within a time payload, or one in an array, or null: the instant is the same in
 * all of its forms, and the names are those of its date. Other payloads have no such invariants.
 */
export function faultOfPayload(payload: unknown): string | null {
  if (Array.isArray(payload)) return payload.map(faultOfPayload).find(fault => fault !== null) ?? null;
  if (typeof payload !== 'object' || payload === null || !('rfc2822' in payload)) return null;
  const time = payload as TimeFields;
  const local = wallClockOf(time.iso_local ?? time.utc);
  if (local === null) return `${time.iso_local} is no local time`;
  const laws: Readonly<Record<string, boolean>> = {
    'unix is unix_ms in whole seconds': time.unix === Math.floor(time.unix_ms / 1000),
    'utc is unix': Date.parse(time.utc) === time.unix * 1000,
    'iso_local is unix': local.epochMs === time.unix * 1000,
    'day_number is that of the local date': time.day_number === local.date.getUTCDay() + 1,
    'day_full begins with day_short': time.day_full.startsWith(time.day_short),
    'rfc2822 begins with day_short': time.rfc2822.startsWith(`${time.day_short}, `),
    'iso_local and timezone are null together, but for offsets':
      time.iso_local !== null || time.timezone === null,
  };
  const broken = Object.entries(laws).find(([, holds]) => !holds);
  return broken === undefined ? null : `not so: ${broken[0]}`;
}

interface TimeFields {
  readonly unix: number;
  readonly unix_ms: number;
  readonly utc: string;
  readonly iso_local: string | null;
  readonly timezone: string | null;
  readonly rfc2822: string;
  readonly day_number: number;
  readonly day_short: string;
  readonly day_full: string;
}

/** Days of 400 years, after which the calendar repeats, weekdays too. */
const CYCLE_MS = 146_097 * 86_400_000;

/** A local time as a `Date` with the same weekday, and its instant. */
function wallClockOf(iso: string): { date: Date; epochMs: number } | null {
  const [, year, clock, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^([+-]?\d{4,6})(-\d\d-\d\dT\d\d:\d\d:\d\d)(?:Z|([+-])(\d\d):(\d\d)(?::(\d\d))?)$/.exec(iso) ?? [];
  if (clock === undefined) return null;
  // Local times extend up to a day beyond the range of `Date`; shifted toward 0 they all fit.
  const shift = Number(year) > 0 ? -1 : 1;
  const [digits, minus] = [
    `${Math.abs(Number(year) + shift * 400)}`,
    Number(year) + shift * 400 < 0 ? '-' : '+',
  ];
  const date = new Date(`${minus}${digits.padStart(6, '0')}${clock}Z`.replace('-000000', '+000000'));
  const offsetSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const epochMs = date.getTime() - shift * CYCLE_MS - Number(`${sign}1`) * offsetSeconds * 1000;
  return { date, epochMs };
}
