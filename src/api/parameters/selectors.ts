import type { ClockSelector } from '../../clock/clock_config.ts';
import { formatOffset } from '../../common/iso_text.ts';
import { quoted, ServiceError, unreadable, unwantedList } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { offsetTarget, type Target, UTC_TARGET, zoneTarget } from '../../operations/target.ts';
import { addressClassOf } from '../../places/address_class.ts';
import { type IpAddress, parseAddress, readAddress } from '../../places/ip_address.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { zoneNameOfAddress } from '../../places/places.ts';
import { OFFSET_PATTERN, offsetOfName, parseOffset } from '../../text/offset.ts';
import type { Zone } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import type { DecodeContext, ParameterSchema } from './input.ts';
import { degrees, flagSchema, parseDegrees, text } from './schemas.ts';

/** A way to name a place. Its parameters may have a prefix: as a hint for `iso`, `tz` is `source_tz`. */
export interface Selector {
  /** Its parameters by name. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  /** How messages list it. */
  readonly usage: string;
  /** The descriptions of its parameters as a hint for a local time, given what the hint is for; null where it is none. */
  readonly hint: ((place: string, prefix: string) => Readonly<Record<string, string>>) | null;
  /** Its form of one text, which may be listed and be part of a specifier; null where it has none. */
  readonly text: TextForm | null;
  /** Whether it selects nothing unless its value is `true`. */
  readonly isFlag: boolean;
  /** Data that {@link decode} needs and that are not loaded yet. */
  readonly pending: (snapshot: Snapshot) => LazyData<unknown> | undefined;
  /** The target that supplied parameters select. */
  decode(query: Query, prefix: string, context: DecodeContext): Target;
  /** How a clock stores it, to request the time again; null where clocks reject it. */
  readonly clock: ((query: Query, target: Target) => ClockSelector) | null;
}

/** A selector with a value of one text. */
export interface TextForm {
  /** What its value is, for messages: `<zone>`. */
  readonly placeholder: string;
  /** The schema of a comma-separated list of them. */
  readonly listSchema: ParameterSchema;
  /**
   * Parses a value; `parameter` names it in messages. `suggests` is whether the error for an unknown zone lists similar names,
   * which takes tenths of a millisecond.
   */
  readonly parse: (text: string, parameter: string, snapshot: Snapshot, suggests: boolean) => Target;
}

/** All selectors, in the order of documentation and errors. */
export const SELECTORS = {
  tz: textSelector('tz', {
    schema: text('Zone of the IANA time zone database, in any letter case.', 'America/New_York'),
    listExample: 'America/New_York,Europe/Paris',
    placeholder: '<zone>',
    hint: place => `Zone ${place}, in any letter case.`,
    parse: (name, parameter, { zones }, suggests) => zoneTarget(findZone(name, parameter, zones, suggests)),
    clock: (_, { zone }) => ({ kind: 'tz', tz: zone!.name }), // a zone was found by its name
  }),
  ip: textSelector('ip', {
    schema: text('IPv4 or IPv6 address.', '8.8.8.8'),
    listExample: '8.8.8.8,2001:4860:4860::8888',
    placeholder: '<address>',
    hint: place => `IPv4 or IPv6 address of the place ${place}.`,
    pending: addressData,
    parse: (value, parameter, snapshot) => targetOfAddress(readIp(value, parameter), parameter, snapshot),
    clock: query => ({ kind: 'ip', ip: parseAddress(query.get('ip')!, 'ip').text }), // `ip` was decoded
  }),
  coordinates: {
    parameters: {
      lat: degrees('Latitude in decimal degrees; requires `lon`.', 48.8566, 90),
      lon: degrees('Longitude in decimal degrees; requires `lat`.', 2.3522, 180),
    },
    usage: "'lat' and 'lon'",
    hint: (place, prefix) => ({
      lat: `Latitude of the place ${place}; requires \`${prefix}lon\`.`,
      lon: `Longitude of the place ${place}; requires \`${prefix}lat\`.`,
    }),
    text: null,
    isFlag: false,
    pending: ({ boundaries }) => boundaries.pending,
    decode: decodeCoordinates,
    clock: query => ({
      kind: 'coordinates',
      lat: plainDegrees(query.get('lat')),
      lon: plainDegrees(query.get('lon')),
    }),
  },
  offset: textSelector('offset', {
    schema: text(
      'Fixed offset from UTC, `±HH:MM`; in a query string, `+` is `%2B`.',
      '+05:30',
      `^${OFFSET_PATTERN}$`,
    ),
    // Anything with a comma: a malformed entry of a list fails in its place.
    listPattern: `^(${OFFSET_PATTERN}$|[^,]*,)`,
    listExample: '-08:00,+05:45',
    placeholder: '<offset>',
    hint: place => `Offset from UTC ${place}, \`±HH:MM\`.`,
    parse: (value, parameter) => offsetTarget(parseOffset(value, parameter)),
    clock: (_, target) => ({ kind: 'offset', offset: formatOffset(target.periodAt(0).offsetSeconds) }),
  }),
  auto_tz: {
    ...flagSelector('auto_tz', 'The zone of the address that the request comes from.'),
    pending: addressData,
    decode(query, _, context) {
      context.preventCaching();
      query.rejectProblem('auto_tz');
      const address = context.clientAddress();
      if (address === undefined) throw unreadable('auto_tz', "the client's address is not known");
      return targetOfAddress(address, 'auto_tz', context.snapshot);
    },
  },
  utc: {
    ...flagSelector('utc', 'The target is UTC.'),
    pending: noData,
    decode(query) {
      query.rejectProblem('utc');
      return UTC_TARGET;
    },
  },
} satisfies Readonly<Record<string, Selector>>;

/** The name of a selector. */
export type SelectorName = keyof typeof SELECTORS;

/** The selectors with a value of one text, by name. */
export const TEXT_SELECTORS: ReadonlyMap<string, Selector & { readonly text: TextForm }> = new Map(
  Object.entries(SELECTORS as Readonly<Record<SelectorName, Selector>>).flatMap(([name, selector]) =>
    selector.text === null ? [] : [[name, { ...selector, text: selector.text }] as const],
  ),
);

interface TextSelectorOptions
  extends Pick<TextForm, 'parse' | 'placeholder'>,
    Partial<Pick<Selector, 'pending'>> {
  readonly schema: ParameterSchema;
  readonly listExample: string;
  readonly listPattern?: string;
  readonly hint: (place: string) => string;
  readonly clock: NonNullable<Selector['clock']>;
}

function textSelector<Name extends string>(name: Name, options: TextSelectorOptions) {
  const { schema, listExample, listPattern, placeholder, hint, parse, pending = noData, clock } = options;
  const listDescription = `${schema.description} A comma-separated list returns an array.`;
  return {
    parameters: { [name]: schema },
    usage: quoted(name),
    hint: place => ({ [name]: hint(place) }),
    text: { placeholder, listSchema: text(listDescription, listExample, listPattern), parse },
    isFlag: false,
    pending,
    // It was supplied, so that `get` returns a text or throws.
    decode: (query, prefix, { snapshot }) => parse(query.get(prefix + name)!, prefix + name, snapshot, true),
    clock,
  } satisfies Selector;
}

function flagSelector(name: string, description: string) {
  return {
    parameters: { [name]: flagSchema(description) },
    usage: `'${name}=true'`,
    hint: null,
    text: null,
    isFlag: true,
    clock: null,
  } satisfies Partial<Selector>;
}

/** Finds a zone by name in any letter case; the error for an unknown one suggests similar names. */
export function findZone(name: string, parameter: string, zones: ZoneDatabase, suggests = true): Zone {
  // No zone's name has a space: it is the `+` of `Etc/GMT+5`, unescaped in a query string.
  const zone = zones.find(name.includes(' ') ? name.replaceAll(' ', '+') : name);
  if (zone !== undefined) return zone;
  if (name.includes(',')) throw unwantedList(parameter, quoted(name), 'zone');
  const suggestions = suggests ? zones.suggest(name) : [];
  const advice = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map(quoted).join(', ')}?`;
  const offset = offsetOfName(name);
  const shown = quoted(offset === null ? name : name.replace(' ', '+'));
  const hint = offset === null ? '' : offsetHint(offset, parameter);
  throw unreadable(parameter, `${shown} is not a zone of ${zones.title}${hint}${advice}`);
}

/** How an offset that was given as a zone is written, with the name of the offset parameter where there is one. */
function offsetHint(offset: string, parameter: string): string {
  if (!parameter.endsWith('tz')) return `; an offset is written ${offset}`;
  return `; an offset is given as '${parameter.slice(0, -'tz'.length)}offset=${offset}'`;
}

function readIp(value: string, parameter: string): IpAddress {
  const address = readAddress(value);
  if (address !== undefined) return address;
  if (value.includes(',')) throw unwantedList(parameter, quoted(value), 'address');
  return parseAddress(value, parameter); // throws with the reason
}

/** A database may have coordinates in place of zones. */
function addressData({ ip, boundaries }: Snapshot): LazyData<unknown> | undefined {
  const needsBoundaries = ip.state.kind === 'ready' && ip.get().needsBoundaries === true;
  return needsBoundaries ? boundaries.pending : ip.pending;
}

function noData(): undefined {}

function targetOfAddress(address: IpAddress, parameter: string, snapshot: Snapshot): Target {
  const zoneName = zoneNameOfAddress(snapshot, address);
  const zone = zoneName === undefined ? undefined : snapshot.zones.find(zoneName);
  if (zone !== undefined) return zoneTarget(zone);
  const addressClass = addressClassOf(address);
  const what = addressClass === undefined ? `'${address.text}'` : `'${address.text}', ${addressClass}`;
  throw unreadable(parameter, `no time zone is known for ${what}`);
}

function decodeCoordinates(query: Query, prefix: string, { snapshot }: DecodeContext): Target {
  const latitude = degreesOf(query, `${prefix}lat`, `${prefix}lon`, 90);
  const longitude = degreesOf(query, `${prefix}lon`, `${prefix}lat`, 180);
  const { boundaries, zones } = snapshot;
  const zoneName = boundaries.get().zoneNameAt(latitude, longitude);
  const zone = zones.find(zoneName);
  if (zone !== undefined) return zoneTarget(zone);
  // An operator's older zoneinfo tree may lack a new zone.
  throw new ServiceError('DEPENDENCY_NOT_READY', `The zone data of this server lacks ${zoneName}`);
}

function degreesOf(query: Query, name: string, other: string, limit: number): number {
  const value = query.get(name);
  if (value === undefined) throw unreadable(other, `'${name}' is missing: coordinates are a pair`);
  return parseDegrees(value, name, limit);
}

/** Degrees as a script can write them without an exponent, which JavaScript uses below 0.000001 (a tenth of a metre). */
function plainDegrees(value: string | undefined): number {
  const degrees = Number(value);
  return Math.abs(degrees) < 1e-6 ? 0 : degrees;
}
