import { type ServiceError, unreadable } from '../../common/errors.ts';
import { DIFF_PARAMETERS } from '../../holidays/holiday_calendars.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { calendarDetails, type UsedCalendars } from '../../operations/business_days.ts';
import type { Details } from '../../operations/details.ts';
import { readCalendars } from './calendars.ts';
import type { ParameterSchema } from './input.ts';
import { flagSchema, text } from './schemas.ts';

/** The parameters that select calendars; `requirement` is a sentence about what they require, or empty. */
export function calendarParameters(requirement = ''): Readonly<Record<string, ParameterSchema>> {
  return {
    holiday_country: text(
      'ISO 3166-1 alpha-2 code of the country whose holidays and weekends apply, optionally with a subdivision (`DE-BY`), or a ' +
        `list of up to eight calendars. A day off in any of them is off.${requirement}`,
      'DE',
    ),
    holiday_subdivision: text(
      'Subdivision of the country, as listed by `/v1/holidays?country=`; requires a `holiday_country` that is not a list.',
      'BY',
    ),
    require_coverage: flagSchema(
      'Rejects days outside the years from `from` to `announced_through` in the `coverage` of the calendars, as returned by ' +
        '`/v1/holidays`; requires `holiday_country`.',
    ),
  };
}

/** The calendars of a query; none means Monday to Friday. `missing` is what they require, if the query lacks it. */
export function decodeCalendars(
  query: Query,
  snapshot: Snapshot,
  missing: string | null = null,
): UsedCalendars {
  const codes = query.get('holiday_country');
  if (codes !== undefined && missing !== null) throw requires('holiday_country', missing);
  const calendars =
    codes === undefined ? [] : readCalendars(codes, query, DIFF_PARAMETERS, snapshot.holidays);
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

/** The error for a parameter without the one that it requires. */
export function requires(parameter: string, other: string): ServiceError {
  return unreadable(parameter, `it requires '${other}'`);
}
