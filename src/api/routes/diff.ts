import { DiffPayload, diff } from '../../operations/span.ts';
import { usedCalendarDetails } from '../parameters/calendars.ts';
import { spanOptions } from '../parameters/span_options.ts';
import { ends, instantOfEnd, lifetimeOfEnds } from '../parameters/specifiers.ts';
import { jsonRoute, withDetails } from '../route.ts';

export const diffRoute = jsonRoute({
  path: '/v1/time/diff',
  summary: 'The time from one instant to another',
  description:
    'Each end is a specifier: a `key=value` of its own. `now` and a selector such as `tz=` are the instant of the ' +
    'request. Durations are absolute, `direction` has the sign. `business_days=true` counts the days from the earlier ' +
    'date up to, and not including, the later one that are neither weekend nor, with `holiday_country`, a public ' +
    'holiday; the dates are those of the zones in which the ends were given. `largest_unit` adds the duration in units of ' +
    'the calendar, in the zone of `from`.',
  parameters: { ends, options: spanOptions },
  payload: DiffPayload,
  lifetime: lifetimeOfEnds,
  examples: [
    {
      title: 'Between two instants',
      query: 'from=iso=2026-04-15T09:00:00Z&to=iso=2026-04-16T11:30:00Z&format=%25daysd%20%25hoursh',
    },
    {
      title: 'Business days in Bavaria',
      query:
        'from=iso=2026-12-21&to=iso=2027-01-11&business_days=true&holiday_country=DE&holiday_subdivision=BY',
    },
    {
      title: 'Business days of two markets together',
      query: 'from=iso=2026-06-29&to=iso=2026-07-20&business_days=true&holiday_country=US,DE-BY&details=true',
    },
    {
      title: 'In years, months and days',
      query: 'from=iso=1990-05-17&to=iso=2026-04-15&largest_unit=year',
    },
    { title: 'A missing end', query: 'from=now' },
  ],
  handle({ ends: { from, to }, options }, context) {
    const json = diff(instantOfEnd(from, context), instantOfEnd(to, context), options);
    return withDetails(json, context, () => usedCalendarDetails(options.businessDays));
  },
});
