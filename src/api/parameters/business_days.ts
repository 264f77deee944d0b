import { type ServiceError, unreadable } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { BusinessDayCount } from '../../operations/business_days.ts';
import { group, type InputFactory } from './input.ts';
import { flagSchema, text } from './schemas.ts';

const WEEKDAYS_ONLY: BusinessDayCount = { calendar: null };

/** How business days are counted; null where they are not requested. */
export const businessDays: InputFactory<BusinessDayCount | null> = group({
  parameters: {
    business_days: flagSchema('Adds the number of business days.'),
    holiday_country: text(
      'ISO 3166-1 alpha-2 code of the country whose holidays and weekend count; requires `business_days=true`.',
      'DE',
    ),
    holiday_subdivision: text(
      'Subdivision of the country, as `/v1/holidays?country=` lists them; requires `holiday_country`.',
      'BY',
    ),
  },
  decode: (query, { snapshot }) => decodeBusinessDays(query, snapshot),
});

function decodeBusinessDays(query: Query, { holidays }: Snapshot): BusinessDayCount | null {
  const isRequested = query.flag('business_days');
  const code = query.get('holiday_country');
  if (code !== undefined && !isRequested) throw requires('holiday_country', 'business_days=true');
  // Looked up before the subdivision is decoded, so that errors are reported in the order of the parameters.
  const country = code === undefined ? null : holidays.country(code);
  const subdivision = query.get('holiday_subdivision');
  if (subdivision !== undefined && country === null) throw requires('holiday_subdivision', 'holiday_country');
  if (!isRequested) return null;
  if (country === null) return WEEKDAYS_ONLY;
  return { calendar: holidays.calendarOf(country, subdivision ?? null) };
}

/** The error for a parameter without the one that it requires. */
export function requires(parameter: string, other: string): ServiceError {
  return unreadable(parameter, `it requires '${other}'`);
}
