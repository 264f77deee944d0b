import type { HolidaysTypes } from 'date-holidays';
import Holidays from 'date-holidays';
import { data, type Place } from 'date-holidays/data';
import { dayNumberOf, SECONDS_PER_HOUR } from '../../../src/common/civil.ts';
import type { SourceDay } from '../source_days.ts';
import { extendCalendars } from './library_months.ts';

/** The library's codes of a place: `DE`, `BY`, `A` of `DE-BY-A`. */
export type LibraryPath = readonly [country: string, state?: string, region?: string];

/** What date-holidays writes in parentheses after the name of a substitute, by language. */
export const SUBSTITUTE_LABELS = data.names['substitutes']!.name; // the library itself relies on this entry

/** The library set to a place. */
export function openPlace(path: LibraryPath): Holidays {
  const withAllTypes = open(path, PLACES, ALL_TYPES);
  // Other types take most of the time, above all Taiwan's 24 solar terms, and matter only to rules that refer to them.
  const needsOtherTypes = withAllTypes
    .getRules()
    .some(({ rule }) => /\b(observance|bank|school|optional) holiday/.test(rule));
  return needsOtherTypes ? withAllTypes : open(path, PLACES, ['public']);
}

/** The library with a single holiday, by a rule in its grammar; null if it does not understand the rule. */
export function openRule(rule: string, name: string, isSubstitute: boolean): Holidays | null {
  const library = open(['XX'], NOWHERE, ['public']);
  const holiday = { name: { en: name }, type: 'public', substitute: isSubstitute } as const;
  return library.setHoliday(rule, holiday) ? library : null;
}

const ALL_TYPES: HolidaysTypes.HolidayType[] = ['observance', 'optional', 'school', 'bank', 'public'];

/** Opens the library as if the place used UTC, so that every day has 24 hours. */
function open(
  [country, state, region]: LibraryPath,
  holidays: Readonly<Record<string, Place>>,
  types: HolidaysTypes.HolidayType[],
): Holidays {
  extendCalendars();
  const options = { types, timezone: 'UTC', data: { ...data, holidays } };
  return new Holidays({ country, state, region } as HolidaysTypes.Country, options as HolidaysTypes.Options);
}

/** The library looks up codes only in upper case, and so never finds the few with another spelling (`CK-Atiu`). */
const PLACES = upperCased(data.holidays);

/** A place without holidays of its own, used to compute rules. */
const NOWHERE = { XX: { names: { en: 'Nowhere' }, langs: ['en'], zones: ['UTC'], days: {} } };

function upperCased(places: Readonly<Record<string, Place>>): Record<string, Place> {
  return Object.fromEntries(
    Object.entries(places).map(([code, place]) => [
      code.toUpperCase(),
      {
        ...place,
        ...(place.states === undefined ? {} : { states: upperCased(place.states) }),
        ...(place.regions === undefined ? {} : { regions: upperCased(place.regions) }),
      },
    ]),
  );
}

/**
 * The days of a year's public holidays, in the library's order. A day counts if all of it is a holiday:
 *
 * - one that begins in the evening (Islamic and Hebrew days, which the library marks `-0600`) is the next day;
 * - one of several days is each of these days;
 * - one that begins during the day (`12-24 14:00`) leaves that day a working one; so do the half day at the end of
 *   Turkish feasts, and China's half days for some people on March 8 or May 4.
 */
export function publicDaysOf(library: Holidays, year: number): Pick<SourceDay, 'dayNumber' | 'name'>[] {
  const holidays = library.getHolidays(year).filter(({ type }) => type === 'public');
  return holidays.flatMap(({ date, start, end, name }) => {
    const [, yyyy, mm, dd, hour, minute] = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)/.exec(date)!;
    const hours = (end.getTime() - start.getTime()) / 1000 / SECONDS_PER_HOUR;
    const startHour = Number(hour) + Number(minute) / 60;
    const startDay = dayNumberOf(Number(yyyy), Number(mm), Number(dd));
    const firstDay = startDay + Math.ceil(startHour / 24);
    const endDay = startDay + Math.floor((startHour + hours) / 24);
    return Array.from({ length: Math.max(0, endDay - firstDay) }, (_, index) => ({
      dayNumber: firstDay + index,
      name,
    }));
  });
}
