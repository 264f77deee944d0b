import type { Query } from '../../http/query.ts';
import { CALENDAR_UNITS } from '../../operations/calendar_duration.ts';
import type { SpanOptions } from '../../operations/span.ts';
import { durationTemplateOf, MAX_TEMPLATE_LENGTH } from '../../text/duration.ts';
import { CALENDAR_DATA, calendarParameters, decodeCalendars, readsOfCalendars } from './calendars.ts';
import {
  choice,
  type DecodeContext,
  flagSchema,
  group,
  type InputFactory,
  parseChoice,
  text,
} from './input.ts';

/** The options of `diff` and `elapsed` for additional members. */
export const spanOptions: InputFactory<SpanOptions> = group({
  parameters: {
    format: {
      ...text(
        'Duration template with `%days`, `%hours`, `%minutes`, `%seconds`; adds `formatted`. In a URL, write `%days` as `%25days`.',
        '%days days, %hours h',
      ),
      maxLength: MAX_TEMPLATE_LENGTH,
    },
    business_days: flagSchema('Adds the number of business days.'),
    ...calendarParameters(' Requires `business_days=true`.'),
    largest_unit: choice(
      CALENDAR_UNITS,
      'Adds the duration in calendar units, this one and smaller: as `calendar`, and as an ISO 8601 `duration`.',
    ),
  },
  reads: CALENDAR_DATA,
  readsIn: readsOfCalendars,
  absent: { format: null, businessDays: null, largestUnit: null },
  decode: decodeSpanOptions,
});

function decodeSpanOptions(query: Query, { snapshot }: DecodeContext): SpanOptions {
  const template = query.get('format');
  const format = template === undefined ? null : durationTemplateOf(template, 'format');
  const isCounted = query.flag('business_days');
  const calendars = decodeCalendars(query, snapshot, isCounted ? null : 'business_days=true');
  const unit = query.get('largest_unit');
  const largestUnit = unit === undefined ? null : parseChoice(unit, 'largest_unit', CALENDAR_UNITS);
  return { format, businessDays: isCounted ? calendars : null, largestUnit };
}
