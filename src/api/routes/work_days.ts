import { ServiceError } from '../../common/errors.ts';
import { encode, type Json, withMember } from '../../common/json.ts';
import type { UsedCalendars } from '../../operations/business_days.ts';
import type { DayRange } from '../../operations/holidays.ts';
import { WorkDayListing, WorkDays } from '../../operations/work_days.ts';
import {
  CALENDAR_DATA,
  calendarParameters,
  decodeCalendars,
  decodeDates,
  decodeLanguage,
  FOUR_DIGIT_YEARS,
  LanguageText,
  readsOfCalendars,
  requires,
  usedCalendarDetails,
} from '../parameters/calendars.ts';
import { group, type InputFactory, text } from '../parameters/input.ts';
import { jsonArrayOf, jsonRoute, withDetails } from '../route.ts';

/** The range of days to list, the calendars, and the language of names. */
interface Listed {
  readonly range: DayRange;
  readonly used: UsedCalendars;
  readonly language: string | null;
}

const listed: InputFactory<Listed> = group({
  parameters: {
    from: text(
      'First date. At most ten years, both dates inclusive; with `holiday_country`, from 1970 to 2100.',
      '2026-12-01',
    ),
    to: text('Last date, inclusive.', '2026-12-31'),
    ...calendarParameters(),
    lang: LanguageText,
  },
  required: ['from', 'to'],
  reads: CALENDAR_DATA,
  readsIn: readsOfCalendars,
  decode(query, { snapshot }) {
    // Without a calendar only weekends matter, which every year has.
    const years = query.has('holiday_country') ? snapshot.holidays.header : FOUR_DIGIT_YEARS;
    const range = decodeDates(query, years);
    if (range === null) {
      throw new ServiceError('INVALID_PARAMETER', "Dates are missing: give 'from' and 'to'", {
        parameter: 'from',
      });
    }
    const used = decodeCalendars(query, snapshot);
    const language = decodeLanguage(query);
    if (language !== null && used.calendars.length === 0) throw requires('lang', 'holiday_country');
    return { range, used, language };
  },
});

export const workDaysRoute = jsonRoute({
  path: '/v1/work/days',
  summary: 'Which days are worked, with monthly totals',
  description:
    'One entry per day: a business day, a weekend, a holiday outside the weekend, or a worked day that would otherwise be off. ' +
    'Without `holiday_country`, Monday to Friday are business days. The business days of a month are the sum of its `business` ' +
    'and `worked`.',
  parameters: { listed },
  payload: WorkDays,
  lifetime: 'fixed',
  examples: [
    {
      title: 'December in Bavaria',
      query: 'from=2026-12-01&to=2026-12-31&holiday_country=DE&holiday_subdivision=BY',
    },
    {
      title: 'A worked Saturday in China, in English',
      query: 'from=2026-02-13&to=2026-02-16&holiday_country=CN&lang=en',
    },
    {
      title: 'Settlement days in two markets',
      query: 'from=2026-07-01&to=2026-07-07&holiday_country=US,DE&details=true',
    },
    { title: 'Days out of order', query: 'from=2026-12-31&to=2026-12-01' },
  ],
  handle({ listed: { range, used, language } }, context) {
    const listing = new WorkDayListing(range, used, language);
    const months: WorkDays['months'] = [];
    const days = jsonArrayOf(listing.months, month => {
      const { totals, days } = listing.monthJson(month);
      months.push(totals);
      return days;
    });
    const { from, to } = listing;
    const withDays = (days: Json<WorkDays['days']>) =>
      withDetails(withMember(encode({ from, to, months }), 'days', days), context, () =>
        usedCalendarDetails(used),
      );
    return days instanceof Promise ? days.then(withDays) : withDays(days);
  },
});
