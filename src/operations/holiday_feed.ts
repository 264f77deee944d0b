import { codeOf } from '../holidays/coverage.ts';
import type { HolidayCalendar, NamedDay } from '../holidays/holiday_calendar.ts';
import { basicForm, calendar as calendarOf, component, type Property, textValue } from '../text/icalendar.ts';
import { DayNames, dateText } from './holidays.ts';

/** A calendar feed whose events can be written one by one. */
export interface HolidayFeed {
  readonly events: readonly (() => string)[];
  /** The calendar with the given events. */
  readonly complete: (events: readonly string[]) => string;
}

/**
 * The holidays from one year through another as a calendar feed. An event is identified by its day and calendar, so that
 * correcting its name does not change its identity. `releaseDate`: the date of the data, `YYYY-MM-DD`.
 */
export function holidayFeed(
  calendar: HolidayCalendar,
  years: readonly [first: number, last: number],
  language: string | null,
  releaseDate: string,
): HolidayFeed {
  const names = new DayNames(calendar, language);
  const days = calendar.holidaysOf(...years);
  const code = codeOf(calendar);
  const stamp = `${basicForm(releaseDate)}T000000Z`;
  const events = days.map((day, index) => () => {
    const ordinal = index - days.findIndex(({ dayNumber }) => dayNumber === day.dayNumber);
    const id = `${dateText(day.dayNumber)}${ordinal === 0 ? '' : `-${ordinal + 1}`}-${code}@meridian`;
    return eventOf(day, names, [
      ['UID', id],
      ['DTSTAMP', stamp],
    ]);
  });
  return { events, complete: written => completeFeed(calendar, written) };
}

function completeFeed(calendar: HolidayCalendar, events: readonly string[]): string {
  const { country, subdivision } = calendar;
  const place = subdivision === null ? country.name : `${subdivision.name}, ${country.name}`;
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
function eventOf(day: NamedDay, names: DayNames, identity: readonly Property[]): string {
  const { name, name_en } = names.holiday(day);
  return component('VEVENT', [
    ...identity,
    ['DTSTART;VALUE=DATE', basicForm(dateText(day.dayNumber))],
    ['DTEND;VALUE=DATE', basicForm(dateText(day.dayNumber + 1))],
    ['SUMMARY', textValue(name)],
    ...(name_en === null || name_en === name ? [] : [['DESCRIPTION', textValue(name_en)] as const]),
    ['STATUS', day.status === 'estimated' ? 'TENTATIVE' : 'CONFIRMED'],
    ['TRANSP', 'TRANSPARENT'],
  ]);
}
