import { type ServiceError, unreadable } from '../../common/service_error.ts';
import { DIFF_PARAMETERS } from '../../holidays/holiday_calendars.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { BusinessDayCount } from '../../operations/business_days.ts';
import { calendarDetails } from '../../operations/calendar_coverage.ts';
import type { Details } from '../../operations/details.ts';
import { readCalendars } from './calendars.ts';
import { group, type InputFactory } from './input.ts';
import { flagSchema, text } from './schemas.ts';

/** How business days are counted; null where they are not requested. */
export const businessDays: InputFactory<BusinessDayCount | null> = group({
  parameters: {
    business_days: flagSchema('Adds the number of business days.'),
    holiday_country: text(
      'ISO 3166-1 alpha-2 code of the country whose holidays and weekend count, with a subdivision `DE-BY`, or a list of ' +
        'up to eight calendars: a day off in any of them is off. Requires `business_days=true`.',
      'DE',
    ),
    holiday_subdivision: text(
      'Subdivision of the country, as `/v1/holidays?country=` lists them; requires `holiday_country`, which is no list.',
      'BY',
    ),
    require_coverage: flagSchema(
      'Rejects days outside the years `from` to `announced_through` that `/v1/holidays` gives as the `coverage` of the ' +
        'calendars; requires `holiday_country`.',
    ),
  },
  decode: (query, { snapshot }) => decodeBusinessDays(query, snapshot),
});

function decodeBusinessDays(query: Query, { holidays }: Snapshot): BusinessDayCount | null {
  const isRequested = query.flag('business_days');
  const codes = query.get('holiday_country');
  if (codes !== undefined && !isRequested) throw requires('holiday_country', 'business_days=true');
  const calendars = codes === undefined ? [] : readCalendars(codes, query, DIFF_PARAMETERS, holidays);
  if (codes === undefined && query.get('holiday_subdivision') !== undefined) {
    throw requires('holiday_subdivision', 'holiday_country');
  }
  const requiresCoverage = query.flag('require_coverage');
  if (requiresCoverage && codes === undefined) throw requires('require_coverage', 'holiday_country');
  return isRequested ? { calendars, requiresCoverage } : null;
}

/** The details of a count: the calendars that it used. */
export function businessDayDetails(count: BusinessDayCount | null): Details {
  return count === null || count.calendars.length === 0 ? {} : { holidays: calendarDetails(count.calendars) };
}

/** The error for a parameter without the one that it requires. */
export function requires(parameter: string, other: string): ServiceError {
  return unreadable(parameter, `it requires '${other}'`);
}
