import { rendering } from '../parameters/rendering.ts';
import { requiredTargetsOrUtc } from '../parameters/targets.ts';
import { requiredTimestamp } from '../parameters/timestamps.ts';
import { BulkPayload, jsonRoute, timesResponse } from '../route.ts';

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
