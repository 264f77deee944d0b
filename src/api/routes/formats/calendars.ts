import { whenReady } from '../../../common/caching.ts';
import { civilDateOf } from '../../../common/civil.ts';
import { unreadable } from '../../../common/errors.ts';
import type { HolidayCalendar } from '../../../holidays/holiday_calendar.ts';
import type { Snapshot } from '../../../http/snapshot.ts';
import { holidayFeed } from '../../../operations/holidays.ts';
import { timeZoneCalendar } from '../../../operations/time_zone_component.ts';
import { decodeLanguage, LanguageText, readCalendar } from '../../parameters/calendars.ts';
import { group, type InputFactory, text } from '../../parameters/input.ts';
import { requiredTarget } from '../../parameters/targets.ts';
import { textRoute, textsOf } from '../../route.ts';
import { NAMES } from '../holidays.ts';

const CALENDAR = 'text/calendar; charset=utf-8';
const MS_PER_DAY = 86_400_000;
/** Some calendars have 200 holidays in three years; each takes up to 10 µs. */
const EVENTS_PER_SLICE = 50;

/** A calendar, and the language of its names; null for the local one. */
interface Feed {
  readonly calendar: HolidayCalendar;
  readonly language: string | null;
}

/** The parameters of `/v1/holidays` that select days. */
const SPAN = ['year', 'from', 'to', 'date'];

const feed: InputFactory<Feed> = group({
  parameters: {
    country: text(
      'ISO 3166-1 alpha-2 country code, optionally with a subdivision as in ISO 3166-2: `DE-BY`.',
      'DE',
    ),
    subdivision: text('Subdivision of the country, as listed by `/v1/holidays?country=`.', 'BY'),
    lang: LanguageText,
  },
  required: ['country'],
  // Rejected, since they suggest a choice of days and would otherwise be ignored.
  hidden: SPAN,
  decode(query, { snapshot }) {
    const ignored = SPAN.find(name => query.has(name));
    if (ignored !== undefined) {
      throw unreadable(
        ignored,
        'a feed contains this year and the next two; use /v1/holidays.csv for other years',
      );
    }
    const code = query.get('country');
    if (code === undefined) throw unreadable('country', "it is missing: give a country code such as 'DE'");
    const calendar = readCalendar(code, query, NAMES, snapshot.holidays);
    return { calendar, language: decodeLanguage(query) };
  },
});

export const holidaysCalendarRoute = textRoute({
  path: '/v1/holidays.ics',
  summary: 'The public holidays of a country as a calendar feed',
  description:
    'The holidays of this year and the next two, in iCalendar (RFC 5545). UIDs are stable, so importing the calendar again ' +
    'adds no duplicates. Holidays that an announcement can move are tentative.',
  contentType: CALENDAR,
  group: 'feeds',
  parameters: { feed },
  lifetime: 'moment',
  reads: ['holidays'],
  examples: [
    { title: 'A subdivision', query: 'country=DE&subdivision=BY' },
    { title: 'Without a country', query: '' },
  ],
  handle({ feed: { calendar, language } }, { nowMs, snapshot }) {
    const { year } = civilDateOf(Math.floor(nowMs / MS_PER_DAY));
    const { events, complete } = holidayFeed(calendar, [year, year + 2], language, holidayRelease(snapshot));
    return whenReady(
      textsOf(events, write => write(), EVENTS_PER_SLICE),
      complete,
    );
  },
});

/** The date of the holiday data. */
function holidayRelease({ embeddedData }: Snapshot): string {
  return embeddedData.find(({ name }) => name === 'holidays')!.date; // every executable contains it
}

export const timezoneCalendarRoute = textRoute({
  path: '/v1/timezone.ics',
  summary: 'The clock changes of a zone for calendar apps',
  description:
    'An iCalendar VTIMEZONE (RFC 5545) with all changes since 1970, and the yearly rule if the zone has one.',
  contentType: CALENDAR,
  group: 'feeds',
  parameters: { target: requiredTarget },
  lifetime: 'fixed',
  examples: [
    { title: 'A zone with a yearly rule', query: 'tz=Europe/Berlin' },
    { title: 'No selector', query: '' },
  ],
  handle: ({ target }) => timeZoneCalendar(target),
});
