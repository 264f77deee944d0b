import { dayNumberOf, isoWeekOf } from '../../common/civil.ts';
import { cut, ServiceError } from '../../common/errors.ts';
import { localText, utcText } from '../../common/iso_text.ts';
import { Moment } from '../../common/moment.ts';
import { whenReady } from '../../common/promises.ts';
import { type Endpoint, type Exchange, pathnameOf } from '../../http/exchange.ts';
import { perSnapshot, type Server, type Snapshot } from '../../http/snapshot.ts';
import { pendingOf, ZONES } from '../../operations/served_data.ts';
import { type IpAddress, readAddress } from '../../places/ip_address.ts';
import { zoneNameOfAddress } from '../../places/places.ts';
import type { Zone } from '../../zones/zone.ts';
import { withQuery } from '../common_parameters.ts';
import { ADDRESS_DATA } from '../parameters/selectors.ts';
import { DialectResponses, decodedPath } from './dialect.ts';

const ZONE_PATH = '/api/timezone';
const ADDRESS_PATH = '/api/ip';
const AS_TEXT = '.txt';

/** The paths of WorldTimeAPI, which many devices have in their firmware; each also exists with `.txt`. */
export function worldTimeEndpoints(server: Server): readonly Endpoint[] {
  const below = (path: string, contentOf: (name: string, exchange: Exchange) => Content | Promise<Content>) =>
    [path, `${path}${AS_TEXT}`, `${path}/*`].map(
      (pattern): Endpoint => ({
        path: pattern,
        access: 'guarded',
        writeError: ({ message }, { request }) => written({ error: message }, isTextPath(request)),
        handle: withQuery({}, (_, exchange) => {
          const isText = isTextPath(exchange.request);
          const name = nameBelow(path, exchange.request);
          const responses = isText ? TEXT_RESPONSES : JSON_RESPONSES;
          return whenReady(contentOf(name, exchange), content => {
            const body = () => written(content, isText).body;
            // A list of names depends only on the zones.
            return Array.isArray(content)
              ? responses.fixed(body, ZONES, exchange)
              : responses.momentary(body(), exchange);
          });
        }),
      }),
    );
  return [
    ...below(ZONE_PATH, (name, exchange) => zoneOrList(name, server.now(), exchange)),
    ...below(ADDRESS_PATH, (name, exchange) => timeOfAddress(name, server.now(), exchange)),
  ];
}

/** A list of names, or members and values. */
type Content = readonly string[] | Readonly<Record<string, string | number | boolean | null>>;

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const JSON_RESPONSES = new DialectResponses(JSON_TYPE);
const TEXT_RESPONSES = new DialectResponses(TEXT_TYPE);

function written(content: Content, isText: boolean) {
  if (!isText) return { contentType: JSON_TYPE, body: JSON.stringify(content) } as const;
  const lines = Array.isArray(content)
    ? content
    : Object.entries(content).map(([name, value]) => `${name}: ${value ?? ''}`);
  return { contentType: TEXT_TYPE, body: lines.map(line => `${line}\n`).join('') } as const;
}

function isTextPath({ url }: Request): boolean {
  return pathnameOf(url).endsWith(AS_TEXT);
}

/** The rest of a path after a prefix, such as `Europe/London`; '' if there is none. */
function nameBelow(path: string, request: Request): string {
  const end = isTextPath(request) ? -AS_TEXT.length : undefined;
  return decodedPath(request).slice(path.length, end).replace(/^\//, '');
}

/** The time in a zone, or the names of all zones or those in an area. */
function zoneOrList(name: string, nowMs: number, exchange: Exchange): Content {
  const { zones } = exchange.snapshot;
  const zone = zones.find(name);
  if (zone !== undefined) return worldTime(nowMs, zone, zone.name, exchange.clientAddress());
  const names = zonesInArea(name, exchange.snapshot);
  if (names.length === 0) throw unknownLocation(name);
  return names;
}

/** The names in an area such as `Europe` or `America/Argentina`; all for ''. */
function zonesInArea(area: string, snapshot: Snapshot): readonly string[] {
  const prefix = area === '' ? '' : `${area.toLowerCase()}/`;
  return listedNames(snapshot).filter(name => name.toLowerCase().startsWith(prefix));
}

/** The UTC zones in `Etc` to list; otherwise only zones with fixed offsets have canonical names there. */
const UTC_IN_ETC: readonly string[] = ['Etc/GMT', 'Etc/UTC'];
/** tzdata's placeholder for machines whose zone is not set. */
const NO_ZONE = 'Factory';

/** The zone names in lists. Like WorldTimeAPI's, they include tzdata zones without places, but no old names. */
const listedNames = perSnapshot(({ zones }) =>
  zones
    .names()
    .filter(
      name => name !== NO_ZONE && (zones.find(name)!.canonicalName === name || UTC_IN_ETC.includes(name)),
    ),
);

/** The time in the zone of an address, by default the client's. */
function timeOfAddress(text: string, nowMs: number, exchange: Exchange): Content | Promise<Content> {
  const { snapshot } = exchange;
  const address = text === '' ? exchange.clientAddress() : readAddress(text);
  if (address === undefined) throw unknownLocation(text === '' ? "of the client's address" : text);
  const pending = pendingOf(ADDRESS_DATA, snapshot);
  if (pending !== undefined) return pending.load().then(() => timeOfAddress(text, nowMs, exchange));
  const zone = snapshot.zones.find(zoneNameOfAddress(snapshot, address) ?? '');
  if (zone === undefined) throw unknownLocation(address.text);
  return worldTime(nowMs, zone, zone.canonicalName, address);
}

function unknownLocation(name: string): ServiceError {
  return new ServiceError('NOT_FOUND', `unknown location ${cut(name, 80)}`);
}

/** The time in a zone, with the members of WorldTimeAPI in the same order. */
function worldTime(nowMs: number, zone: Zone, name: string, client: IpAddress | undefined): Content {
  const epochSeconds = Math.floor(nowMs / 1000);
  const { offsetSeconds, abbreviation, isDst } = zone.periodAt(epochSeconds);
  const moment = new Moment(epochSeconds * 1000, offsetSeconds, abbreviation);
  const microseconds = Math.round((nowMs - epochSeconds * 1000) * 1000);
  const fraction = `.${String(microseconds).padStart(6, '0')}`;
  const local = localText(moment);
  const rawOffset = isDst ? zone.standardOffsetAt(epochSeconds) : offsetSeconds;
  return {
    abbreviation,
    client_ip: client?.text ?? null,
    datetime: local.slice(0, 19) + fraction + local.slice(19),
    day_of_week: moment.weekday,
    day_of_year: moment.dayNumber - dayNumberOf(moment.year, 1, 1) + 1,
    dst: isDst,
    dst_from: isDst ? utcOf(zone.previousTransition(epochSeconds)) : null,
    dst_offset: offsetSeconds - rawOffset,
    dst_until: isDst ? utcOf(zone.nextTransition(epochSeconds)) : null,
    raw_offset: rawOffset,
    timezone: name,
    unixtime: epochSeconds,
    utc_datetime: `${utcText(nowMs).slice(0, 19)}${fraction}+00:00`,
    utc_offset: local.slice(19),
    week_number: isoWeekOf(moment.dayNumber).week,
  };
}

function utcOf(change: { readonly epochSeconds: number } | null): string | null {
  return change && utcText(change.epochSeconds * 1000).replace('Z', '+00:00');
}
