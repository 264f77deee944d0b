import { addTo } from '../../operations/add.ts';
import { TimePayload } from '../../text/time_payload.ts';
import { addition } from '../parameters/addition.ts';
import { usedCalendarDetails } from '../parameters/business_days.ts';
import { rendering } from '../parameters/rendering.ts';
import { targetOrUtc } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute, ofTimestamp } from '../route.ts';
import { timeResponse } from '../time_response.ts';

export const addRoute = jsonRoute({
  path: '/v1/time/add',
  summary: 'A timestamp shifted by an amount of time, a calendar duration or business days',
  description:
    'Shifts a timestamp, by default the present, in one of three ways. `days`, `hours`, `minutes` and `seconds` shift the ' +
    'instant by their sum, a day being 86,400 seconds. `duration` and `business_days` shift the date on the wall clock of ' +
    'the target, or of UTC without one, and preserve the time of day. If a clock change skips that time, it moves forward by ' +
    'the gap; if it occurs twice, the earlier instant is used.',
  parameters: { instant: timestamp, addition, target: targetOrUtc, rendering },
  payload: TimePayload,
  lifetime: ofTimestamp,
  examples: [
    { title: 'In 30 days', query: 'days=30&tz=Australia/Lord_Howe' },
    {
      title: 'Across a clock change',
      query: 'iso=2026-10-25T00:30&source_tz=Europe/London&minutes=120&tz=Europe/London',
    },
    {
      title: 'A month later on the wall clock',
      query: 'iso=2026-01-31T09:00&source_tz=Europe/Paris&duration=P1M&tz=Europe/Paris',
    },
    {
      title: 'In three business days in Bavaria',
      query: 'business_days=3&holiday_country=DE&holiday_subdivision=BY&tz=Europe/Berlin',
    },
    { title: '90 minutes before', query: 'unix=1776274247&minutes=-90&utc=true' },
    { title: 'Nothing to add', query: 'tz=UTC' },
  ],
  handle({ instant, addition, target, rendering }, context) {
    const sum = addTo(instant?.epochMs ?? context.nowMs, addition, target);
    const used = 'businessDays' in addition ? addition.businessDays.used : null;
    return timeResponse(sum, target, rendering, null, context, () => usedCalendarDetails(used));
  },
});
