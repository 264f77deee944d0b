import { unreadable } from '../../common/errors.ts';
import { jsonObject } from '../../common/json.ts';
import { targetDetails } from '../../operations/details.ts';
import { occurrences, RecurrencePayload, startOf } from '../../operations/recurrence.ts';
import type { Target } from '../../operations/target.ts';
import { timePayloadElements } from '../../text/time_payload.ts';
import { usedCalendarDetails } from '../parameters/business_days.ts';
import { instantOfRangeEnd } from '../parameters/instant_range.ts';
import { excludedHolidays, occurrenceRange, recurring } from '../parameters/recurrences.ts';
import { type Rendering, rendering } from '../parameters/rendering.ts';
import { target } from '../parameters/targets.ts';
import { jsonRoute } from '../route.ts';
import { jsonArrayOf, timeResponse, withDetails } from '../time_response.ts';

/** Less than a list in {@link timePayloadElements}. */
const OCCURRENCES_PER_SLICE = 100;
/** The longest pattern takes 70 µs for each. */
const RENDERED_PER_SLICE = 10;

export const recurrenceRoute = jsonRoute({
  path: '/v1/recurrence',
  summary: 'When a cron job or a recurrence rule occurs',
  description:
    "The occurrences of a cron expression or an RFC 5545 rule in a target's local time, from `from` up to, and not including, " +
    '`to`, at most `count` of them. `/docs#recurrences` explains what happens when the clock changes.',
  parameters: { recurring, target, range: occurrenceRange, excluded: excludedHolidays, rendering },
  payload: RecurrencePayload,
  lifetime: ({ recurring, range }) => (recurring.kind === 'cron' && range.from === null ? 'moment' : 'fixed'),
  examples: [
    { title: 'A cron job', query: 'cron=0 9 * * 1-5&tz=America/New_York&count=3' },
    {
      title: 'The last Friday of each month',
      query:
        'rrule=DTSTART;TZID=Europe/Berlin:20260130T170000%0ARRULE:FREQ=MONTHLY;BYDAY=-1FR&from=2026-04-15&to=2026-09-01',
    },
    {
      title: 'Every weekday except holidays',
      query:
        'cron=30 8 * * mon-fri&tz=Europe/Berlin&from=2026-12-23&to=2027-01-01&exclude_holidays=true&holiday_country=DE&holiday_subdivision=BY',
    },
    {
      title: 'In another language, with a pattern',
      query: 'cron=0 18 * * 5&tz=Europe/Paris&count=2&lang=fr&format=%A %-d %B',
    },
    { title: 'A day that does not exist', query: 'cron=0 0 30 2 *' },
  ],
  handle({ recurring, target, range, excluded, rendering }, context) {
    const place = recurring.zone ?? target;
    const start = () => (recurring.kind === 'cron' ? context.nowMs : startOf(recurring.recurrence, place));
    const fromMs = range.from === null ? start() : instantOfRangeEnd(range.from, place);
    const untilMs = range.to === null ? Number.POSITIVE_INFINITY : instantOfRangeEnd(range.to, place);
    if (untilMs < fromMs) throw unreadable('to', 'it is before the start of the range');
    const found = occurrences(recurring, place, { fromMs, untilMs, count: range.count }, excluded);
    const payloads = payloadsOf(found, place, rendering);
    const payloadOf = (times: Awaited<typeof payloads>) =>
      withDetails(jsonObject('occurrences', times), context, () => ({
        ...targetDetails(fromMs, place),
        ...usedCalendarDetails(excluded),
      }));
    return payloads instanceof Promise ? payloads.then(payloadOf) : payloadOf(payloads);
  },
});

/** The time payloads of instants; those in another language or with a pattern are written one by one. */
function payloadsOf(instants: readonly number[], place: Target, rendering: Rendering) {
  if (rendering.format === null && rendering.names === null)
    return jsonArrayOf(slicesOf(instants, OCCURRENCES_PER_SLICE), slice => timePayloadElements(slice, place));
  const payloadOf = (epochMs: number) =>
    timeResponse(epochMs, place, rendering, null, { commonDetails: null });
  return jsonArrayOf(instants, payloadOf, RENDERED_PER_SLICE);
}

function slicesOf<Item>(items: readonly Item[], length: number): (readonly Item[])[] {
  const count = Math.ceil(items.length / length);
  return Array.from({ length: count }, (_, index) => items.slice(index * length, (index + 1) * length));
}
