import { CURRENT_PATH } from '../../clock/clock_config.ts';
import { ServiceError } from '../../common/errors.ts';
import { localText, utcText } from '../../common/iso_text.ts';
import { encode } from '../../common/json.ts';
import { whenReady } from '../../common/promises.ts';
import { rejectSeveral } from '../../http/query.ts';
import { Transition } from '../../operations/details.ts';
import {
  CalendarPayload,
  calendarDate,
  DstPayload,
  dstStatus,
  ZoneTransitions,
  zoneTransitions,
} from '../../operations/local_times.ts';
import { ZONES } from '../../operations/served_data.ts';
import { type Target, zoneTarget } from '../../operations/target.ts';
import { zonesOf } from '../../operations/timezone.ts';
import { CSV_TYPE, csvLine } from '../../text/csv.ts';
import { momentAt, TimePayload } from '../../text/time_payload.ts';
import { flag, flagSchema, group, type InputFactory, parsedValue } from '../inputs.ts';
import { CountryText, countryCode } from '../parameters/names.ts';
import { instantRange, lifetimeOfRange, type RequestedInstants, rangeIn } from '../parameters/ranges.ts';
import { rendering } from '../parameters/rendering.ts';
import { ONE_TARGET, type Selection } from '../parameters/selectors.ts';
import {
  isFailed,
  isList,
  requiredTargetsOrUtc,
  suppliedTarget,
  type Targets,
  target,
  targets,
  zoneTargets,
} from '../parameters/targets.ts';
import { lifetimeOfTimestamp, requiredTimestamp, timestamp } from '../parameters/timestamps.ts';
import { bulkOf, bulkPayload, timeResponse, timesResponse, withDetails } from '../payloads.ts';
import { type HandlerContext, jsonRoute, textRoute } from '../route.ts';
import { textsOf } from '../slices.ts';

export const currentRoute = jsonRoute({
  path: CURRENT_PATH,
  summary: 'The current time in one or more places',
  description:
    'Without a selector the response is in UTC, with `timezone` and `iso_local` null. For a comma-separated selector it is ' +
    'an array in the order of the list. All elements share one instant; if an entry fails, its error takes its position.',
  parameters: { targets, rendering },
  payload: bulkPayload(TimePayload),
  lifetime: 'moment',
  examples: [
    { title: 'One zone', query: 'tz=America/New_York' },
    { title: 'Several at once', query: 'tz=Europe/Paris,Asia/Kolkata,Mars/Olympus' },
    { title: 'With a custom format', query: 'tz=Asia/Tokyo&format=%A,+%-d+%B+%Y,+%H:%M+%Z' },
    { title: 'Cities by name', query: 'place=Munich;Perth, GB' },
    { title: 'A fixed offset', query: 'offset=-03:30' },
    { title: 'With zone details', query: 'tz=Europe/Paris&details=true' },
    { title: 'A misspelt zone', query: 'tz=Europe/Pari' },
  ],
  handle: ({ targets, rendering }, context) => timesResponse(context.nowMs, targets, rendering, context),
});

export const currentTextRoute = textRoute({
  path: '/v1/time/current.txt',
  summary: 'The current time in one or more places, as text',
  description:
    '`iso_local` of `/v1/time/current`, or `utc` without a selector, as a line; for a list, a line for each entry. Errors are ' +
    'lines, too.',
  contentType: 'text/plain; charset=utf-8',
  hasTextErrors: true,
  parameters: { targets },
  lifetime: 'moment',
  examples: [
    { title: 'One zone', query: 'tz=America/New_York' },
    { title: 'Several at once', query: 'tz=Europe/Paris,Asia/Kolkata,Mars/Olympus' },
    { title: 'A misspelt zone', query: 'tz=Europe/Pari' },
  ],
  handle({ targets }, { nowMs }) {
    const entries = isList(targets) ? targets : [targets];
    const lines = entries.map(entry => (isFailed(entry) ? entry.error.message : timeText(nowMs, entry)));
    return lines.map(line => `${line}\n`).join('');
  },
});

function timeText(epochMs: number, target: Target): string {
  return target.hasLocalTime ? localText(momentAt(epochMs, target)) : utcText(epochMs);
}

export const convertRoute = jsonRoute({
  path: '/v1/time/convert',
  summary: 'A timestamp as local time in one or more places',
  description:
    'Takes exactly one timestamp and one target. A local `iso` is in the zone of its hint (a `source_` parameter or a zone ' +
    'in brackets), or in UTC without one. A local time that a clock change skips moves forward by the length of the gap; if ' +
    'it occurs twice, the earlier instant is used. `disambiguation` overrides this. Lists work as on `/v1/time/current`.',
  parameters: { instant: requiredTimestamp, targets: requiredTargetsOrUtc, rendering },
  payload: bulkPayload(TimePayload),
  lifetime: 'fixed',
  examples: [
    { title: 'From Paris to Kolkata', query: 'iso=2026-07-01T09:00&source_tz=Europe/Paris&tz=Asia/Kolkata' },
    { title: 'Unix seconds', query: 'unix=1776274247&tz=America/New_York' },
    { title: 'Several offsets', query: 'unix=0&offset=-08:00,%2B05:45' },
    {
      title: 'A skipped time',
      query: 'iso=2026-03-08T02:30&source_tz=America/New_York&disambiguation=reject&utc=true',
    },
    { title: 'Not a timestamp', query: 'unix=1.5&utc=true' },
  ],
  handle: ({ instant, targets, rendering }, context) =>
    timesResponse(instant.epochMs, targets, rendering, context),
});

export const calendarRoute = jsonRoute({
  path: '/v1/time/calendar',
  summary: 'The date of a timestamp in a place',
  description:
    'The date is that of the target: one instant can lie in two days, months and years at once. `week=true` adds the ' +
    'week of ISO 8601, whose years begin on the Monday of the week with the first Thursday.',
  parameters: { instant: timestamp, target, week: flag('Adds the ISO 8601 week number.'), rendering },
  payload: CalendarPayload,
  lifetime: lifetimeOfTimestamp,
  examples: [
    {
      title: 'With the ISO week',
      query: 'iso=2027-01-01T00:30&source_tz=Europe/London&tz=America/New_York&week=true',
    },
    { title: 'Today in Tokyo', query: 'tz=Asia/Tokyo' },
    { title: 'In French', query: 'iso=2026-08-15&tz=Europe/Paris&lang=fr-CA' },
    { title: 'Two targets', query: 'tz=Asia/Tokyo&offset=%2B09:00' },
  ],
  handle({ instant, target, week, rendering }, context) {
    const epochMs = instant?.epochMs ?? context.nowMs;
    const date = calendarDate(epochMs, target, week, rendering.names);
    return timeResponse(epochMs, target, rendering, date, context);
  },
});

export const dstRoute = jsonRoute({
  path: '/v1/time/dst',
  summary: 'Whether daylight saving time is in force in a place, and its next change',
  description:
    '`dst_active` means that the clock is ahead of its standard time in the other part of the year; so it is true for Dublin ' +
    'in summer. A fixed offset never observes daylight saving time. With a timestamp, status and next change are those of its ' +
    'instant.',
  parameters: { instant: timestamp, target, rendering, next: flag('Adds the next change of the clock.') },
  payload: DstPayload,
  lifetime: lifetimeOfTimestamp,
  examples: [
    { title: 'With the next change', query: 'tz=Europe/Dublin&next=true' },
    { title: 'A zone that never changes', query: 'tz=Asia/Kolkata&next=true' },
    { title: 'At an instant', query: 'iso=2027-07-01T12:00&tz=Europe/Paris&next=true' },
    { title: 'Not an offset', query: 'offset=5' },
  ],
  handle({ instant, target, rendering, next }, context) {
    const epochMs = instant?.epochMs ?? context.nowMs;
    return timeResponse(epochMs, target, rendering, dstStatus(epochMs, target, next), context);
  },
});

/** One target, or several: those of a list in `tz`, the zones of `country`, or with `all=true` all canonical zones. */
const targetOrZones: InputFactory<Targets> = group({
  parameters: {
    ...zoneTargets.parameters,
    country: { ...CountryText, description: 'ISO 3166-1 alpha-2 code: all zones of the country.' },
    all: flagSchema('All zones listed by `/v1/timezones`.'),
  },
  reads: zoneTargets.reads,
  readsIn: (query, selected: Selection | null, snapshot, value) =>
    selected === null ? ZONES : zoneTargets.readsIn(query, selected, snapshot, value),
  isPerRequest: (selected, value) => zoneTargets.isPerRequest(selected, value),
  select(query) {
    const others = ['country', 'all'].filter(name =>
      name === 'all' ? query.hasFlag(name) : query.has(name),
    );
    const selector = suppliedTarget(query);
    rejectSeveral(selector === undefined ? others : [selector, ...others], ONE_TARGET);
    return zoneTargets.select(query);
  },
  decode(query, context, selected) {
    return whenReady(zoneTargets.decode(query, context, selected), targets => {
      const code = parsedValue(query, 'country', (text, name) => countryCode(text, name, context));
      const isAll = query.flag('all');
      if (targets !== null) return targets;
      if (code !== null || isAll) return zonesOf(code, context.snapshot.zones).map(zoneTarget);
      throw new ServiceError(
        'MISSING_TARGET',
        "A target is missing: give a selector such as 'tz', 'country' or 'all=true'",
      );
    });
  },
});

/** The maximum range for one zone; it is divided among several. */
const MAX_ZONE_YEARS = 200;
/** The maximum range for many zones. */
const MIN_YEARS = 5;
/** Zones are parsed on first use, in 0.14 ms each. */
const ZONES_PER_SLICE = 8;

export const transitionsRoute = jsonRoute({
  path: '/v1/time/transitions',
  summary: 'The clock changes of one or more zones in a range',
  description:
    'All changes of the clock or the DST flag at or after `from` and before `to`. If only one of them is given, the range is the ' +
    `year from or up to it; without either, the current year. The range is at most ${MAX_ZONE_YEARS} years for one zone, divided by ` +
    `the number of zones, but at least ${MIN_YEARS} years. A list in \`tz\` returns an array in the order of the list; ` +
    '`country` and `all=true` return an array sorted by name.',
  parameters: { targets: targetOrZones, range: instantRange },
  payload: bulkPayload(ZoneTransitions, 'For a list, a country or all zones: an element for each.'),
  lifetime: lifetimeOfRange,
  examples: [
    { title: 'This year', query: 'tz=Europe/Paris' },
    { title: 'A year from a date', query: 'tz=Europe/Paris&from=2028-01-01' },
    { title: 'A range of dates', query: 'tz=Africa/Casablanca&from=2025-01-01&to=2026-01-01' },
    { title: 'Several zones', query: 'tz=America/New_York,Asia/Tokyo&from=2026-03-01&to=2026-04-01' },
    { title: 'A country', query: 'country=NZ&from=2026-01-01&to=2027-01-01' },
    { title: 'Too long', query: 'all=true&from=2020-01-01&to=2030-01-01' },
  ],
  handle({ targets, range }, context) {
    const transitionsOf = transitionsIn(range, targets, context);
    const payloadOf = (target: Target) => withDetails(encode(transitionsOf(target)), context);
    return bulkOf(targets, context, payloadOf, ZONES_PER_SLICE);
  },
});

/** Returns a function that lists the changes of a target in the range. */
function transitionsIn(
  range: RequestedInstants,
  targets: Targets,
  context: Pick<HandlerContext, 'nowMs'>,
): (target: Target) => ZoneTransitions {
  const count = isList(targets) ? targets.length : 1;
  const maxYears = Math.max(MIN_YEARS, Math.floor(MAX_ZONE_YEARS / count));
  return target => zoneTransitions(target, rangeIn(target, range, maxYears, context));
}

const TRANSITION_COLUMNS = Object.keys(Transition.properties) as (keyof typeof Transition.properties)[];

export const transitionsTableRoute = textRoute({
  path: '/v1/time/transitions.csv',
  summary: 'The clock changes of one or more zones, as CSV',
  description: 'The changes of `/v1/time/transitions` in CSV (RFC 4180), one row per change.',
  contentType: CSV_TYPE,
  parameters: { targets: targetOrZones, range: instantRange },
  lifetime: lifetimeOfRange,
  examples: [
    { title: 'This year', query: 'tz=Europe/Paris' },
    { title: 'Several zones', query: 'tz=America/New_York,Asia/Tokyo&from=2026-03-01&to=2026-04-01' },
    { title: 'Too long', query: 'all=true&from=2020-01-01&to=2030-01-01' },
  ],
  handle({ targets, range }, context) {
    const transitionsOf = transitionsIn(range, targets, context);
    const rowsOf = (target: Target) => {
      const { timezone, transitions } = transitionsOf(target);
      return transitions.map(change =>
        csvLine([timezone, ...TRANSITION_COLUMNS.map(column => change[column])]),
      );
    };
    const texts = textsOf(foundOf(targets), target => rowsOf(target).join(''), ZONES_PER_SLICE);
    const header = csvLine(['timezone', ...TRANSITION_COLUMNS]);
    return whenReady(texts, rows => header + rows.join(''));
  },
});

/** The targets of a request; throws the error of an entry that fails, which a table cannot represent. */
function foundOf(targets: Targets): readonly Target[] {
  if (!isList(targets)) return [targets];
  return targets.map(entry => {
    if (isFailed(entry)) throw entry.error;
    return entry;
  });
}
