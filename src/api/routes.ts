import type { Endpoint } from '../http/exchange.ts';
import type { Server } from '../http/snapshot.ts';
import { clockAssetEndpoints } from './assets/clock_assets.ts';
import { batchEndpoint } from './batch.ts';
import { endpointOf } from './endpoint.ts';
import type { Route } from './route.ts';
import { addRoute } from './routes/add.ts';
import { clockImageRoute, clockRoute } from './routes/clock.ts';
import { clockBoardRoute, clockEmbedRoute } from './routes/embed.ts';
import { holidaysCalendarRoute, holidaysRoute, holidaysTableRoute } from './routes/holidays.ts';
import { oembedRoute } from './routes/oembed.ts';
import { placesRoute } from './routes/places.ts';
import { publicKeysRoute } from './routes/public_keys.ts';
import { recurrenceRoute } from './routes/recurrence.ts';
import { diffRoute, elapsedRoute } from './routes/spans.ts';
import {
  calendarRoute,
  convertRoute,
  currentRoute,
  currentTextRoute,
  dstRoute,
  transitionsRoute,
  transitionsTableRoute,
} from './routes/times.ts';
import {
  abbreviationsRoute,
  timezoneCalendarRoute,
  timezoneRoute,
  timezonesRoute,
  timezonesTableRoute,
} from './routes/timezones.ts';
import { tzdataChangesRoute, tzdataRoute } from './routes/tzdata.ts';
import { workAddRoute, workDaysRoute, workDiffRoute, workStatusRoute } from './routes/work.ts';

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
