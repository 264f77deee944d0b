import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { BoundedCache } from '../common/caching.ts';
import { civilDateOf, dayNumberOf, weekdayOf } from '../common/civil.ts';
import { dateText } from '../common/iso_text.ts';
import { encode, type Json, nullable, objectSchema } from '../common/json.ts';
import { codeOf, type HolidayCalendar, type NamedDay } from '../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { CountryEntry, NamedCode } from '../holidays/holiday_pack.ts';
import { languageOfPlace, nameLanguageOf } from '../holidays/name_language.ts';
import { basicForm, calendar as calendarOf, component, textValue } from '../text/icalendar.ts';
import { WEEKDAYS_FULL } from '../text/languages.ts';
import { CoveragePayload, coverageOf, SubdivisionsDiffer } from './business_days.ts';

const Weekdays = Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
  description: 'Weekend days: 1 is Monday, 7 Sunday.',
});
const WorkWeek = Type.Array(
  objectSchema('WorkWeekPeriod', 'The weekend from a date until the next period.', {
    from: Type.String({ format: 'date', description: 'First day of the period.' }),
    weekend: Weekdays,
  }),
  { description: 'The weekend by period, earliest first; `weekend` is that of the latest period.' },
);
const Code = Type.String({ description: 'ISO 3166-1 alpha-2 code of the country.' });
const Place = objectSchema('HolidayPlace', 'A country, or a subdivision with its own holidays.', {
  code: Type.String({ description: 'The code to use in parameters.' }),
  name: Type.String({ description: 'The name in English, or in the language of `lang` if known.' }),
});
export const DayDate = Type.String({ format: 'date', description: 'Date, `YYYY-MM-DD`.' });
const DayName = Type.String({ description: 'Name in the local language, or in that of `lang`.' });
const NAMED = {
  date: DayDate,
  name: DayName,
  name_en: nullable(Type.String(), 'Name in English; null if unknown.'),
};
const SOURCED = {
  status: Type.Union([Type.Literal('statutory'), Type.Literal('announced'), Type.Literal('estimated')], {
    description:
      'By law (`statutory`), by an announcement for this date only (`announced`), or computed, pending an announcement or a ' +
      'sighting of the moon (`estimated`).',
  }),
  source: Type.String({
    description: "The library, the official text behind a correction, or the organisation's calendar.",
  }),
};
const Holiday = objectSchema('Holiday', 'A public holiday.', {
  ...NAMED,
  day_full: Type.String({ description: 'Weekday.' }),
  ...SOURCED,
  substitute_for: Type.Optional(
    objectSchema('SubstitutedHoliday', 'The holiday for which this day is a substitute.', {
      date: nullable(DayDate, 'Its date; null if the source gives none.'),
      name: DayName,
    }),
  ),
});
type Holiday = Static<typeof Holiday>;
const Workday = objectSchema('Workday', 'A worked day that would otherwise be off.', {
  ...NAMED,
  ...SOURCED,
});
type Workday = Static<typeof Workday>;

/** Members that describe a calendar as a whole. */
const CALENDAR = {
  weekend: Weekdays,
  work_week: WorkWeek,
  coverage: CoveragePayload,
  subdivisions_differ: SubdivisionsDiffer,
};

function listing<Span extends TProperties>($id: string, description: string, span: Span) {
  return objectSchema($id, description, {
    country: Code,
    subdivision: nullable(Type.String(), 'Code of the subdivision; null if none was given.'),
    ...span,
    ...CALENDAR,
    holidays: Type.Array(Holiday, { description: 'All holidays, by date; two may share a date.' }),
    workdays: Type.Array(Workday, { description: 'Worked days that would otherwise be off.' }),
  });
}

export const YearListing = listing('HolidaysOfYear', 'The holidays of a year, with `country` and `year`.', {
  year: Type.Integer({ description: 'The calendar year.' }),
});
export type YearListing = Static<typeof YearListing>;

export const RangeListing = listing(
  'HolidaysOfRange',
  'The holidays in a range, with `country`, `from` and `to`.',
  {
    from: Type.String({ format: 'date', description: 'First date, `YYYY-MM-DD`.' }),
    to: Type.String({ format: 'date', description: 'Last date, `YYYY-MM-DD`.' }),
  },
);
export type RangeListing = Static<typeof RangeListing>;

export const CountryListing = objectSchema(
  'HolidayCountry',
  'A country and its subdivisions, with only `country`.',
  {
    country: Code,
    name: Type.String({ description: 'Name of the country in English, or in the language of `lang`.' }),
    ...CALENDAR,
    subdivisions: Type.Array(Place, { description: 'The subdivisions with their own holidays.' }),
  },
);
export type CountryListing = Static<typeof CountryListing>;

export const CountriesListing = objectSchema(
  'HolidayCountries',
  'The countries with holidays, without parameters.',
  {
    source: Type.String({ description: 'The libraries that the holidays come from.' }),
    weekends: Type.String({ description: 'The source of the weekends.' }),
    first_year: Type.Integer({ description: 'First year of the table.' }),
    last_year: Type.Integer({ description: 'Last year of the table.' }),
    countries: Type.Array(Place, { description: 'The countries, by code.' }),
  },
);
export type CountriesListing = Static<typeof CountriesListing>;

/** A range of days, both inclusive, as days since 1970-01-01. */
export interface DayRange {
  readonly firstDay: number;
  readonly lastDay: number;
}

export type ListedDays = { readonly year: number } | DayRange;

/** Cached years per calendar: decoding one takes ten times as long as everything else. At most twice as many, of 4 KB. */
const CACHED_YEARS = 4;
const listings = new WeakMap<HolidayCalendar, BoundedCache<number, Json<YearListing>>>();

/** The holidays of a year or in a range as JSON, with names in a language, or the local one if null. */
export function holidayListing(
  calendar: HolidayCalendar,
  days: ListedDays,
  language: string | null,
): Json<YearListing | RangeListing> {
  const names = new DayNames(calendar, language);
  const range = rangeOf(days);
  const list = <Span extends object>(span: Span) => ({
    country: calendar.country.code,
    subdivision: calendar.subdivision?.code ?? null,
    ...span,
    ...describeCalendar(calendar),
    holidays: daysWithin(calendar.holidaysOf, range).map(day => names.holiday(day)),
    workdays: daysWithin(calendar.workdaysOf, range).map(day => names.workday(day)),
  });
  if (!('year' in days)) return encode(list({ from: dateText(days.firstDay), to: dateText(days.lastDay) }));
  const { year } = days;
  if (!names.areLocal) return encode(list({ year }));
  const years = listings.get(calendar) ?? new BoundedCache(CACHED_YEARS);
  listings.set(calendar, years);
  return years.getOrInsertComputed(year, () => encode(list({ year })));
}

export function rangeOf(days: ListedDays): DayRange {
  if (!('year' in days)) return days;
  return { firstDay: dayNumberOf(days.year, 1, 1), lastDay: dayNumberOf(days.year, 12, 31) };
}

function daysWithin(list: HolidayCalendar['holidaysOf'], { firstDay, lastDay }: DayRange): NamedDay[] {
  return list(civilDateOf(firstDay).year, civilDateOf(lastDay).year).filter(
    ({ dayNumber }) => dayNumber >= firstDay && dayNumber <= lastDay,
  );
}

export function listHolidays(calendar: HolidayCalendar, range: DayRange, language: string | null): Holiday[] {
  const names = new DayNames(calendar, language);
  return daysWithin(calendar.holidaysOf, range).map(day => names.holiday(day));
}

function describeCalendar(calendar: Pick<HolidayCalendar, 'workWeek' | 'coverage' | 'subdivisionsDiffer'>) {
  const { workWeek, coverage, subdivisionsDiffer } = calendar;
  return {
    weekend: [...workWeek.at(-1)!.weekend],
    work_week: workWeek.map(({ firstDay, weekend }) => ({ from: dateText(firstDay), weekend: [...weekend] })),
    coverage: coverageOf(coverage),
    subdivisions_differ: subdivisionsDiffer,
  };
}

/** Writes the days of a calendar with names in a language, or the local one if null. */
export class DayNames {
  /** Whether names are those without a language. */
  readonly areLocal: boolean;
  readonly #calendar: HolidayCalendar;
  readonly #language: string;
  /** Whether a name that is not translated is the one in the table, rather than the English one. */
  readonly #fallsBackToLocal: boolean;
  readonly #isEnglishTable: boolean;

  constructor(calendar: HolidayCalendar, language: string | null) {
    const { country, subdivision } = calendar;
    const ofTable = nameLanguageOf(country.code);
    const ofPlace = languageOfPlace(country.code, subdivision?.code ?? null);
    this.#calendar = calendar;
    this.#language = language ?? ofPlace;
    this.#fallsBackToLocal = language === null || language === ofTable;
    this.areLocal = this.#fallsBackToLocal && this.#language === ofPlace;
    this.#isEnglishTable = ofTable === 'en';
  }

  holiday(day: NamedDay): Holiday {
    const { dayNumber, status, source, substituteFor } = day;
    return {
      date: dateText(dayNumber),
      ...this.#names(day),
      day_full: WEEKDAYS_FULL[weekdayOf(dayNumber)]!,
      status,
      source,
      ...(substituteFor !== null && {
        substitute_for: {
          date: substituteFor.dayNumber === null ? null : dateText(substituteFor.dayNumber),
          name: this.nameOf(substituteFor),
        },
      }),
    };
  }

  workday(day: NamedDay): Workday {
    const { dayNumber, status, source } = day;
    return { date: dateText(dayNumber), ...this.#names(day), status, source };
  }

  nameOf({ name, nameEn }: Pick<NamedDay, 'name' | 'nameEn'>): string {
    const translated = this.#calendar.translated(name, this.#language);
    return translated ?? (this.#fallsBackToLocal ? name : (nameEn ?? name));
  }

  #names(day: Pick<NamedDay, 'name' | 'nameEn'>) {
    const { name, nameEn } = day;
    return { name: this.nameOf(day), name_en: nameEn ?? (this.#isEnglishTable ? name : null) };
  }
}

/** The names of countries and subdivisions: those given by code, and otherwise the English ones in the table. */
export class CalendarNames {
  readonly #names: ReadonlyMap<string, string> | null;

  constructor(names: ReadonlyMap<string, string> | null) {
    this.#names = names;
  }

  country({ code, name }: NamedCode): string {
    return this.#names?.get(code) ?? name;
  }

  subdivision(country: NamedCode, { code, name }: NamedCode): string {
    return this.#names?.get(`${country.code}-${code}`) ?? name;
  }

  /** `Bavaria, Germany` */
  calendar({ country, subdivision }: Pick<HolidayCalendar, 'country' | 'subdivision'>): string {
    const name = this.country(country);
    return subdivision === null ? name : `${this.subdivision(country, subdivision)}, ${name}`;
  }
}

export function listSubdivisions(country: CountryEntry, names: CalendarNames): CountryListing {
  return {
    country: country.code,
    name: names.country(country),
    ...describeCalendar(country),
    subdivisions: country.subdivisions.map(part => ({
      code: part.code,
      name: names.subdivision(country, part),
    })),
  };
}

export function listCountries(
  { header, countries }: HolidayCalendars,
  names: CalendarNames,
): CountriesListing {
  return {
    source: header.library,
    weekends: header.weekends,
    first_year: header.firstYear,
    last_year: header.lastYear,
    countries: countries.map(country => ({ code: country.code, name: names.country(country) })),
  };
}

/**
 * The holidays from one year through another as a calendar feed: its events, and the calendar with given ones. An event is
 * identified by its day and calendar, not by its name, which may be corrected. `place`: the calendar's name for its title;
 * `releaseDate`: that of the data, `YYYY-MM-DD`.
 */
export function holidayFeed(
  calendar: HolidayCalendar,
  years: readonly [first: number, last: number],
  language: string | null,
  place: string,
  releaseDate: string,
) {
  const names = new DayNames(calendar, language);
  const days = calendar.holidaysOf(...years);
  const code = codeOf(calendar);
  const stamp = `${basicForm(releaseDate)}T000000Z`;
  const events = days.map((day, index) => () => {
    const ordinal = index - days.findIndex(({ dayNumber }) => dayNumber === day.dayNumber);
    const id = `${dateText(day.dayNumber)}${ordinal === 0 ? '' : `-${ordinal + 1}`}-${code}@meridian`;
    return eventOf(day, names, id, stamp);
  });
  return { events, complete: (written: readonly string[]) => completeFeed(place, written) };
}

function completeFeed(place: string, events: readonly string[]): string {
  const title = textValue(`Holidays: ${place}`);
  return calendarOf(
    [
      ['CALSCALE', 'GREGORIAN'],
      ['METHOD', 'PUBLISH'],
      ['NAME', title],
      ['X-WR-CALNAME', title],
      ['REFRESH-INTERVAL;VALUE=DURATION', 'P1D'],
      ['X-PUBLISHED-TTL', 'P1D'],
    ],
    events.join(''),
  );
}

/** An all-day event that does not block time; tentative if an announcement can move it. */
function eventOf(day: NamedDay, names: DayNames, id: string, stamp: string): string {
  const { name, name_en } = names.holiday(day);
  return component('VEVENT', [
    ['UID', id],
    ['DTSTAMP', stamp],
    ['DTSTART;VALUE=DATE', basicForm(dateText(day.dayNumber))],
    ['DTEND;VALUE=DATE', basicForm(dateText(day.dayNumber + 1))],
    ['SUMMARY', textValue(name)],
    ...(name_en === null || name_en === name ? [] : [['DESCRIPTION', textValue(name_en)] as const]),
    ['STATUS', day.status === 'estimated' ? 'TENTATIVE' : 'CONFIRMED'],
    ['TRANSP', 'TRANSPARENT'],
  ]);
}
