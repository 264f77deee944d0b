import type { DescribedRoute, JsonRoute, Route } from './route.ts';
import { addRoute } from './routes/add.ts';
import { calendarRoute } from './routes/calendar.ts';
import { clockRoute } from './routes/clock.ts';
import { convertRoute } from './routes/convert.ts';
import { currentRoute } from './routes/current.ts';
import { diffRoute } from './routes/diff.ts';
import { dstRoute } from './routes/dst.ts';
import { elapsedRoute } from './routes/elapsed.ts';
import { holidaysRoute } from './routes/holidays.ts';
import { publicKeysRoute } from './routes/public_keys.ts';
import { timezoneRoute } from './routes/timezone.ts';
import { timezonesRoute } from './routes/timezones.ts';

/** The JSON routes of the API. */
export const JSON_ROUTES: readonly JsonRoute[] = [
  currentRoute,
  convertRoute,
  diffRoute,
  addRoute,
  calendarRoute,
  dstRoute,
  elapsedRoute,
  timezoneRoute,
  timezonesRoute,
  holidaysRoute,
];

/** All routes that {@link createResponder} answers. */
export const API_ROUTES: readonly Route[] = [...JSON_ROUTES, clockRoute];

/** What the API description and the pages show: those, and the one with a responder of its own. */
export const DESCRIBED_ROUTES: readonly DescribedRoute[] = [...API_ROUTES, publicKeysRoute];
