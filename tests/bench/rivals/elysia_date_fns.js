/**
 * The same service as commonly written on Bun: Elysia and date-fns with `TZDate`, with geo-tz, maxmind and date-holidays.
 * In production mode; each route's query is checked by its schema, as Elysia's documentation has it.
 */
import { TZDate, tz, tzName, tzOffset, tzScan } from '@date-fns/tz';
import { getCountry, getTimezone } from 'countries-and-timezones';
import {
  add,
  addYears,
  formatISO,
  format as formatTime,
  getISOWeek,
  isValid,
  parseISO,
  startOfHour,
} from 'date-fns';
import { Elysia, t } from 'elysia';
import { BadRequest } from './bad_request.js';
import { clockFragment } from './clock.js';
import { formatDuration, humanDuration, span } from './durations.js';
import { businessDays, holidayListing, workDays } from './holidays.js';
import { offsetText, readBulk, readSelector, readSpecifier, readWhole } from './parameters.js';
import { signatureHeaders } from './signing.js';

/** The common strftime directives as date-fns tokens. */
const TOKENS = {
  Y: 'yyyy',
  m: 'MM',
  d: 'dd',
  H: 'HH',
  M: 'mm',
  S: 'ss',
  A: 'EEEE',
  a: 'EEE',
  B: 'MMMM',
  b: 'MMM',
  I: 'hh',
  p: 'a',
  y: 'yy',
  j: 'DDD',
  Z: 'zzz',
  z: 'xx',
  e: 'd',
  F: 'yyyy-MM-dd',
  T: 'HH:mm:ss',
  V: 'II',
};

function strftime(time, pattern) {
  return pattern.replace(/%(.)/g, (directive, letter) => {
    if (letter === '%') return '%';
    if (TOKENS[letter] === undefined) {
      throw new BadRequest('INVALID_PARAMETER', `'${directive}' is not a directive`);
    }
    return formatTime(time, TOKENS[letter], { useAdditionalDayOfYearTokens: true });
  });
}

/** The zone in the form TZDate expects: a name, or an offset. */
function zoneOf(selector) {
  if (selector.kind === 'offset') return offsetText(selector.minutes);
  if (Number.isNaN(tzOffset(selector.zone, new Date()))) {
    throw new BadRequest('INVALID_PARAMETER', `'${selector.zone}' is not a zone`);
  }
  return selector.zone;
}

/** The target of a query: the zone, the name in the response, and its name in `human`. */
function readTarget(query) {
  const selector = readSelector(query);
  if (selector === null) return { zone: 'UTC', name: null, label: 'UTC', isLocal: false };
  const zone = zoneOf(selector);
  const isOffset = selector.kind === 'offset';
  return {
    selector,
    zone,
    name: isOffset ? null : zone,
    label: isOffset ? `UTC${zone}` : zone,
    isLocal: true,
  };
}

/** The timestamp of a query in its own zone, or null. */
function readTimestamp(query, prefix = '') {
  const [unix, unixMs, iso] = ['unix', 'unix_ms', 'iso'].map(name => query[`${prefix}${name}`]);
  if ([unix, unixMs, iso].filter(value => value !== undefined).length > 1) {
    throw new BadRequest('AMBIGUOUS_TARGET', 'Several timestamps are given together');
  }
  if (unix !== undefined) return new TZDate(readWhole('unix', unix) * 1000, 'UTC');
  if (unixMs !== undefined) return new TZDate(readWhole('unix_ms', unixMs), 'UTC');
  if (iso === undefined) return null;
  const hint = readSelector(query, `${prefix}source_`);
  const own = /[+-]\d\d:\d\d$/.exec(iso)?.[0] ?? 'UTC';
  const time = parseISO(iso, { in: tz(hint === null ? own : zoneOf(hint)) });
  if (!isValid(time)) throw new BadRequest('INVALID_PARAMETER', `'${iso}' is not a timestamp`);
  return time;
}

function timePayload(instant, target, pattern) {
  const local = new TZDate(instant, target.zone);
  const payload = {
    unix: Math.floor(local.getTime() / 1000),
    unix_ms: local.getTime(),
    utc: `${new Date(local.getTime()).toISOString().slice(0, 19)}Z`,
    iso_local: target.isLocal ? formatTime(local, "yyyy-MM-dd'T'HH:mm:ssxxx") : null,
    rfc2822: formatTime(local, 'EEE, dd MMM yyyy HH:mm:ss xx'),
    human: `${formatTime(local, 'MMMM d, yyyy, h:mm a')} ${target.label}`,
    day_number: local.getDay() + 1,
    day_short: formatTime(local, 'EEE'),
    day_full: formatTime(local, 'EEEE'),
    timezone: target.name,
  };
  if (pattern !== undefined) payload.formatted = strftime(local, pattern);
  return payload;
}

/** Whether the clock is ahead of its time in January or July. */
function isDst(zone, date) {
  const year = date.getUTCFullYear();
  const [january, july] = [0, 6].map(month => tzOffset(zone, new Date(Date.UTC(year, month, 1))));
  return tzOffset(zone, date) > Math.min(january, july);
}

function zoneFacts(now, zone) {
  return { offset: tzOffset(zone, now), dst: isDst(zone, now) };
}

function zoneListing(now, zone) {
  return {
    name: zone,
    country_codes: getTimezone(zone)?.countries ?? [],
    abbreviation: tzName(zone, now, 'short'),
    ...zoneFacts(now, zone),
  };
}

function nextTransition(zone, now) {
  // Starts on a whole hour, as the scan steps by hours.
  const [change] = tzScan(zone, { start: startOfHour(now), end: addYears(now, 2) });
  if (change === undefined) return null;
  return formatISO(new TZDate(change.date, offsetText(change.offset - change.change)));
}

function spanExtras(query, one, other, { seconds }) {
  const extras = {};
  if (query.business_days === 'true') {
    const [oneDate, otherDate] = [one, other].map(time => formatISO(time, { representation: 'date' }));
    extras.business_days = businessDays(oneDate, otherDate, query.holiday_country, query.holiday_subdivision);
  }
  if (query.format !== undefined) extras.formatted = formatDuration(seconds, query.format);
  return extras;
}

/** One payload, or one for each entry of a bulk, with errors in their places. */
function payloads(instant, query) {
  const bulk = readBulk(query);
  if (bulk === null) return timePayload(instant, readTarget(query), query.format);
  return bulk.map(entry => {
    try {
      return timePayload(instant, readTarget(entry), query.format);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      return { error: { code: error.code, message: error.message }, item: Object.values(entry)[0] };
    }
  });
}

const now = () => new TZDate(Date.now(), 'UTC');
const texts = names => Object.fromEntries(names.map(name => [name, t.Optional(t.String())]));
const places = prefix => texts(['tz', 'ip', 'lat', 'lon', 'offset'].map(name => `${prefix}${name}`));
const timestamp = prefix => ({
  ...texts(['unix', 'unix_ms', 'iso'].map(name => `${prefix}${name}`)),
  ...places(`${prefix}source_`),
});
const TARGET = places('');
const COMMON = texts(['format', 'sign']);
const SPAN = { ...COMMON, ...texts(['business_days', 'holiday_country', 'holiday_subdivision']) };

const app = new Elysia()
  .onRequest(({ request, set }) => {
    set.headers['cache-control'] = 'no-store';
    set.headers['access-control-allow-origin'] = '*';
    set.headers['x-request-id'] = request.headers.get('x-request-id') ?? crypto.randomUUID();
  })
  .onError(({ code, error, set }) => {
    const isFault = error instanceof BadRequest;
    set.status = isFault || code === 'VALIDATION' ? 400 : code === 'NOT_FOUND' ? 404 : 500;
    const message = set.status === 500 ? 'Something went wrong' : error.message;
    return {
      error: { code: isFault ? error.code : code, message },
      request_id: set.headers['x-request-id'],
    };
  })
  .onAfterHandle(({ query, request, responseValue, set }) => {
    if (query.sign !== 'true') return;
    const body = JSON.stringify(responseValue);
    const { pathname, search } = new URL(request.url);
    Object.assign(set.headers, signatureHeaders(request.method, pathname + search, body));
    set.headers['content-type'] = 'application/json';
    return body;
  })
  .get('/v1/time/current', ({ query }) => payloads(now(), query), {
    query: t.Object({ ...TARGET, ...COMMON }),
  })
  .get(
    '/v1/time/convert',
    ({ query }) => {
      const time = readTimestamp(query);
      if (time === null) throw new BadRequest('INVALID_TIMESTAMP', 'A timestamp is missing');
      return payloads(time, query);
    },
    { query: t.Object({ ...timestamp(''), ...TARGET, ...texts(['utc']), ...COMMON }) },
  )
  .get(
    '/v1/time/add',
    ({ query }) => {
      const amounts = {};
      for (const unit of ['days', 'hours', 'minutes', 'seconds']) {
        if (query[unit] !== undefined) amounts[unit] = readWhole(unit, query[unit]);
      }
      if (Object.keys(amounts).length === 0)
        throw new BadRequest('INVALID_PARAMETER', 'An amount is missing');
      const time = new TZDate(readTimestamp(query) ?? now(), 'UTC');
      return timePayload(add(time, amounts), readTarget(query), query.format);
    },
    {
      query: t.Object({
        ...timestamp(''),
        ...TARGET,
        ...texts(['days', 'hours', 'minutes', 'seconds', 'utc']),
        ...COMMON,
      }),
    },
  )
  .get(
    '/v1/time/calendar',
    ({ query }) => {
      const target = readTarget(query);
      const local = new TZDate(readTimestamp(query) ?? now(), target.zone);
      const payload = {
        ...timePayload(local, target, query.format),
        year: local.getFullYear(),
        month: local.getMonth() + 1,
        month_name: formatTime(local, 'MMMM'),
        day: local.getDate(),
      };
      if (query.week === 'true') payload.week_number = getISOWeek(local);
      return payload;
    },
    { query: t.Object({ ...timestamp(''), ...TARGET, ...texts(['week']), ...COMMON }) },
  )
  .get(
    '/v1/time/dst',
    ({ query }) => {
      const target = readTarget(query);
      const instant = now();
      const payload = {
        ...timePayload(instant, target, query.format),
        dst_active: isDst(target.zone, instant),
      };
      return query.next === 'true'
        ? { ...payload, next_transition: nextTransition(target.zone, instant) }
        : payload;
    },
    { query: t.Object({ ...TARGET, ...texts(['next']), ...COMMON }) },
  )
  .get(
    '/v1/time/diff',
    ({ query }) => {
      const [from, to] = ['from', 'to'].map(side => readTimestamp(readSpecifier(query, side)) ?? now());
      const length = span(from.getTime(), to.getTime());
      const sign = Math.sign(to.getTime() - from.getTime());
      return {
        ...length,
        direction: ['backward', 'same', 'forward'][sign + 1],
        human: humanDuration(length.seconds),
        from: { unix_ms: from.getTime() },
        to: { unix_ms: to.getTime() },
        ...spanExtras(query, from, to, length),
      };
    },
    { query: t.Object({ ...texts(['from', 'to']), ...places('from_'), ...places('to_'), ...SPAN }) },
  )
  .get(
    '/v1/time/elapsed',
    ({ query }) => {
      const reference = readTimestamp(query);
      if (reference === null) throw new BadRequest('INVALID_TIMESTAMP', 'A timestamp is missing');
      const comparison = readTimestamp(query, 'compare_') ?? now();
      const length = span(reference.getTime(), comparison.getTime());
      const isLeft = reference > comparison;
      return {
        ...length,
        human: `${humanDuration(length.seconds)} ${isLeft ? 'left' : 'ago'}`,
        direction: isLeft ? 'left' : 'passed',
        ...spanExtras(query, reference, comparison, length),
      };
    },
    { query: t.Object({ ...timestamp(''), ...timestamp('compare_'), ...TARGET, ...SPAN }) },
  )
  .get(
    '/v1/timezone',
    ({ query }) => {
      const target = readTarget(query);
      const instant = now();
      const payload = { ...timePayload(instant, target), ...zoneFacts(instant, target.zone) };
      if (query.offset === undefined) return payload;
      const zones = Intl.supportedValuesOf('timeZone');
      const matches = zones.filter(zone => tzOffset(zone, instant) === payload.offset);
      return {
        ...payload,
        matching_zones: matches.map(zone => ({
          ...timePayload(instant, { zone, name: zone, label: zone, isLocal: true }),
          ...zoneFacts(instant, zone),
        })),
      };
    },
    { query: t.Object({ ...TARGET, ...texts(['sign']) }) },
  )
  .get(
    '/v1/timezones',
    ({ query: { country } }) => {
      const names =
        country === undefined ? Intl.supportedValuesOf('timeZone') : getCountry(country)?.timezones;
      if (!names) throw new BadRequest('INVALID_PARAMETER', `'${country}' is not a country`);
      const instant = now();
      return names.map(name => zoneListing(instant, name));
    },
    { query: t.Object(texts(['country', 'sign'])) },
  )
  .get('/v1/holidays', ({ query }) => holidayListing(query), {
    query: t.Object(texts(['country', 'subdivision', 'year', 'sign'])),
  })
  .get('/v1/work/days', ({ query }) => workDays(query), {
    query: t.Object({
      ...texts(['holiday_country', 'holiday_subdivision', 'sign']),
      from: t.String(),
      to: t.String(),
    }),
  })
  .get(
    '/v1/time/clock',
    ({ query, set }) => {
      const target = readTarget(query);
      const time = readTimestamp(query) ?? now();
      set.headers['content-type'] = 'text/html; charset=utf-8';
      return clockFragment({
        style: query.style,
        unixMs: time.getTime(),
        offsetMinutes: tzOffset(target.zone, time),
        timezone: target.label,
        label: target.label,
        format: query.format,
        selector: target.selector ?? { kind: 'none' },
      });
    },
    {
      query: t.Object({ ...timestamp(''), ...TARGET, style: t.String(), format: t.Optional(t.String()) }),
    },
  )
  .listen({ hostname: '127.0.0.1', port: 0 });

console.log(`listening on http://127.0.0.1:${app.server.port}`);
