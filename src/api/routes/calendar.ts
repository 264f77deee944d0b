import { CalendarPayload, calendarDate } from '../../operations/calendar.ts';
import { flag } from '../parameters/input.ts';
import { rendering } from '../parameters/rendering.ts';
import { target } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute, ofTimestamp, timeResponse } from '../route.ts';

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
