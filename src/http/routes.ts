import type { JsonRoute } from './route.ts';
import { addRoute } from './routes/add.ts';
import { calendarRoute } from './routes/calendar.ts';
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

/** What the API description and the pages show: the JSON routes, and those with a responder of their own. */
export const DESCRIBED_ROUTES: readonly JsonRoute[] = [...JSON_ROUTES, publicKeysRoute];
