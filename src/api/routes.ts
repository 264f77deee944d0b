import type { Endpoint } from '../http/exchange.ts';
import type { Server } from '../http/snapshot.ts';
import { clockAssetEndpoints } from './assets/clock_assets.ts';
import { batchEndpoint } from './batch.ts';
import { endpointOf } from './endpoint.ts';
import type { Route } from './route.ts';
import { abbreviationsRoute } from './routes/abbreviations.ts';
import { addRoute } from './routes/add.ts';
import { calendarRoute } from './routes/calendar.ts';
import { clockRoute } from './routes/clock.ts';
import { clockBoardRoute, clockEmbedRoute, clockImageRoute, oembedRoute } from './routes/clock_embeds.ts';
import { convertRoute } from './routes/convert.ts';
import { currentRoute } from './routes/current.ts';
import { diffRoute } from './routes/diff.ts';
import { dstRoute } from './routes/dst.ts';
import { elapsedRoute } from './routes/elapsed.ts';
import { holidaysCalendarRoute, timezoneCalendarRoute } from './routes/formats/calendars.ts';
import { currentTextRoute } from './routes/formats/current_text.ts';
import { holidaysTableRoute, timezonesTableRoute, transitionsTableRoute } from './routes/formats/tables.ts';
import { holidaysRoute } from './routes/holidays.ts';
import { placesRoute } from './routes/places.ts';
import { publicKeysRoute } from './routes/public_keys.ts';
import { recurrenceRoute } from './routes/recurrence.ts';
import { timezoneRoute, timezonesRoute } from './routes/timezones.ts';
import { transitionsRoute } from './routes/transitions.ts';
import { tzdataChangesRoute, tzdataRoute } from './routes/tzdata.ts';
import { workAddRoute, workDiffRoute, workStatusRoute } from './routes/work.ts';
import { workDaysRoute } from './routes/work_days.ts';

/** The routes of the API, in the order of the documentation. */
export const API_ROUTES: readonly Route[] = [
  currentRoute,
  convertRoute,
  diffRoute,
  addRoute,
  calendarRoute,
  dstRoute,
  elapsedRoute,
  transitionsRoute,
  timezoneRoute,
  timezonesRoute,
  abbreviationsRoute,
  placesRoute,
  tzdataRoute,
  tzdataChangesRoute,
  holidaysRoute,
  workStatusRoute,
  workAddRoute,
  workDiffRoute,
  workDaysRoute,
  recurrenceRoute,
  currentTextRoute,
  transitionsTableRoute,
  timezoneCalendarRoute,
  timezonesTableRoute,
  holidaysCalendarRoute,
  holidaysTableRoute,
  clockRoute,
  clockImageRoute,
  clockEmbedRoute,
  clockBoardRoute,
  oembedRoute,
  publicKeysRoute,
];

/** Everything that the API serves: its routes, batches of them, and the files that clocks load. */
export function apiEndpoints(server: Server): readonly Endpoint[] {
  return [
    ...API_ROUTES.map(route => endpointOf(route, server)),
    batchEndpoint(API_ROUTES, server),
    ...clockAssetEndpoints(),
  ];
}
