import { type Query, rejectSeveral } from '../../http/query.ts';
import {
  CALENDAR_UNITS,
  DiffPayload,
  diff,
  ElapsedPayload,
  elapsed,
  type SpanOptions,
} from '../../operations/spans.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { compileDurationTemplate, MAX_TEMPLATE_LENGTH } from '../../text/duration.ts';
import {
  choice,
  type DecodeContext,
  flagSchema,
  group,
  type InputFactory,
  parseChoice,
  parsedValue,
  text,
} from '../inputs.ts';
import {
  calendarParameters,
  decodeCalendars,
  READS_OF_CALENDARS,
  usedCalendarDetails,
} from '../parameters/calendars.ts';
import { ends, instantOfEnd, lifetimeOfEnds } from '../parameters/diff_ends.ts';
import { suppliedTarget, target } from '../parameters/targets.ts';
import { comparison, requiredTimestamp, suppliedComparison } from '../parameters/timestamps.ts';
import { withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';

const spanOptions: InputFactory<SpanOptions> = group({
  parameters: {
    format: text(
      'Duration template with `%days`, `%hours`, `%minutes`, `%seconds`; adds `formatted`. In a URL, write `%days` as `%25days`.',
      '%days days, %hours h',
      { maxLength: MAX_TEMPLATE_LENGTH },
    ),
    business_days: flagSchema('Adds the number of business days.'),
    ...calendarParameters(' Requires `business_days=true`.'),
    largest_unit: choice(
      CALENDAR_UNITS,
      'Adds the duration in calendar units, this one and smaller: as `calendar`, and as an ISO 8601 `duration`.',
    ),
  },
  readsOf: READS_OF_CALENDARS,
  absent: { format: null, businessDays: null, largestUnit: null },
  decode: decodeSpanOptions,
});

function decodeSpanOptions(query: Query, { snapshot }: DecodeContext): SpanOptions {
  const format = parsedValue(query, 'format', compileDurationTemplate);
  const isCounted = query.flag('business_days');
  const calendars = decodeCalendars(query, snapshot, isCounted ? null : 'business_days=true');
  const largestUnit = parsedValue(query, 'largest_unit', (text, name) =>
    parseChoice(text, name, CALENDAR_UNITS),
  );
  return { format, businessDays: isCounted ? calendars : null, largestUnit };
}

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
    { title: 'In years, months and days', query: 'from=iso=1990-05-17&to=iso=2026-04-15&largest_unit=year' },
    { title: 'A missing end', query: 'from=now' },
  ],
  handle({ ends: { from, to }, options }, context) {
    const json = diff(instantOfEnd(from, context), instantOfEnd(to, context), options);
    return withDetails(json, context, () => usedCalendarDetails(options.businessDays));
  },
});

/** The zone of the dates; it excludes a comparison, which has one of its own. */
const targetWithoutComparison: InputFactory<Target> = name => {
  const input = target(name);
  return {
    ...input,
    select(query) {
      const selected = input.select?.(query);
      const compared = suppliedComparison(query);
      const placed = compared && suppliedTarget(query);
      if (compared && placed) rejectSeveral([compared, placed], 'a timestamp is compared with one of them');
      return selected;
    },
  };
};

export const elapsedRoute = jsonRoute({
  path: '/v1/time/elapsed',
  summary: 'The time since a timestamp, or until it',
  description:
    'The timestamp is compared with the present, or with `compare_unix`, `compare_unix_ms` or `compare_iso`. ' +
    '`direction` is `passed` for a timestamp in the past and `left` for one in the future. A target selector chooses the zone ' +
    'of the dates of `business_days`, and of the calendar of `largest_unit`.',
  parameters: {
    reference: requiredTimestamp,
    comparison,
    target: targetWithoutComparison,
    options: spanOptions,
  },
  payload: ElapsedPayload,
  lifetime: ({ comparison }) => (comparison === null ? 'moment' : 'fixed'),
  examples: [
    { title: 'Since an instant', query: 'unix=1776000000' },
    {
      title: 'Until a local time, in business days',
      query: 'iso=2026-12-24T18:00&source_tz=Europe/Berlin&business_days=true&holiday_country=DE',
    },
    {
      title: 'An age in years, months and days',
      query: 'iso=1990-05-17&source_tz=Europe/Berlin&largest_unit=year',
    },
    {
      title: 'From one local time to another',
      query:
        'iso=2026-03-08T01:00&source_tz=America/New_York&compare_iso=2026-03-08T09:00&compare_source_tz=Europe/Paris',
    },
    { title: 'Without a timestamp', query: 'tz=Asia/Tokyo' },
  ],
  handle({ reference, comparison, target, options }, context) {
    // The zone of the target is that of both sides, except of a timestamp with a zone of its own.
    const placed = reference.frame === NO_TARGET ? { epochMs: reference.epochMs, frame: target } : reference;
    const compared = comparison ?? { epochMs: context.nowMs, frame: target };
    const json = elapsed(placed, compared, options);
    return withDetails(json, context, () => usedCalendarDetails(options.businessDays));
  },
});
