import { CURRENT_PATH } from '../../clock/clock_config.ts';
import { localText, utcText } from '../../common/iso_text.ts';
import { CalendarPayload, calendarDate, DstPayload, dstStatus } from '../../operations/local_times.ts';
import type { Target } from '../../operations/target.ts';
import { momentAt } from '../../text/time_payload.ts';
import { flag } from '../parameters/input.ts';
import { rendering } from '../parameters/rendering.ts';
import { requiredTargetsOrUtc, target, targets } from '../parameters/targets.ts';
import { requiredTimestamp, timestamp } from '../parameters/timestamps.ts';
import { BulkPayload, jsonRoute, ofTimestamp, textRoute, timeResponse, timesResponse } from '../route.ts';

export const currentRoute = jsonRoute({
  path: CURRENT_PATH,
  summary: 'The current time in one or more places',
  description:
    'Without a selector the response is in UTC, with `timezone` and `iso_local` null. For a comma-separated selector it is ' +
    'an array in the order of the list. All elements share one instant; if an entry fails, its error takes its position.',
  parameters: { targets, rendering },
  payload: BulkPayload,
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
    const entries = 'periodAt' in targets ? [targets] : targets;
    const lines = entries.map(entry => ('error' in entry ? entry.error.message : timeText(nowMs, entry)));
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
  payload: BulkPayload,
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
  parameters: {
    instant: timestamp,
    target,
    week: flag('Adds the ISO 8601 week number.'),
    rendering,
  },
  payload: CalendarPayload,
  lifetime: ofTimestamp,
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
    return timeResponse(
      epochMs,
      target,
      rendering,
      calendarDate(epochMs, target, week, rendering.names),
      context,
    );
  },
});

export const dstRoute = jsonRoute({
  path: '/v1/time/dst',
  summary: 'Whether daylight saving time is in force in a place, and its next change',
  description:
    '`dst_active` means that the clock is ahead of its standard time in the other part of the year; so it is true for Dublin ' +
    'in summer. A fixed offset never observes daylight saving time. With a timestamp, status and next change are those of its ' +
    'instant.',
  parameters: {
    instant: timestamp,
    target,
    rendering,
    next: flag('Adds the next change of the clock.'),
  },
  payload: DstPayload,
  lifetime: ofTimestamp,
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
