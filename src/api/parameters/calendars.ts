import { quoted, unreadable } from '../../common/errors.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import type { CalendarParameters, HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import { primaryLanguage } from '../../holidays/name_language.ts';
import type { Query } from '../../http/query.ts';
import { text } from './schemas.ts';

const MAX_CALENDARS = 8;

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
export function readCalendars(
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
export const LanguageText = text(
  'Language of the names (BCP 47), such as another one of the country. A name that is not known in it is in English, or else in ' +
    'that of the place.',
  'en',
);

/** The language of `lang`; null without it. */
export function decodeLanguage(query: Query): string | null {
  const tag = query.get('lang');
  if (tag === undefined) return null;
  const language = primaryLanguage(tag);
  if (language !== undefined) return language;
  throw unreadable('lang', `${quoted(tag)} is not a language tag such as 'en' or 'pt-BR'`);
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
