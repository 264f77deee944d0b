import { ServiceError, unreadable } from '../../common/errors.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { UsedCalendars } from '../../operations/business_days.ts';
import type { Recurring } from '../../operations/recurrence.ts';
import { type Target, UTC_TARGET, zoneTarget } from '../../operations/target.ts';
import { MAX_CRON_LENGTH, parseCron } from '../../schedules/cron.ts';
import { MAX_RULE_LENGTH, parseRecurrence } from '../../schedules/recurrence_rule.ts';
import { MAX_STEPS } from '../../schedules/rule_occurrences.ts';
import { calendarParameters, decodeCalendars, requires } from './business_days.ts';
import { group, type InputFactory, type ParameterSchema } from './input.ts';
import { RangeDisambiguation, type RequestedInstants, readEnds } from './instant_range.ts';
import { flagSchema, parseWholeNumber, text, whole } from './schemas.ts';
import { suppliedTarget } from './targets.ts';
import { findZone } from './zone_names.ts';

const MAX_OCCURRENCES = 1000;
const DEFAULT_OCCURRENCES = 10;

const CronText: ParameterSchema = {
  ...text("Cron expression of five fields, as in cronie's crontab(5).", '0 9 * * 1-5'),
  maxLength: MAX_CRON_LENGTH,
};

const RuleText: ParameterSchema = {
  ...text(
    'A `DTSTART` and an `RRULE` line of RFC 5545, separated by a newline (`%0A`). `TZID`, or `Z` for UTC, is the zone and ' +
      `excludes a target. A rule that needs more than ${MAX_STEPS} steps to search is rejected.`,
    'DTSTART;TZID=America/New_York:20260902T090000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR',
  ),
  maxLength: MAX_RULE_LENGTH,
};

/** A cron expression or a rule, one of which is required, and the zone of the rule; null to use the target. */
export const recurring: InputFactory<Recurring & { readonly zone: Target | null }> = group({
  parameters: { cron: CronText, rrule: RuleText },
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

/** Which occurrences are wanted; an end is null where it was not supplied. */
export interface RequestedRange extends RequestedInstants {
  readonly count: number;
}

/** The range of occurrences. */
export const occurrenceRange: InputFactory<RequestedRange> = group({
  parameters: {
    from: text(
      'Start of the range: an ISO 8601 timestamp or date, which without an offset is local time in the target. By default the ' +
        '`DTSTART` of `rrule`, or the current time for `cron`.',
      '2026-04-15',
    ),
    to: text('The instant before which the range ends, like `from`.', '2027-01-01'),
    disambiguation: RangeDisambiguation,
    count: {
      ...whole('Maximum number of occurrences; by default 10, or 1,000 with `to`.', 10, MAX_OCCURRENCES),
      minimum: 1,
    },
  },
  decode(query, { snapshot }) {
    const { from, to } = readEnds(query, snapshot);
    return { from, to, count: readCount(query) ?? (to === null ? DEFAULT_OCCURRENCES : MAX_OCCURRENCES) };
  },
});

function readCount(query: Query): number | null {
  const value = query.get('count');
  if (value === undefined) return null;
  const count = parseWholeNumber(value, 'count', 'occurrences');
  if (count >= 1 && count <= MAX_OCCURRENCES) return count;
  throw unreadable('count', `${count} is not between 1 and ${MAX_OCCURRENCES}`);
}

/** The calendars whose holidays are omitted; null without `exclude_holidays=true`. */
export const excludedHolidays: InputFactory<UsedCalendars | null> = group({
  parameters: {
    exclude_holidays: flagSchema('Omits occurrences on public holidays; requires `holiday_country`.'),
    ...calendarParameters(' Requires `exclude_holidays=true`.'),
  },
  decode(query, { snapshot }) {
    const isExcluding = query.flag('exclude_holidays');
    const used = decodeCalendars(query, snapshot, isExcluding ? null : 'exclude_holidays=true');
    if (isExcluding && used.calendars.length === 0) throw requires('exclude_holidays', 'holiday_country');
    return isExcluding ? used : null;
  },
});
