import { unreadable } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import type { BusinessDayCount } from '../../operations/business_days.ts';

/** Whether business days are wanted, and by which calendar; null where they are not. */
export function readBusinessDays(query: Query, services: Services): BusinessDayCount | null {
  const isWanted = query.flag('business_days');
  const code = query.get('holiday_country');
  if (code !== undefined && !isWanted) throw without('holiday_country', 'business_days=true');
  // Looked up before the subdivision is read, so that a fault in either is told in their order.
  const country = code === undefined ? null : services.holidays.country(code);
  const subdivision = query.get('holiday_subdivision');
  if (subdivision !== undefined && country === null) throw without('holiday_subdivision', 'holiday_country');
  if (!isWanted) return null;
  if (country === null) return WEEKDAYS_ONLY;
  return { calendar: services.holidays.calendarOf(country, subdivision ?? null) };
}

const WEEKDAYS_ONLY: BusinessDayCount = { calendar: null };

function without(parameter: string, wanted: string) {
  return unreadable(parameter, `it wants '${wanted}' beside it`);
}
