import { DstPayload, dstStatus } from '../../operations/dst.ts';
import { flag } from '../parameters/input.ts';
import { rendering } from '../parameters/rendering.ts';
import { target } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute, ofTimestamp, timeResponse } from '../route.ts';

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
