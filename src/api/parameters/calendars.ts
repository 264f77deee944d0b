import { quoted, requires, unreadable } from '../../common/errors.ts';
import { type CalendarParameters, HOLIDAY_PARAMETERS } from '../../holidays/find_calendar.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import { primaryLanguage } from '../../holidays/name_language.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { calendarDetails, type UsedCalendars } from '../../operations/business_days.ts';
import type { Details } from '../../operations/details.ts';
import { CalendarNames } from '../../operations/holidays.ts';
import { dataSets } from '../../operations/served_data.ts';
import { flagSchema, type ParameterSchema, parsedValue, text } from '../inputs.ts';

/** The maximum number of calendars in a list; a day off in one of them is off. */
export const MAX_CALENDARS = 8;

/** The calendar of a country parameter, `DE` or `DE-BY`; with `DE`, a subdivision parameter may be supplied. */
export function readCalendar(
  code: string,
  query: Query,
  parameters: CalendarParameters,
  holidays: HolidayCalendars,
): HolidayCalendar {
  if (code.includes('-')) {
    const calendar = calendarOf(code, parameters.country, holidays);
    rejectSubdivision(query, parameters, `${quoted(code)} names one already`);
    return calendar;
  }
  // Looked up before the subdivision is decoded, so that errors are reported in the order of the parameters.
  const country = holidays.country(code, parameters);
  return holidays.calendarOf(country, query.get(parameters.subdivision) ?? null, parameters);
}

/** The calendars of a country parameter that may also be a list. */
function readCalendars(
  list: string,
  query: Query,
  parameters: CalendarParameters,
  holidays: HolidayCalendars,
): readonly HolidayCalendar[] {
  if (!list.includes(',')) return [readCalendar(list, query, parameters, holidays)];
  const codes = list.split(',');
  if (codes.length > MAX_CALENDARS) {
    throw unreadable(parameters.country, `it has ${codes.length} calendars; the maximum is ${MAX_CALENDARS}`);
  }
  const calendars = codes.map(code => calendarOf(code, parameters.country, holidays));
  rejectSubdivision(query, parameters, `'${parameters.country}' is a list: write 'DE-BY' in it`);
  return calendars;
}

/** `lang`: the language of the names of days. */
export const HolidayLanguageText = text(
  'Language of the names (BCP 47), such as another one of the country. A name that is not known in it is in English, or else in ' +
    'that of the place.',
  'en',
);

/** The language of `lang`; null without it. */
export function decodeHolidayLanguage(query: Query): string | null {
  return parsedValue(query, 'lang', parseLanguage);
}

/** The names of countries and subdivisions in the language of `lang`; the English ones without it. */
export function decodeCalendarNames(query: Query, snapshot: Snapshot): CalendarNames {
  const names = parsedValue(query, 'lang', (tag, name) => {
    parseLanguage(tag, name);
    return snapshot.languages.placeNamesOf(tag);
  });
  return new CalendarNames(names ?? null);
}

function parseLanguage(tag: string, name: string): string {
  const language = primaryLanguage(tag);
  if (language !== undefined) return language;
  throw unreadable(name, `${quoted(tag)} is not a language tag such as 'en' or 'pt-BR'`);
}

/** The calendar of `DE` or `DE-BY`. */
function calendarOf(code: string, parameter: string, holidays: HolidayCalendars): HolidayCalendar {
  const hyphen = code.indexOf('-');
  const [country, subdivision] =
    hyphen === -1 ? [code, null] : [code.slice(0, hyphen), code.slice(hyphen + 1)];
  return holidays.calendar(country, subdivision, { country: parameter, subdivision: parameter });
}

function rejectSubdivision(query: Query, { subdivision }: CalendarParameters, reason: string): void {
  if (query.get(subdivision) !== undefined) throw unreadable(subdivision, reason);
}

/** The parameters that select calendars; `requirement` is appended to the description, such as ' Requires `business_days`.'. */
export function calendarParameters(requirement = ''): Readonly<Record<string, ParameterSchema>> {
  return {
    holiday_country: text(
      'ISO 3166-1 alpha-2 code of the country whose holidays and weekends apply, optionally with a subdivision (`DE-BY`), or a ' +
        `list of up to ${MAX_CALENDARS} calendars. A day off in any of them is off.${requirement}`,
      'DE',
    ),
    holiday_subdivision: text(
      'Subdivision of the country, as listed by `/v1/holidays?country=`; requires a `holiday_country` that is not a list.',
      'BY',
    ),
    require_coverage: flagSchema(
      'Rejects days that are not certain: outside the years `certain` in the `coverage` of the calendars, as returned by ' +
        '`/v1/holidays`, and after an official list near days that await an announcement; requires `holiday_country`.',
    ),
  };
}

/** The data sets that {@link decodeCalendars} reads, by parameter. */
export const READS_OF_CALENDARS = { holiday_country: dataSets('holidays') };

/** The calendars of a query; none means Monday to Friday. `missing`: a parameter that they require and the query lacks, or null. */
export function decodeCalendars(
  query: Query,
  snapshot: Snapshot,
  missing: string | null = null,
): UsedCalendars {
  const codes = query.get('holiday_country');
  if (codes !== undefined && missing !== null) throw requires('holiday_country', missing);
  const calendars =
    codes === undefined ? [] : readCalendars(codes, query, HOLIDAY_PARAMETERS, snapshot.holidays);
  if (codes === undefined && query.get('holiday_subdivision') !== undefined) {
    throw requires('holiday_subdivision', 'holiday_country');
  }
  const requiresCoverage = query.flag('require_coverage');
  if (requiresCoverage && codes === undefined) throw requires('require_coverage', 'holiday_country');
  return { calendars, requiresCoverage };
}

/** The `details` of a response computed with calendars. */
export function usedCalendarDetails(used: UsedCalendars | null): Details {
  return used === null || used.calendars.length === 0 ? {} : { holidays: calendarDetails(used.calendars) };
}
