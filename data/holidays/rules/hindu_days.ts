import { Body, MakeTime, Observer, SearchMoonPhase, SearchRiseSet, SunPosition } from 'astronomy-engine';
import { BoundedCache } from '../../../src/common/caching.ts';
import { MS_PER_DAY } from '../../../src/common/civil.ts';
import { countryOf } from '../codes.ts';
import { isoDateOf, TABLE_YEARS, yearOf, yearsIn } from '../dates.ts';
import type { SourceDay } from '../source_days.ts';

/** A holiday on a tithi, a thirtieth of a lunation, observed on the day whose window it covers most. */
interface HinduHoliday {
  /** The names by country, also in its subdivisions. */
  readonly names: Readonly<Record<string, string>>;
  /** The month, by the sign of the sun at its new moon: 0 for Mesha (Vaishakha), 11 for Mina (Chaitra). */
  readonly sign: number;
  /** 1 to 30; 15 ends with the full moon, 30 with the new moon. */
  readonly tithi: number;
  readonly windowOf: (sun: SunTimes) => readonly [fromMs: number, toMs: number];
}

/** Sunrise and sunset of a day, and the sunrise of the next, in ms since 1970. */
interface SunTimes {
  readonly riseMs: number;
  readonly setMs: number;
  readonly nextRiseMs: number;
}

const atSunrise = ({ riseMs }: SunTimes) => [riseMs, riseMs + 1] as const;
/** Pradosha, the first fifth of the night. */
const inTheEvening = ({ setMs, nextRiseMs }: SunTimes) => [setMs, setMs + (nextRiseMs - setMs) / 5] as const;
/** Nishita, the eighth of the fifteen parts of the night. */
const atMidnight = ({ setMs, nextRiseMs }: SunTimes) => {
  const [middle, half] = [(setMs + nextRiseMs) / 2, (nextRiseMs - setMs) / 30];
  return [middle - half, middle + half] as const;
};

/**
 * The holidays whose tables the rule reproduces in every year. It does not reproduce Holi, Ram Navami, Mahavir
 * Jayanti, Buddha Purnima, Janmashtami and Dussehra of India, Ganesh Chaturthi of Mauritius, Phagwah of Guyana and
 * Suriname, Diwali of Fiji and most feasts of Nepal, which government lists move: they end with their tables.
 */
const HOLIDAYS: readonly HinduHoliday[] = [
  {
    names: { GY: 'Deepavali', IN: 'Diwali (Deepavali)', MU: 'Divali', NP: 'लक्ष्मीपूजा' },
    sign: 5,
    tithi: 30,
    windowOf: inTheEvening,
  },
  {
    names: { IN: 'Maha Shivaratri', MU: 'Maha Shivaratree', NP: 'महाशिवरात्रि' },
    sign: 9,
    tithi: 29,
    windowOf: atMidnight,
  },
  { names: { IN: "Guru Nanak's Jayanti" }, sign: 6, tithi: 15, windowOf: atSunrise },
  { names: { NP: 'बुद्ध जयन्ती' }, sign: 0, tithi: 15, windowOf: atSunrise },
  { names: { MU: 'Ougadi' }, sign: 11, tithi: 1, windowOf: atSunrise },
];

/**
 * Extends a calendar's Hindu holidays to 2100, as estimates, after their tables end. Throws an `Error` for a table with a
 * year in which the rule gives another day: then the rule or the table is wrong.
 */
export function carryHinduDaysOn(code: string, holidays: readonly SourceDay[]): SourceDay[] {
  const added = HOLIDAYS.flatMap(holiday => {
    const table = holidays.filter(({ name }) => name === holiday.names[countryOf(code)]);
    if (table.length === 0) return [];
    const byYear = new Map(table.map(day => [yearOf(day.dayNumber), day]));
    for (const year of byYear.keys()) requireDay(code, table, year, dayOf(holiday, year));
    const lastYear = Math.max(...byYear.keys());
    const model = { ...byYear.get(lastYear)!, status: 'estimated' } as const;
    const years = yearsIn({ ...TABLE_YEARS, firstYear: lastYear + 1 });
    return years.map(year => ({ ...model, dayNumber: dayOf(holiday, year) }));
  });
  return [...holidays, ...added];
}

function requireDay(code: string, table: readonly SourceDay[], year: number, expected: number): void {
  if (table.some(({ dayNumber }) => dayNumber === expected)) return;
  throw new Error(`hindu_days.ts: ${code}: no '${table[0]!.name}' of ${year} on ${isoDateOf(expected)}`);
}

/** India's standard time, UTC+5:30. */
const INDIAN_OFFSET_MS = 19_800_000;
/** Ujjain, on the prime meridian of Indian astronomy. */
const UJJAIN = new Observer(23.18, 75.77, 0);

function dayOf(holiday: HinduHoliday, year: number): number {
  return DAYS.getOrInsertComputed(`${HOLIDAYS.indexOf(holiday)} ${year}`, () => computeDay(holiday, year));
}

/** By holiday and year. */
const DAYS = new BoundedCache<string, number>(HOLIDAYS.length * yearsIn(TABLE_YEARS).length);

function computeDay(holiday: HinduHoliday, year: number): number {
  const [fromMs, toMs] = tithiOf(holiday, year);
  const first = indianDay(fromMs);
  const candidates = Array.from({ length: indianDay(toMs) - first + 1 }, (_, index) => {
    const [windowFromMs, windowToMs] = holiday.windowOf(sunTimes(first + index));
    return { day: first + index, ms: Math.min(toMs, windowToMs) - Math.max(fromMs, windowFromMs) };
  });
  // A tithi that covers no window, since it is shorter than a day, belongs to its first day.
  return candidates.reduce((most, candidate) => (candidate.ms > Math.max(most.ms, 0) ? candidate : most)).day;
}

/** The start and end of a tithi, in a year's month that is not a leap month: those repeat their sign. */
function tithiOf({ sign, tithi }: HinduHoliday, year: number): readonly [fromMs: number, toMs: number] {
  const newMoons: number[] = [];
  for (let ms = Date.UTC(year - 1, 11, 1); newMoons.length < 15; ms = newMoons.at(-1)! + 20 * MS_PER_DAY) {
    newMoons.push(phaseMs(0, ms, 40));
  }
  const at = newMoons.findIndex(
    (ms, index) =>
      signOf(ms) === sign &&
      signOf(newMoons[index + 1]!) !== sign &&
      yearOf(indianDay(ms + (tithi - 1) * MS_PER_DAY)) === year,
  );
  const boundary = (degrees: number) =>
    degrees === 0
      ? newMoons[at]!
      : phaseMs(degrees % 360, newMoons[at]! + (degrees / 360) * 29.53 * MS_PER_DAY - 4 * MS_PER_DAY, 9);
  return [boundary((tithi - 1) * 12), boundary(tithi * 12)];
}

/** When the moon is next ahead of the sun by an angle, at most `limitDays` after a time. */
function phaseMs(degrees: number, fromMs: number, limitDays: number): number {
  return SearchMoonPhase(degrees, new Date(fromMs), limitDays)!.date.getTime();
}

/** The sidereal sign of the sun, 0 to 11, by the ayanamsa of Lahiri: 23.853° in 2000, and 50.28″ more each year. */
function signOf(ms: number): number {
  const time = MakeTime(new Date(ms));
  const ayanamsa = 23.853 + ((time.tt / 365.25) * 50.28) / 3600;
  return Math.floor(((SunPosition(time).elon - ayanamsa + 360) % 360) / 30);
}

function sunTimes(day: number): SunTimes {
  const event = (direction: 1 | -1, ofDay: number) => {
    const from = new Date(ofDay * MS_PER_DAY - INDIAN_OFFSET_MS);
    return SearchRiseSet(Body.Sun, UJJAIN, direction, from, 1)!.date.getTime();
  };
  return { riseMs: event(1, day), setMs: event(-1, day), nextRiseMs: event(1, day + 1) };
}

function indianDay(ms: number): number {
  return Math.floor((ms + INDIAN_OFFSET_MS) / MS_PER_DAY);
}
