import { CURRENT_PATH } from '../../clock/clock_config.ts';
import { rendering } from '../parameters/rendering.ts';
import { targets } from '../parameters/targets.ts';
import { BulkPayload, jsonRoute, timesResponse } from '../route.ts';

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
