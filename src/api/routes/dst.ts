import { DstPayload, dstStatus } from '../../operations/dst.ts';
import { flag, strftimeFormat } from '../parameters/schemas.ts';
import { target } from '../parameters/targets.ts';
import { jsonRoute } from '../route.ts';
import { timeResponse } from '../time_response.ts';

export const dstRoute = jsonRoute({
  path: '/v1/time/dst',
  summary: 'Whether daylight saving time is in force in a place, and its next change',
  description:
    '`dst_active` means that the clock is ahead of its standard time in the other part of the year; so it is true for Dublin ' +
    'in summer. A fixed offset never observes daylight saving time.',
  parameters: { target, format: strftimeFormat, next: flag('Adds the next change of the clock.') },
  payload: DstPayload,
  examples: [
    { title: 'With the next change', query: 'tz=Europe/Dublin&next=true' },
    { title: 'A zone that never changes', query: 'tz=Asia/Kolkata&next=true' },
    { title: 'Not an offset', query: 'offset=5' },
  ],
  handle({ target, format, next }, context) {
    const { nowMs } = context;
    return timeResponse(nowMs, target, format, dstStatus(nowMs, target, next), context);
  },
});
