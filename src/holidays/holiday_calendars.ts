import { BoundedCache } from '../common/bounded_cache.ts';
import { dayNumberOf, weekdayOf } from '../common/civil.ts';
import { DaySet } from '../common/day_set.ts';
import { once } from '../common/once.ts';
import { quoted, ServiceError, unwantedList } from '../common/service_error.ts';
import { BusinessDays } from './business_days.ts';
import { CalendarIndex } from './calendar_index.ts';
import type { HolidayCalendar, NamedDay, SubstitutedHoliday } from './holiday_calendar.ts';
import {
  type CountryEntry,
  type DayList,
  decodeHolidayPack,
  type PackHeader,
  readHolidayPackHeader,
  type TableEntry,
} from './holiday_pack.ts';
import type { OrganisationCalendar, OrganisationDay } from './organisation_calendar.ts';

/** The query parameters that a caller named a calendar by, for the words of an error. */
export interface CalendarParameters {
  readonly country: string;
  readonly subdivision: string;
}

/** Those of `diff` and `elapsed`. */
export const DIFF_PARAMETERS: CalendarParameters = {
  country: 'holiday_country',
  subdivision: 'holiday_subdivision',
};

/** What days of an organisation's calendar give as their source. */
const ORGANISATION_SOURCE = 'organisation calendar';

/** Calendars made at their first use, of 15 KB each: 6 MB at most, since twice as many are held. */
const CACHED_CALENDARS = 200;

/** All calendars of a pack, which is decoded at the first request. */
export class HolidayCalendars {
  /** What the pack says of itself. */
  readonly header: PackHeader;
  /** The organisation's own days, laid over every calendar. */
  readonly organisation: OrganisationCalendar | null;
  readonly #pack: Uint8Array;
  #opened: { readonly countries: readonly CountryEntry[]; readonly index: CalendarIndex } | undefined;
  readonly #made = new BoundedCache<TableEntry, HolidayCalendar>(CACHED_CALENDARS);

  constructor(pack: Uint8Array, organisation: OrganisationCalendar | null = null) {
    this.header = readHolidayPackHeader(pack);
    this.#pack = pack;
    this.organisation = organisation;
  }

  /** The countries, by code. */
  get countries(): readonly CountryEntry[] {
    return this.#open().countries;
  }

  /**
   * The calendar of a country, or of a part of it, by codes in any letter case. Throws `INVALID_PARAMETER` where a
   * code is not known; the error lists those that are.
   */
  calendar(
    countryCode: string,
    subdivisionCode: string | null,
    parameters: CalendarParameters = DIFF_PARAMETERS,
  ): HolidayCalendar {
    return this.calendarOf(this.country(countryCode, parameters), subdivisionCode, parameters);
  }

  /** The calendar of a country that was found before, or of a part of it; errors as `calendar`. */
  calendarOf(
    country: CountryEntry,
    subdivisionCode: string | null,
    parameters: CalendarParameters = DIFF_PARAMETERS,
  ): HolidayCalendar {
    const part = subdivisionCode === null ? null : this.#subdivision(country, subdivisionCode, parameters);
    const known = this.#made.get(part ?? country);
    if (known !== undefined) return known;
    const calendar = makeCalendar(this.header, country, part, this.organisation);
    this.#made.set(part ?? country, calendar);
    return calendar;
  }

  /** The country of a code in any letter case; errors as `calendar`. */
  country(code: string, parameters: CalendarParameters = DIFF_PARAMETERS): CountryEntry {
    const { index, countries } = this.#open();
    const country = index.country(code);
    if (country !== undefined) return country;
    if (code.includes(',')) throw unwantedList(parameters.country, quoted(code), 'country');
    const codes = countries.map(known => known.code);
    throw new ServiceError(
      'INVALID_PARAMETER',
      `Cannot read '${parameters.country}': no holidays are known for ${quoted(code)}; there are those of ${codes.join(', ')}`,
      { parameter: parameters.country, valid_countries: codes },
    );
  }

  #subdivision(country: CountryEntry, code: string, parameters: CalendarParameters): TableEntry {
    const part = this.#open().index.subdivision(country, code);
    if (part !== undefined) return part;
    const codes = country.subdivisions.map(known => known.code);
    const choice = codes.length === 0 ? 'it has one calendar for all' : `it has ${codes.join(', ')}`;
    throw new ServiceError(
      'INVALID_PARAMETER',
      `Cannot read '${parameters.subdivision}': ${country.name} (${country.code}) has no ${quoted(code)}; ${choice}`,
      { parameter: parameters.subdivision, valid_subdivisions: codes },
    );
  }

  #open() {
    if (this.#opened === undefined) {
      const { countries } = decodeHolidayPack(this.#pack);
      this.#opened = { countries, index: new CalendarIndex(countries) };
    }
    return this.#opened;
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
  const readDays = (firstDay?: number, lastDay?: number) =>
    withOwnDays(readPublicDays(firstDay, lastDay), own);
  const bounds = { firstDay: dayNumberOf(firstYear, 1, 1), endDay: dayNumberOf(lastYear + 1, 1, 1) };
  const lists = readDays();
  const holidays = new DaySet(bounds);
  for (const { isWorkday, dayNumbers } of lists) if (!isWorkday) holidays.addAll(dayNumbers);
  // Few, unlike the words of a set, which are not held.
  const worked = lists.filter(({ isWorkday }) => isWorkday).flatMap(({ dayNumbers }) => dayNumbers);
  const publicHolidays = holidays.without(new DaySet(bounds, worked));
  const businessDays = once(() =>
    BusinessDays.of({ workWeek, holidays: publicHolidays, workdays: new DaySet(bounds, worked) }),
  );
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
    // Decoded again for each listing: that takes 70 µs and no memory.
    holidaysOf: (year, lastYear = year) => daysOfYears(readDays(), year, lastYear, false),
    workdaysOf: (year, lastYear = year) => daysOfYears(readDays(), year, lastYear, true),
    datesBetween: (firstDay, lastDay) =>
      readDays(firstDay, lastDay).flatMap(({ name, nameEn, isWorkday, dayNumbers }) =>
        dayNumbers
          .filter(day => day >= firstDay && day <= lastDay)
          .map(dayNumber => ({ dayNumber, name, nameEn, isWorkday })),
      ),
  };
}

/** Applies an organisation's days to the public ones: where both have a day, the organisation decides. */
function withOwnDays(
  lists: readonly DayList[],
  own: ReadonlyMap<number, OrganisationDay>,
): readonly DayList[] {
  if (own.size === 0) return lists;
  const isAgreed = (list: DayList, day: number) =>
    (own.get(day)?.isWorkday ?? list.isWorkday) === list.isWorkday;
  return [
    ...lists.map(list => ({ ...list, dayNumbers: list.dayNumbers.filter(day => isAgreed(list, day)) })),
    ...[...own.values()].map(
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
  year: number,
  lastYear: number,
  isWorkday: boolean,
): NamedDay[] {
  const [firstDay, endDay] = [dayNumberOf(year, 1, 1), dayNumberOf(lastYear + 1, 1, 1)];
  const originals = lists
    .filter(list => !list.isWorkday && !list.isSubstitute)
    .flatMap(({ name, nameEn, dayNumbers }) =>
      dayNumbers
        .filter(day => day >= firstDay - SUBSTITUTE_REACH_DAYS && day < endDay + SUBSTITUTE_REACH_DAYS)
        .map(dayNumber => ({ dayNumber, name, nameEn })),
    );
  return lists
    .filter(list => list.isWorkday === isWorkday)
    .flatMap(({ name, nameEn, status, source, isSubstitute, dayNumbers }) =>
      dayNumbers
        .filter(day => day >= firstDay && day < endDay)
        .map(dayNumber => ({
          dayNumber,
          name,
          nameEn,
          status,
          source,
          substituteFor: isSubstitute ? originalOf({ dayNumber, name, nameEn }, originals) : null,
        })),
    )
    .sort((a, b) => a.dayNumber - b.dayNumber);
}

/** How far a substitute can be from its holiday: behind the seven days of a Spring Festival, for example. */
const SUBSTITUTE_REACH_DAYS = 14;

/** A day and its names. */
type Named = Pick<NamedDay, 'dayNumber' | 'name' | 'nameEn'>;

/**
 * The holiday that a substitute is given for: the nearest whose name is within the name of the substitute; without its
 * day where the holiday itself was moved. Where the name is that of all substitutes (`振替休日`), it is the last one
 * before it that was on a Saturday or Sunday.
 */
function originalOf(
  { dayNumber, name, nameEn }: Named,
  originals: readonly Named[],
): SubstitutedHoliday | null {
  const distance = (day: Named) => Math.abs(day.dayNumber - dayNumber);
  const near = originals
    .filter(day => day.dayNumber !== dayNumber && distance(day) <= SUBSTITUTE_REACH_DAYS)
    .sort((a, b) => distance(a) - distance(b));
  const named = near.find(day => name.includes(day.name));
  if (named !== undefined) return named;
  if (SUBSTITUTE_LABEL.test(name)) {
    return { dayNumber: null, name: withoutLabel(name), nameEn: nameEn && withoutLabel(nameEn) };
  }
  return near.find(day => day.dayNumber < dayNumber && weekdayOf(day.dayNumber) % 6 === 0) ?? null;
}

/** What Thai, Lao, Swahili and Malay write before the name; `Cuti` in Malay is also any other day off. */
export const SUBSTITUTE_PREFIX = /^(?:ชดเชย|ພັກຊົດເຊີຍ|Badala ya |Cuti (?!Peristiwa|Piala|tambahan))/;

/** `(observed)` in any language, or the prefix. */
const SUBSTITUTE_LABEL = new RegExp(`\\s*[（(][^（()）]*[）)]$|${SUBSTITUTE_PREFIX.source}`);

function withoutLabel(name: string): string {
  return name.replace(SUBSTITUTE_LABEL, '');
}
