import { Type } from '@sinclair/typebox';
import { civilDateOf, MS_PER_DAY } from '../../common/civil.ts';
import { requires, unreadable } from '../../common/errors.ts';
import { encode, type Json } from '../../common/json.ts';
import { whenReady } from '../../common/promises.ts';
import { type HolidayCalendar, requireCoverage } from '../../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { calendarDetails } from '../../operations/business_days.ts';
import {
  type CalendarNames,
  CountriesListing,
  CountryListing,
  holidayFeed,
  holidayListing,
  type ListedDays,
  listCountries,
  listHolidays,
  listSubdivisions,
  RangeListing,
  rangeOf,
  YearListing,
} from '../../operations/holidays.ts';
import { CSV_TYPE, csvTable } from '../../text/csv.ts';
import { ICALENDAR_TYPE } from '../../text/icalendar.ts';
import { flagSchema, group, rejectedParameter, requiredText, text, whole } from '../inputs.ts';
import {
  decodeCalendarNames,
  decodeHolidayLanguage,
  HolidayLanguageText,
  readCalendar,
} from '../parameters/calendars.ts';
import { decodeDates, MAX_YEARS, parseYear } from '../parameters/dates.ts';
import { LANGUAGES, READS_OF_LANGUAGE } from '../parameters/rendering.ts';
import { withDetails } from '../payloads.ts';
import { jsonRoute, textRoute } from '../route.ts';
import { textsOf } from '../slices.ts';

const NAMES = { country: 'country', subdivision: 'subdivision' };

const CalendarText = text(
  'ISO 3166-1 alpha-2 country code, optionally with a subdivision as in ISO 3166-2: `DE-BY`.',
  'DE',
  { pattern: '^[A-Za-z]{2}(-.+)?$' },
);

/** What to list: the countries, the subdivisions of a country, or days in a calendar. */
type Listed =
  | { readonly kind: 'countries'; readonly names: CalendarNames }
  | {
      readonly kind: 'country';
      readonly country: ReturnType<HolidayCalendars['country']>;
      readonly names: CalendarNames;
    }
  | {
      readonly kind: 'days';
      readonly calendar: HolidayCalendar;
      readonly days: ListedDays;
      /** The language of their names; null for the local one. */
      readonly language: string | null;
    };

const listed = group({
  parameters: {
    country: CalendarText,
    subdivision: text(
      'Subdivision of the country, as listed by `?country=`; requires `year`, or `from` and `to`.',
      'BY',
    ),
    year: whole('Calendar year; requires `country`.', 2026, 2100, 1970),
    from: text(
      `First date, instead of \`year\`; requires \`to\`. At most ${MAX_YEARS} years, both dates inclusive.`,
      '2026-09-01',
    ),
    to: text('Last date, inclusive; requires `from`.', '2026-09-30'),
    lang: HolidayLanguageText,
    require_coverage: flagSchema(
      'Rejects years outside `certain` in `coverage`, unless no day in them awaits an announcement; requires `country`.',
    ),
  },
  reads: LANGUAGES,
  readsIn: query => (query.has('lang') && !isOfDays(query) ? LANGUAGES : 0),
  decode: (query, { snapshot }) => decodeListed(query, snapshot),
});

/** Rejected, since it suggests a single day and would otherwise be ignored. */
const date = rejectedParameter("write 'from=2026-12-24&to=2026-12-24' for one day, or 'year=2026'");

function decodeListed(query: Query, snapshot: Snapshot): Listed {
  const { holidays } = snapshot;
  const code = query.get('country');
  if (code === undefined) {
    rejectWithout('country', query, ['subdivision', ...SPAN]);
    const names = decodeCalendarNames(query, snapshot);
    rejectWithout('country', query, OF_DAYS);
    return { kind: 'countries', names };
  }
  if (!isOfDays(query)) {
    const country = holidays.country(code, NAMES);
    const names = decodeCalendarNames(query, snapshot);
    rejectWithout('year', query, OF_DAYS);
    return { kind: 'country', country, names };
  }
  // Each parameter is looked up before the next one is decoded, so that errors are reported in parameter order.
  const calendar = readCalendar(code, query, NAMES, holidays);
  const days = readDays(query, holidays);
  if (days === null) {
    const parameter = code.includes('-') ? 'country' : 'subdivision';
    throw unreadable(parameter, "with a subdivision 'year' is required, or 'from' and 'to'");
  }
  const language = decodeHolidayLanguage(query);
  if (query.flag('require_coverage')) {
    const { firstDay, lastDay } = rangeOf(days);
    requireCoverage([calendar], firstDay, lastDay);
  }
  return { kind: 'days', calendar, days, language };
}

/** Whether a query with a country is for its days, rather than its subdivisions. */
function isOfDays(query: Query): boolean {
  return query.peek('country').includes('-') || ['subdivision', ...SPAN].some(name => query.has(name));
}

const SPAN = ['year', 'from', 'to'];
const OF_DAYS = ['require_coverage'];

/** Throws for the first of `names` that was supplied, as it needs the `required` parameter. */
function rejectWithout(required: string, query: Query, names: readonly string[]): void {
  for (const name of names) {
    const isSupplied = name === 'require_coverage' ? query.flag(name) : query.get(name) !== undefined;
    if (isSupplied) throw requires(name, required);
  }
}

export const holidaysRoute = jsonRoute({
  path: '/v1/holidays',
  summary: 'The public holidays used for counting business days',
  description:
    'Without `country`, lists the countries; with it, the subdivisions; with `year`, or `from` and `to`, the holidays and ' +
    'worked weekends of those days, each with its status and source. `coverage` states the years for which they are complete.',
  parameters: { date, listed },
  payload: Type.Union([YearListing, RangeListing, CountryListing, CountriesListing]),
  lifetime: 'fixed',
  reads: ['holidays'],
  examples: [
    { title: 'A year in a subdivision', query: 'country=DE&subdivision=BY&year=2026' },
    { title: 'A year in a country', query: 'country=NZ&year=2026' },
    { title: 'The subdivisions of a country', query: 'country=DE' },
    { title: 'The subdivisions of a country, in its language', query: 'country=AT&lang=de' },
    { title: 'A range of days, in English', query: 'country=JP&from=2026-09-01&to=2026-09-30&lang=en' },
    { title: 'An unknown country', query: 'country=XX' },
  ],
  handle({ listed }, context) {
    return withDetails(listing(listed, context.snapshot.holidays), context, () =>
      listed.kind === 'days' ? { holidays: calendarDetails([listed.calendar]) } : {},
    );
  },
});

function listing(
  listed: Listed,
  holidays: HolidayCalendars,
): Json<YearListing | RangeListing | CountryListing | CountriesListing> {
  switch (listed.kind) {
    case 'countries':
      return encode(listCountries(holidays, listed.names));
    case 'country':
      return encode(listSubdivisions(listed.country, listed.names));
    case 'days':
      return holidayListing(listed.calendar, listed.days, listed.language);
  }
}

/** The days of `year`, or from `from` to `to`; null without these parameters. */
function readDays(query: Query, { header }: HolidayCalendars): ListedDays | null {
  const yearText = query.get('year');
  if (yearText === undefined) return decodeDates(query, header);
  const year = parseYear(yearText, header);
  for (const name of ['from', 'to'])
    if (query.get(name) !== undefined) throw unreadable(name, "it cannot be combined with 'year'");
  return { year };
}

const HOLIDAY_COLUMNS = ['date', 'name', 'name_en', 'day_full', 'status', 'source'] as const;

export const holidaysTableRoute = textRoute({
  path: '/v1/holidays.csv',
  summary: 'The public holidays of a country as CSV',
  description:
    'The days of `year`, or from `from` to `to`, with the members of `/v1/holidays` as columns, in CSV (RFC 4180).',
  contentType: CSV_TYPE,
  parameters: { date, listed },
  lifetime: 'fixed',
  reads: ['holidays'],
  examples: [
    { title: 'A year in a subdivision', query: 'country=DE&subdivision=BY&year=2026' },
    { title: 'A range of days, in English', query: 'country=JP&from=2026-09-01&to=2026-09-30&lang=en' },
    { title: 'Without a year', query: 'country=DE' },
  ],
  handle({ listed }) {
    if (listed.kind === 'countries')
      throw unreadable('country', "it is missing: give a country code such as 'DE'");
    if (listed.kind === 'country') throw unreadable('year', "it is missing: give 'year', or 'from' and 'to'");
    const days = listHolidays(listed.calendar, rangeOf(listed.days), listed.language);
    const rows = days.map(({ substitute_for, ...day }) => [
      ...HOLIDAY_COLUMNS.map(column => day[column]),
      substitute_for?.date ?? null,
      substitute_for?.name ?? null,
    ]);
    return csvTable([...HOLIDAY_COLUMNS, 'substitute_for_date', 'substitute_for_name'], rows);
  },
});

/** Some calendars have 100 holidays in three years, and those of organisations more; each takes up to 10 µs. */
const EVENTS_PER_SLICE = 50;

/** Rejected, since it suggests a choice of days and would otherwise be ignored. */
const choiceOfDays = rejectedParameter(
  'a feed contains this year and the next two; use /v1/holidays.csv for other years',
);

const feed = group({
  parameters: {
    country: CalendarText,
    subdivision: text('Subdivision of the country, as listed by `/v1/holidays?country=`.', 'BY'),
    lang: HolidayLanguageText,
  },
  required: ['country'],
  readsOf: READS_OF_LANGUAGE,
  decode(query, { snapshot }) {
    const code = requiredText(query, 'country', "a country code such as 'DE'");
    const calendar = readCalendar(code, query, NAMES, snapshot.holidays);
    const language = decodeHolidayLanguage(query);
    const place = decodeCalendarNames(query, snapshot).calendar(calendar);
    return { calendar, language, place };
  },
});

export const holidaysCalendarRoute = textRoute({
  path: '/v1/holidays.ics',
  summary: 'The public holidays of a country as a calendar feed',
  description:
    'The holidays of this year and the next two, in iCalendar (RFC 5545). UIDs are stable, so importing the calendar again ' +
    'adds no duplicates. Holidays that an announcement can move are tentative.',
  contentType: ICALENDAR_TYPE,
  group: 'feeds',
  parameters: { year: choiceOfDays, from: choiceOfDays, to: choiceOfDays, date: choiceOfDays, feed },
  lifetime: 'moment',
  reads: ['holidays'],
  examples: [
    { title: 'A subdivision', query: 'country=DE&subdivision=BY' },
    { title: 'Without a country', query: '' },
  ],
  handle({ feed: { calendar, language, place } }, { nowMs, snapshot }) {
    const { year } = civilDateOf(Math.floor(nowMs / MS_PER_DAY));
    const { events, complete } = holidayFeed(
      calendar,
      [year, year + 2],
      language,
      place,
      holidayRelease(snapshot),
    );
    return whenReady(
      textsOf(events, write => write(), EVENTS_PER_SLICE),
      complete,
    );
  },
});

function holidayRelease({ embeddedData }: Snapshot): string {
  return embeddedData.find(({ name }) => name === 'holidays')!.date; // every executable contains it
}
