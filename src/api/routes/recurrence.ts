import { requires, ServiceError, unreadable } from '../../common/errors.ts';
import { jsonObject } from '../../common/json.ts';
import { whenReady } from '../../common/promises.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { UsedCalendars } from '../../operations/business_days.ts';
import { targetDetails } from '../../operations/details.ts';
import { occurrences, RecurrencePayload, type Recurring, startOf } from '../../operations/recurrence.ts';
import { ZONES } from '../../operations/served_data.ts';
import { type Target, UTC_TARGET, zoneTarget } from '../../operations/target.ts';
import { MAX_CRON_LENGTH, parseCron } from '../../schedules/cron.ts';
import { MAX_RULE_LENGTH, parseRecurrence } from '../../schedules/recurrence_rule.ts';
import { MAX_STEPS } from '../../schedules/rule_occurrences.ts';
import { timePayloadElements } from '../../text/time_payload.ts';
import { flagSchema, group, type InputFactory, text, wholeWithin } from '../inputs.ts';
import {
  calendarParameters,
  decodeCalendars,
  READS_OF_CALENDARS,
  usedCalendarDetails,
} from '../parameters/calendars.ts';
import { findZone } from '../parameters/names.ts';
import { instantOfRangeEnd, rangeInput } from '../parameters/ranges.ts';
import { type Rendering, rendering } from '../parameters/rendering.ts';
import { suppliedTarget, target } from '../parameters/targets.ts';
import { jsonArrayOf, timeResponse, withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';

const MAX_OCCURRENCES = 1000;
const DEFAULT_OCCURRENCES = 10;

const CronText = text("Cron expression of five fields, as in cronie's crontab(5).", '0 9 * * 1-5', {
  maxLength: MAX_CRON_LENGTH,
});

const RuleText = text(
  'A `DTSTART` and an `RRULE` line of RFC 5545, separated by a newline (`%0A`). `TZID`, or `Z` for UTC, is the zone and ' +
    `excludes a target. A rule that needs more than ${MAX_STEPS} steps to search is rejected.`,
  'DTSTART;TZID=America/New_York:20260902T090000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR',
  { maxLength: MAX_RULE_LENGTH },
);

/** A cron expression or a rule, one of which is required, and the zone of the rule; null to use the target. */
const recurring: InputFactory<Recurring & { readonly zone: Target | null }> = group({
  parameters: { cron: CronText, rrule: RuleText },
  reads: ZONES,
  readsIn: query => (/TZID/i.test(query.peek('rrule')) ? ZONES : 0),
  select(query) {
    rejectSeveral(
      ['cron', 'rrule'].filter(name => query.has(name)),
      'a request takes one of them',
    );
  },
  decode(query, { snapshot }) {
    const cron = query.get('cron');
    if (cron !== undefined) return { kind: 'cron', cron: parseCron(cron, 'cron'), zone: null };
    const rule = query.get('rrule');
    if (rule === undefined) throw unreadable('cron', "it is missing: give 'cron' or 'rrule'");
    const recurrence = parseRecurrence(rule, 'rrule');
    const zone = zoneOf(recurrence, snapshot);
    if (zone !== null) rejectTarget(query);
    return { kind: 'rrule', recurrence, zone };
  },
});

function zoneOf({ start, zoneName }: ReturnType<typeof parseRecurrence>, { zones }: Snapshot): Target | null {
  if (zoneName !== null) return zoneTarget(findZone(zoneName, 'rrule', zones));
  return start.isUtc ? UTC_TARGET : null;
}

function rejectTarget(query: Query): void {
  const parameter = suppliedTarget(query);
  if (parameter === undefined) return;
  const reason = `'rrule' has a zone of its own, and '${parameter}' gives one too: give one of them`;
  throw new ServiceError('AMBIGUOUS_TARGET', reason, { parameter });
}

const occurrenceRange = rangeInput({
  from: text(
    'Start of the range: an ISO 8601 timestamp or date, which without an offset is local time in the target. By default the ' +
      '`DTSTART` of `rrule`, or the current time for `cron`.',
    '2026-04-15',
  ),
  to: text('The instant before which the range ends, like `from`.', '2027-01-01'),
});

const maxCount = wholeWithin(
  `Maximum number of occurrences; by default ${DEFAULT_OCCURRENCES}, or ${MAX_OCCURRENCES} with \`to\`.`,
  'occurrences',
  DEFAULT_OCCURRENCES,
  MAX_OCCURRENCES,
);

/** The calendars whose holidays are omitted; null without `exclude_holidays=true`. */
const excludedHolidays: InputFactory<UsedCalendars | null> = group({
  parameters: {
    exclude_holidays: flagSchema('Omits occurrences on public holidays; requires `holiday_country`.'),
    ...calendarParameters(' Requires `exclude_holidays=true`.'),
  },
  readsOf: READS_OF_CALENDARS,
  decode(query, { snapshot }) {
    const isExcluding = query.flag('exclude_holidays');
    const used = decodeCalendars(query, snapshot, isExcluding ? null : 'exclude_holidays=true');
    if (isExcluding && used.calendars.length === 0) throw requires('exclude_holidays', 'holiday_country');
    return isExcluding ? used : null;
  },
});

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
  parameters: {
    recurring,
    target,
    range: occurrenceRange,
    count: maxCount,
    excluded: excludedHolidays,
    rendering,
  },
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
  handle({ recurring, target, range, count, excluded, rendering }, context) {
    const place = recurring.zone ?? target;
    const start = () => (recurring.kind === 'cron' ? context.nowMs : startOf(recurring.recurrence, place));
    const fromMs = range.from === null ? start() : instantOfRangeEnd(range.from, place);
    const untilMs = range.to === null ? Number.POSITIVE_INFINITY : instantOfRangeEnd(range.to, place);
    if (untilMs < fromMs) throw unreadable('to', 'it is before the start of the range');
    const wanted = count ?? (range.to === null ? DEFAULT_OCCURRENCES : MAX_OCCURRENCES);
    const found = occurrences(recurring, place, { fromMs, untilMs, count: wanted }, excluded);
    const payloads = payloadsOf(found, place, rendering);
    const payloadOf = (times: Awaited<typeof payloads>) =>
      withDetails(jsonObject('occurrences', times), context, () => ({
        ...targetDetails(fromMs, place),
        ...usedCalendarDetails(excluded),
      }));
    return whenReady(payloads, payloadOf);
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
