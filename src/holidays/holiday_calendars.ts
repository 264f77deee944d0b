import { BoundedCache, once } from '../common/caching.ts';
import { dayNumberOf, weekdayOf } from '../common/civil.ts';
import { DaySet } from '../common/day_set.ts';
import { quoted, ServiceError, unwantedList } from '../common/errors.ts';
import { BusinessDays } from './business_days.ts';
import {
  type CalendarParameters,
  findCountry,
  findSubdivision,
  HOLIDAY_PARAMETERS,
} from './find_calendar.ts';
import type { HolidayCalendar, NamedDay, SubstitutedHoliday } from './holiday_calendar.ts';
import {
  type CountryEntry,
  type DayList,
  decodeHolidayPack,
  type PackHeader,
  readHolidayPackHeader,
  type Substitutes,
  type TableEntry,
} from './holiday_pack.ts';
import type { OrganisationCalendar, OrganisationDay } from './organisation_calendar.ts';

/** The source of days from an organisation's calendar. */
const ORGANISATION_SOURCE = 'organisation calendar';

/** Calendars created on first use, of 15 KB each: 6 MB at most, since up to twice as many are cached. */
const CACHED_CALENDARS = 200;

/** All calendars of a pack, which is decoded on the first request. */
export class HolidayCalendars {
  /** The pack's description. */
  readonly header: PackHeader;
  /** The organisation's own days, which override those of every calendar. */
  readonly organisation: OrganisationCalendar | null;
  readonly #countries: () => readonly CountryEntry[];
  readonly #made = new BoundedCache<TableEntry, HolidayCalendar>(CACHED_CALENDARS);

  constructor(pack: Uint8Array, organisation: OrganisationCalendar | null = null) {
    this.header = readHolidayPackHeader(pack);
    this.#countries = once(() => decodeHolidayPack(pack).countries);
    this.organisation = organisation;
  }

  /** When the years end in which holidays that follow from law are certain; null in older packs. */
  get certainUntilMs(): number | null {
    const { certainThrough } = this.header;
    return certainThrough === undefined ? null : Date.UTC(certainThrough + 1, 0);
  }

  /** The countries, by code. */
  get countries(): readonly CountryEntry[] {
    return this.#countries();
  }

  /**
   * The calendar of a country or a part of it, by case-insensitive codes. Throws `INVALID_PARAMETER` for an unknown code; the
   * error lists the known ones.
   */
  calendar(
    countryCode: string,
    subdivisionCode: string | null,
    parameters: CalendarParameters = HOLIDAY_PARAMETERS,
  ): HolidayCalendar {
    return this.calendarOf(this.country(countryCode, parameters), subdivisionCode, parameters);
  }

  /** The calendar of a known country or a part of it; throws like `calendar`. */
  calendarOf(
    country: CountryEntry,
    subdivisionCode: string | null,
    parameters: CalendarParameters = HOLIDAY_PARAMETERS,
  ): HolidayCalendar {
    const part = subdivisionCode === null ? null : this.#subdivision(country, subdivisionCode, parameters);
    const known = this.#made.get(part ?? country);
    if (known !== undefined) return known;
    const calendar = makeCalendar(this.header, country, part, this.organisation);
    this.#made.set(part ?? country, calendar);
    return calendar;
  }

  /** The country of a case-insensitive code; throws like `calendar`. */
  country(code: string, parameters: CalendarParameters = HOLIDAY_PARAMETERS): CountryEntry {
    const country = findCountry(this.countries, code);
    if (country !== undefined) return country;
    if (code.includes(',')) throw unwantedList(parameters.country, quoted(code), 'country');
    const codes = this.countries.map(known => known.code);
    throw new ServiceError(
      'INVALID_PARAMETER',
      `Cannot read '${parameters.country}': no holidays are known for ${quoted(code)}; there are those of ${codes.join(', ')}`,
      { parameter: parameters.country, valid_countries: codes },
    );
  }

  #subdivision(country: CountryEntry, code: string, parameters: CalendarParameters): TableEntry {
    const part = findSubdivision(country, code);
    if (part !== undefined) return part;
    const codes = country.subdivisions.map(known => known.code);
    const choice = codes.length === 0 ? 'it has one calendar for all' : `it has ${codes.join(', ')}`;
    throw new ServiceError(
      'INVALID_PARAMETER',
      `Cannot read '${parameters.subdivision}': ${country.name} (${country.code}) has no ${quoted(code)}; ${choice}`,
      { parameter: parameters.subdivision, valid_subdivisions: codes },
    );
  }
}

function makeCalendar(
  { firstYear, lastYear }: PackHeader,
  country: CountryEntry,
  part: TableEntry | null,
  organisation: OrganisationCalendar | null,
): HolidayCalendar {
  const own = organisation?.daysOf(country.code, part?.code ?? null) ?? new Map<number, OrganisationDay>();
  const { coverage, workWeek, readDays: readPublicDays } = part ?? country;
  const readDays = (firstDay = 0, lastDay = Number.POSITIVE_INFINITY) =>
    withOwnDays(readPublicDays(firstDay, lastDay), own, firstDay, lastDay);
  const bounds = { firstDay: dayNumberOf(firstYear, 1, 1), endDay: dayNumberOf(lastYear + 1, 1, 1) };
  const lists = readDays();
  const holidays = new DaySet(bounds);
  for (const { isWorkday, dayNumbers } of lists) if (!isWorkday) holidays.addAll(dayNumbers);
  // Day numbers until business days are needed: a calendar has few of them, and a day set for all years takes 6 KB.
  const worked = lists.filter(({ isWorkday }) => isWorkday).flatMap(({ dayNumbers }) => dayNumbers);
  const publicHolidays = holidays.without(new DaySet(bounds, worked));
  const businessDays = once(() =>
    BusinessDays.of({ workWeek, holidays: publicHolidays, workdays: new DaySet(bounds, worked) }),
  );
  const daysOf =
    (isWorkday: boolean) =>
    (year: number, lastYear = year) =>
      daysOfYears(readDays(), country.readSubstitutes(), year, lastYear, isWorkday);
  return {
    country,
    subdivision: part,
    weekend: workWeek.at(-1)!.weekend,
    workWeek,
    coverage,
    subdivisionsDiffer: part === null && country.subdivisionsDiffer,
    bounds,
    publicHolidays,
    // Schedules and recurrences do not need them.
    get businessDays() {
      return businessDays();
    },
    translated: (name, language) => country.readTranslations().get(name)?.get(language),
    holidaysOf: daysOf(false),
    workdaysOf: daysOf(true),
    datesBetween: (firstDay, lastDay) =>
      readDays(firstDay, lastDay).flatMap(({ name, nameEn, isWorkday, dayNumbers }) =>
        dayNumbers.map(dayNumber => ({ dayNumber, name, nameEn, isWorkday })),
      ),
  };
}

/** Applies an organisation's days to the public ones of a range; if both have a day, the organisation's takes precedence. */
function withOwnDays(
  lists: readonly DayList[],
  own: ReadonlyMap<number, OrganisationDay>,
  firstDay: number,
  lastDay: number,
): readonly DayList[] {
  if (own.size === 0) return lists;
  const isAgreed = (list: DayList, day: number) =>
    (own.get(day)?.isWorkday ?? list.isWorkday) === list.isWorkday;
  const ownDays = [...own.values()].filter(day => day.dayNumber >= firstDay && day.dayNumber <= lastDay);
  return [
    ...lists.map(list => ({ ...list, dayNumbers: list.dayNumbers.filter(day => isAgreed(list, day)) })),
    ...ownDays.map(
      ({ name, isWorkday, dayNumber }): DayList => ({
        name,
        nameEn: null,
        isWorkday,
        isSubstitute: false,
        status: 'announced',
        source: ORGANISATION_SOURCE,
        dayNumbers: [dayNumber],
      }),
    ),
  ];
}

function daysOfYears(
  lists: readonly DayList[],
  substitutes: Substitutes,
  year: number,
  lastYear: number,
  isWorkday: boolean,
): NamedDay[] {
  const [firstDay, endDay] = [dayNumberOf(year, 1, 1), dayNumberOf(lastYear + 1, 1, 1)];
  const originals = lists.filter(list => !list.isWorkday && !list.isSubstitute);
  return lists
    .filter(list => list.isWorkday === isWorkday)
    .flatMap(({ name, nameEn, status, source, isSubstitute, dayNumbers }) => {
      const holiday = isSubstitute ? substitutes.get(name) : undefined;
      const candidates = holiday === null ? originals : originals.filter(list => list.name === holiday?.name);
      return dayNumbers
        .filter(day => day >= firstDay && day < endDay)
        .map(dayNumber => ({
          dayNumber,
          name,
          nameEn,
          status,
          source,
          substituteFor: holiday === undefined ? null : originalOf(dayNumber, holiday, candidates),
        }));
    })
    .sort((a, b) => a.dayNumber - b.dayNumber);
}

/** How far a substitute can be from its holiday, such as after the seven days of a Spring Festival. */
export const SUBSTITUTE_REACH_DAYS = 14;

/**
 * The holiday of a substitute: the nearest of its name, without its day if the holiday itself was moved; or, if it can be any
 * holiday, the last preceding one on a Saturday or Sunday.
 */
function originalOf(
  dayNumber: number,
  holiday: Pick<DayList, 'name' | 'nameEn'> | null,
  candidates: readonly DayList[],
): SubstitutedHoliday | null {
  const distance = (day: number) => Math.abs(day - dayNumber);
  const [nearest] = candidates
    .flatMap(({ name, nameEn, dayNumbers }) =>
      dayNumbers
        .filter(day => day !== dayNumber && distance(day) <= SUBSTITUTE_REACH_DAYS)
        .filter(day => holiday !== null || (day < dayNumber && weekdayOf(day) % 6 === 0))
        .map(day => ({ dayNumber: day, name, nameEn })),
    )
    .sort((a, b) => distance(a.dayNumber) - distance(b.dayNumber));
  if (nearest !== undefined || holiday === null) return nearest ?? null;
  return { dayNumber: null, ...holiday };
}
