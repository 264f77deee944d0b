import { SearchMoonPhase, SearchSunLongitude } from 'astronomy-engine';
import { BoundedCache } from '../../../src/common/caching.ts';
import { dayNumberOf, MS_PER_DAY, SECONDS_PER_HOUR } from '../../../src/common/civil.ts';
import { TABLE_YEARS, yearsIn } from '../dates.ts';

/** A month of the Chinese, Korean or Vietnamese calendar. */
export interface LunisolarMonth {
  /** 1 to 12; a leap month has the number of the previous month. */
  readonly month: number;
  readonly isLeap: boolean;
  /** The day of its new moon, as days since 1970-01-01. */
  readonly firstDay: number;
}

/** The meridians of the calendars, in hours. */
export const UTC_OFFSETS = { chinese: 8, korean: 9, vietnamese: 7 } as const;

const MS_PER_HOUR = SECONDS_PER_HOUR * 1000;
/** The longitude of the sun, in degrees. */
export const WINTER_SOLSTICE = 270;
const DEGREES_PER_TERM = 30;

/**
 * Months from the eleventh, which has the winter solstice of `year - 1`, to the tenth or its leap month before the
 * solstice of `year`, by the rule of GB/T 33661-2017: days begin at midnight of a meridian; if thirteen new moons
 * lie between two eleventh months, the first month without a principal term is the leap month.
 */
export function lunisolarMonths(year: number, utcOffsetHours: number): LunisolarMonth[] {
  const first = eleventhMonth(year - 1, utcOffsetHours);
  const end = eleventhMonth(year, utcOffsetHours);
  const firstDays = [first];
  for (let day = nextNewMoon(first, utcOffsetHours); day < end; day = nextNewMoon(day, utcOffsetHours)) {
    firstDays.push(day);
  }
  const terms = principalTerms(year, utcOffsetHours);
  const hasTerm = (index: number) => {
    const monthEnd = firstDays[index + 1] ?? end;
    return terms.some(day => day >= firstDays[index]! && day < monthEnd);
  };
  const leapAt =
    firstDays.length === 13 ? firstDays.findIndex((_, index) => index > 0 && !hasTerm(index)) : -1;
  return firstDays.map((firstDay, index) => {
    const isBehindLeap = leapAt !== -1 && index >= leapAt;
    return { month: ((index - (isBehindLeap ? 1 : 0) + 10) % 12) + 1, isLeap: index === leapAt, firstDay };
  });
}

/** The first day of the month with the winter solstice of a year. */
function eleventhMonth(year: number, utcOffsetHours: number): number {
  const solstice = dayOfLongitude(WINTER_SOLSTICE, year, 12, utcOffsetHours);
  let day = newMoonFrom(solstice - 32, utcOffsetHours);
  for (let next = day; next <= solstice; next = nextNewMoon(next, utcOffsetHours)) day = next;
  return day;
}

/** The days of the twelve principal terms from one winter solstice to the next. */
function principalTerms(year: number, utcOffsetHours: number): number[] {
  return Array.from({ length: 12 }, (_, index) => {
    const longitude = (WINTER_SOLSTICE + DEGREES_PER_TERM * index) % 360;
    return index === 0
      ? dayOfLongitude(longitude, year - 1, 12, utcOffsetHours)
      : dayOfLongitude(longitude, year, index, utcOffsetHours);
  });
}

/** The day on which the sun reaches a longitude, within the given month. */
export function dayOfLongitude(degrees: number, year: number, month: number, utcOffsetHours: number): number {
  const from = new Date(dayNumberOf(year, month, 1) * MS_PER_DAY);
  const time = SearchSunLongitude(degrees, from, 40);
  if (time === null)
    throw new Error(`The sun does not reach ${degrees}° within 40 days of ${from.toISOString()}`);
  return localDay(time.date, utcOffsetHours);
}

function nextNewMoon(day: number, utcOffsetHours: number): number {
  return newMoonFrom(day + 25, utcOffsetHours);
}

function newMoonFrom(day: number, utcOffsetHours: number): number {
  const from = new Date(day * MS_PER_DAY - utcOffsetHours * MS_PER_HOUR);
  const time = SearchMoonPhase(0, from, 35);
  if (time === null) throw new Error(`No new moon within 35 days of ${from.toISOString()}`);
  return localDay(time.date, utcOffsetHours);
}

function localDay(date: Date, utcOffsetHours: number): number {
  return Math.floor((date.getTime() + utcOffsetHours * MS_PER_HOUR) / MS_PER_DAY);
}

/** By year and meridian. */
const MONTHS = new BoundedCache<string, readonly LunisolarMonth[]>(3 * (yearsIn(TABLE_YEARS).length + 1));

/** The day of a date in the lunisolar year that begins in a Gregorian year; never in a leap month. */
export function lunisolarDay(year: number, month: number, day: number, utcOffsetHours: number): number {
  // The months from one eleventh month to the next contain those of a year except the last two.
  const searched = month >= 11 ? year + 1 : year;
  const months = MONTHS.getOrInsertComputed(`${searched} ${utcOffsetHours}`, () =>
    lunisolarMonths(searched, utcOffsetHours),
  );
  return months.find(candidate => candidate.month === month && !candidate.isLeap)!.firstDay + day - 1;
}
