/**
 * The same service as commonly written on Node: Express and Luxon, with geo-tz, maxmind and date-holidays.
 * In production mode, without costly defaults that are not needed: no ETag, no X-Powered-By, no query nesting.
 */
import { randomUUID } from 'node:crypto';
import { getCountry, getTimezone } from 'countries-and-timezones';
import express from 'express';
import { DateTime, FixedOffsetZone, IANAZone, Settings } from 'luxon';
import { BadRequest } from './bad_request.js';
import { clockFragment } from './clock.js';
import { formatDuration, humanDuration, span } from './durations.js';
import { businessDays, holidayListing, workDays } from './holidays.js';
import { offsetText, readBulk, readSelector, readSpecifier, readWhole } from './parameters.js';
import { signatureHeaders } from './signing.js';

Settings.defaultZone = 'utc';
Settings.defaultLocale = 'en-US';

/** The common strftime directives as Luxon tokens. */
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
  j: 'ooo',
  Z: 'ZZZZ',
  z: 'ZZZ',
  e: 'd',
  F: 'yyyy-MM-dd',
  T: 'HH:mm:ss',
  V: 'WW',
};

function strftime(time, pattern) {
  return pattern.replace(/%(.)/g, (directive, letter) => {
    if (letter === '%') return '%';
    if (TOKENS[letter] === undefined) {
      throw new BadRequest('INVALID_PARAMETER', `'${directive}' is not a directive`);
    }
    return time.toFormat(TOKENS[letter]);
  });
}

function zoneOf(selector) {
  if (selector.kind === 'offset') return FixedOffsetZone.instance(selector.minutes);
  const zone = IANAZone.create(selector.zone);
  if (!zone.isValid) throw new BadRequest('INVALID_PARAMETER', `'${selector.zone}' is not a zone`);
  return zone;
}

/** The target of a query: Luxon's zone, the name in the response, and its name in `human`. */
function readTarget(query) {
  const selector = readSelector(query);
  if (selector === null)
    return { zone: FixedOffsetZone.utcInstance, name: null, label: 'UTC', isLocal: false };
  const zone = zoneOf(selector);
  const isOffset = selector.kind === 'offset';
  const label = isOffset ? `UTC${offsetText(selector.minutes)}` : zone.name;
  return { selector, zone, name: isOffset ? null : zone.name, label, isLocal: true };
}

/** The timestamp of a query in its own zone, or null. */
function readTimestamp(query, prefix = '') {
  const [unix, unixMs, iso] = ['unix', 'unix_ms', 'iso'].map(name => query[`${prefix}${name}`]);
  if ([unix, unixMs, iso].filter(value => value !== undefined).length > 1) {
    throw new BadRequest('AMBIGUOUS_TARGET', 'Several timestamps are given together');
  }
  if (unix !== undefined) return DateTime.fromSeconds(readWhole('unix', unix));
  if (unixMs !== undefined) return DateTime.fromMillis(readWhole('unix_ms', unixMs));
  if (iso === undefined) return null;
  const hint = readSelector(query, `${prefix}source_`);
  const time = DateTime.fromISO(iso, hint === null ? { setZone: true } : { zone: zoneOf(hint) });
  if (!time.isValid) throw new BadRequest('INVALID_PARAMETER', `'${iso}' is not a timestamp`);
  return time;
}

function timePayload(instant, target, format) {
  const local = instant.setZone(target.zone);
  const payload = {
    unix: Math.floor(local.toSeconds()),
    unix_ms: local.toMillis(),
    utc: local.toUTC().toISO({ precision: 'second' }),
    iso_local: target.isLocal
      ? local.toISO({ precision: 'second', includeOffset: false }) + offsetText(local.offset)
      : null,
    rfc2822: local.toRFC2822(),
    human: `${local.toFormat('MMMM d, yyyy, h:mm a')} ${target.label}`,
    day_number: (local.weekday % 7) + 1,
    day_short: local.weekdayShort,
    day_full: local.weekdayLong,
    timezone: target.name,
  };
  if (format !== undefined) payload.formatted = strftime(local, format);
  return payload;
}

function zoneFacts(instant, zone) {
  const local = instant.setZone(zone);
  return { offset: local.offset, dst: local.isInDST };
}

function zoneListing(instant, name) {
  const zone = IANAZone.create(name);
  return {
    name,
    country_codes: getTimezone(name)?.countries ?? [],
    abbreviation: instant.setZone(zone).offsetNameShort,
    ...zoneFacts(instant, zone),
  };
}

/** The next instant at which the offset changes: month by month, then by bisection, to the second. */
function nextChange(zone, nowMs) {
  let before = Math.floor(nowMs / 1000);
  const offset = zone.offset(before * 1000);
  for (let month = 0; month < 24; month++) {
    let after = before + 30 * 86_400;
    if (zone.offset(after * 1000) !== offset) {
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (zone.offset(middle * 1000) === offset) before = middle;
        else after = middle;
      }
      return after;
    }
    before = after;
  }
  return null;
}

function nextTransition(zone, nowMs) {
  const unix = nextChange(zone, nowMs);
  if (unix === null) return null;
  const before = FixedOffsetZone.instance(DateTime.fromSeconds(unix - 1, { zone }).offset);
  return DateTime.fromSeconds(unix, { zone: before }).toISO({ suppressMilliseconds: true });
}

function spanExtras(query, one, other, { seconds }) {
  const extras = {};
  if (query.business_days === 'true') {
    const { holiday_country: country, holiday_subdivision: subdivision } = query;
    extras.business_days = businessDays(one.toISODate(), other.toISODate(), country, subdivision);
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

const routes = {
  '/v1/time/current': query => payloads(DateTime.now(), query),

  '/v1/time/convert'(query) {
    const time = readTimestamp(query);
    if (time === null) throw new BadRequest('INVALID_TIMESTAMP', 'A timestamp is missing');
    return payloads(time, query);
  },

  '/v1/time/add'(query) {
    const amounts = {};
    for (const unit of ['days', 'hours', 'minutes', 'seconds']) {
      if (query[unit] !== undefined) amounts[unit] = readWhole(unit, query[unit]);
    }
    if (Object.keys(amounts).length === 0) throw new BadRequest('INVALID_PARAMETER', 'An amount is missing');
    const time = readTimestamp(query) ?? DateTime.now();
    return timePayload(time.toUTC().plus(amounts), readTarget(query), query.format);
  },

  '/v1/time/calendar'(query) {
    const target = readTarget(query);
    const local = (readTimestamp(query) ?? DateTime.now()).setZone(target.zone);
    const payload = {
      ...timePayload(local, target, query.format),
      year: local.year,
      month: local.month,
      month_name: local.monthLong,
      day: local.day,
    };
    if (query.week === 'true') payload.week_number = local.weekNumber;
    return payload;
  },

  '/v1/time/dst'(query) {
    const target = readTarget(query);
    const now = DateTime.now();
    const payload = {
      ...timePayload(now, target, query.format),
      dst_active: now.setZone(target.zone).isInDST,
    };
    return query.next === 'true'
      ? { ...payload, next_transition: nextTransition(target.zone, now.toMillis()) }
      : payload;
  },

  '/v1/time/diff'(query) {
    const [from, to] = ['from', 'to'].map(
      side => readTimestamp(readSpecifier(query, side)) ?? DateTime.now(),
    );
    const length = span(from.toMillis(), to.toMillis());
    const sign = Math.sign(to.toMillis() - from.toMillis());
    return {
      ...length,
      direction: ['backward', 'same', 'forward'][sign + 1],
      human: humanDuration(length.seconds),
      from: { unix_ms: from.toMillis() },
      to: { unix_ms: to.toMillis() },
      ...spanExtras(query, from, to, length),
    };
  },

  '/v1/time/elapsed'(query) {
    const reference = readTimestamp(query);
    if (reference === null) throw new BadRequest('INVALID_TIMESTAMP', 'A timestamp is missing');
    const comparison = readTimestamp(query, 'compare_') ?? DateTime.now();
    const length = span(reference.toMillis(), comparison.toMillis());
    const isLeft = reference > comparison;
    return {
      ...length,
      human: `${humanDuration(length.seconds)} ${isLeft ? 'left' : 'ago'}`,
      direction: isLeft ? 'left' : 'passed',
      ...spanExtras(query, reference, comparison, length),
    };
  },

  '/v1/timezone'(query) {
    const target = readTarget(query);
    const now = DateTime.now();
    const payload = { ...timePayload(now, target), ...zoneFacts(now, target.zone) };
    if (query.offset === undefined) return payload;
    const zones = Intl.supportedValuesOf('timeZone').map(name => IANAZone.create(name));
    const matches = zones.filter(zone => zone.offset(now.toMillis()) === payload.offset);
    return {
      ...payload,
      matching_zones: matches.map(zone => ({
        ...timePayload(now, { zone, name: zone.name, label: zone.name, isLocal: true }),
        ...zoneFacts(now, zone),
      })),
    };
  },

  '/v1/timezones'({ country }) {
    const names = country === undefined ? Intl.supportedValuesOf('timeZone') : getCountry(country)?.timezones;
    if (!names) throw new BadRequest('INVALID_PARAMETER', `'${country}' is not a country`);
    const now = DateTime.now();
    return names.map(name => zoneListing(now, name));
  },

  '/v1/holidays': holidayListing,

  '/v1/work/days': workDays,
};

const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.set('query parser', 'simple');

app.use((request, response, next) => {
  response.set({
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    'X-Request-Id': request.get('X-Request-Id') ?? randomUUID(),
  });
  next();
});

for (const [path, handle] of Object.entries(routes)) {
  app.get(path, (request, response) => {
    const body = JSON.stringify(handle(request.query));
    if (request.query.sign === 'true') {
      response.set(signatureHeaders(request.method, request.originalUrl, body));
    }
    response.type('application/json').send(body);
  });
}

app.get('/v1/time/clock', ({ query }, response) => {
  const target = readTarget(query);
  const time = (readTimestamp(query) ?? DateTime.now()).setZone(target.zone);
  const fragment = clockFragment({
    style: query.style,
    unixMs: time.toMillis(),
    offsetMinutes: time.offset,
    timezone: target.label,
    label: target.label,
    format: query.format,
    selector: target.selector ?? { kind: 'none' },
  });
  response.type('html').send(fragment);
});

app.use((_request, response) => {
  response.status(404).json({ error: { code: 'NOT_FOUND', message: 'Nothing is here' } });
});

app.use((error, _request, response, _next) => {
  const isFault = error instanceof BadRequest;
  const code = isFault ? error.code : 'INTERNAL_ERROR';
  const message = isFault ? error.message : 'Something went wrong';
  response
    .status(isFault ? 400 : 500)
    .json({ error: { code, message }, request_id: response.get('X-Request-Id') });
});

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
