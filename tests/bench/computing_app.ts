import { Elysia, type TSchema, t } from 'elysia';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { joinObjects, jsonArray } from '../../src/common/json.ts';
import { type Instant, instantOf } from '../../src/operations/instant.ts';
import { calendarDate, dstStatus } from '../../src/operations/local_times.ts';
import { addTo, diff, elapsed } from '../../src/operations/spans.ts';
import { NO_TARGET, type Target, zoneTarget } from '../../src/operations/target.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { parseIsoTimestamp } from '../../src/text/iso_timestamp.ts';
import { timePayloadJson } from '../../src/text/time_payload.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';

type Query = Readonly<Record<string, string | undefined>>;

const NO_OPTIONS = { businessDays: null, largestUnit: null, format: null };

// Sharing one Headers object is fastest, and is safe because a Response copies it.
const common = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' };
const momentaryHeaders = new Headers({ ...common, 'Cache-Control': 'no-store' });
const fixedHeaders = new Headers({
  ...common,
  'Cache-Control': 'public, max-age=3600, stale-while-revalidate=86400',
  'Access-Control-Allow-Origin': '*',
});

/** The parameters that the routes read, as Elysia can validate them: none is empty, and numbers are decimal. */
const text = t.Optional(t.String({ minLength: 1 }));
const number = t.Optional(t.String({ pattern: '^[+-]?[0-9]+(\\.[0-9]+)?$' }));
const required = t.String({ minLength: 1 });
const target = { tz: text, lat: number, lon: number };
const timestamp = { unix: number, iso: text, source_tz: text };

interface ComputingOptions {
  /** Whether Elysia validates queries, as a service has to, with a compiled schema for each route. */
  readonly validates?: boolean;
}

/**
 * Bare Elysia around the operations of the service. It parses only what the response depends on, and has no metrics, logging,
 * caching or authentication.
 */
export async function computingApp(now: () => number, { validates = false }: ComputingOptions = {}) {
  const zones = openZonePack(readZonePack());
  const boundaries = openBoundaries(await Bun.file(boundariesPath).bytes());

  const zoneNamed = (name: string) => zoneTarget(zones.find(name)!);
  const targetOf = ({ tz, lat, lon }: Query): Target =>
    zoneNamed(tz ?? boundaries.zoneNameAt(Number(lat), Number(lon)));
  const timestampOf = ({ unix, iso, source_tz: hint }: Query): Instant =>
    iso === undefined
      ? { epochMs: Number(unix) * 1000, frame: NO_TARGET }
      : instantOf(parseIsoTimestamp(iso, 'iso'), 'iso', hint ? zoneNamed(hint) : null, 'compatible');
  /** The instant of `unix=N` or `iso=T`. */
  const specifiedBy = (specifier: string): Instant => {
    const mark = specifier.indexOf('=');
    return timestampOf({ [specifier.slice(0, mark)]: specifier.slice(mark + 1) });
  };

  const app = new Elysia();
  type Parameters = Readonly<Record<string, TSchema>>;
  const get = (
    path: string,
    parameters: Parameters,
    respondTo: (query: Query, request: Request) => Response,
  ) =>
    app.get(
      path,
      ({ query, request }) => respondTo(query as Query, request),
      validates ? { query: t.Object(parameters) } : {},
    );
  const momentary = (
    path: string,
    parameters: Parameters,
    payloadOf: (query: Query, nowMs: number) => string,
  ) => get(path, parameters, (query, request) => respond(request, payloadOf(query, now())));
  const fixed = (path: string, parameters: Parameters, payloadOf: (query: Query) => string) =>
    get(path, parameters, (query, request) => respondFixed(request, payloadOf(query)));

  momentary('/v1/time/current', target, (query, nowMs) =>
    query['tz']?.includes(',')
      ? jsonArray(query['tz'].split(',').map(name => timePayloadJson(nowMs, zoneNamed(name))))
      : timePayloadJson(nowMs, targetOf(query)),
  );
  fixed('/v1/time/convert', { ...target, ...timestamp }, query =>
    timePayloadJson(timestampOf(query).epochMs, targetOf(query)),
  );
  momentary('/v1/time/add', { ...target, days: number, hours: number }, (query, nowMs) => {
    const seconds = Number(query['days'] ?? 0) * 86_400 + Number(query['hours'] ?? 0) * 3600;
    const target = targetOf(query);
    return timePayloadJson(addTo(nowMs, { exact: { seconds, unit: 'days' } }, target), target);
  });
  momentary('/v1/time/calendar', { ...target, week: text }, (query, nowMs) => {
    const target = targetOf(query);
    const date = calendarDate(nowMs, target, query['week'] === 'true', null);
    return joinObjects(timePayloadJson(nowMs, target), date);
  });
  momentary('/v1/time/dst', { ...target, next: text }, (query, nowMs) => {
    const target = targetOf(query);
    return joinObjects(timePayloadJson(nowMs, target), dstStatus(nowMs, target, query['next'] === 'true'));
  });
  fixed('/v1/time/diff', { from: required, to: required }, query =>
    diff(specifiedBy(query['from']!), specifiedBy(query['to']!), NO_OPTIONS),
  );
  get('/v1/time/elapsed', { ...timestamp, compare_unix: number }, (query, request) => {
    const compared = query['compare_unix'];
    const epochMs = compared === undefined ? now() : Number(compared) * 1000;
    const payload = elapsed(timestampOf(query), { epochMs, frame: NO_TARGET }, NO_OPTIONS);
    return (compared === undefined ? respond : respondFixed)(request, payload);
  });
  return app;
}

function respond({ headers }: Request, body: string): Response {
  momentaryHeaders.set('X-Request-Id', headers.get('X-Request-Id') ?? crypto.randomUUID());
  return withOrigin(headers, new Response(body, { headers: momentaryHeaders }));
}

function respondFixed({ headers, url }: Request, body: string): Response {
  const tag = `"${Bun.hash(url).toString(36)}"`;
  if (headers.get('If-None-Match') === tag) return new Response(null, { status: 304, headers: fixedHeaders });
  fixedHeaders.set('X-Request-Id', headers.get('X-Request-Id') ?? crypto.randomUUID());
  fixedHeaders.set('ETag', tag);
  return withOrigin(headers, new Response(body, { headers: fixedHeaders }));
}

function withOrigin(headers: Headers, response: Response): Response {
  if (headers.has('Origin')) response.headers.set('Access-Control-Allow-Origin', '*');
  return response;
}
