import { counted } from '../common/counted.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';

/** The holidays section of `doctor`. `calendarPath`: the file of the organisation's calendar, if any. */
export function holidaysReport(calendars: HolidayCalendars, calendarPath: string | null) {
  const { header, countries, organisation } = calendars;
  const followed = countries.filter(({ coverage }) => coverage.announcedThrough !== null);
  return {
    version: header.library,
    years: `${header.firstYear}-${header.lastYear}`,
    calendars: countries.reduce((sum, { subdivisions }) => sum + 1 + subdivisions.length, 0),
    // Countries by the last year for which announced days are included; other countries follow the library.
    announced_through: Object.fromEntries(
      Object.entries(Object.groupBy(followed, ({ coverage }) => String(coverage.announcedThrough))).map(
        ([year, group = []]) => [year, group.map(({ code }) => code)],
      ),
    ),
    calendar: organisation === null ? null : { from: calendarPath ?? '', days: organisation.size },
  };
}

/** The report as lines of text. */
export function holidaysText(report: ReturnType<typeof holidaysReport>): string {
  const { version, years, calendars, announced_through: announced, calendar } = report;
  const followed = Object.entries(announced).map(([year, codes]) => `through ${year}: ${codes.join(' ')}`);
  return [
    `holidays   ${version}, ${calendars} calendars, ${years}; announced days included`,
    ...followed.map(line => `           ${line}`),
    ...(calendar === null ? [] : [`calendar   ${counted(calendar.days, 'day')} from ${calendar.from}`]),
  ].join('\n');
}
