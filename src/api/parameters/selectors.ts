import type { ClockSelector } from '../../clock/clock_config.ts';
import { quoted, unreadable, unwantedList } from '../../common/errors.ts';
import { formatOffset } from '../../common/iso_text.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { coordinatesLocation } from '../../operations/places.ts';
import { locatedTarget, offsetTarget, type Target, UTC_TARGET, zoneTarget } from '../../operations/target.ts';
import { type IpAddress, parseAddress, readAddress } from '../../places/ip_address.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { addressClassOf } from '../../places/network.ts';
import { embeddedIpv4, sourceOfAddress, zoneNameOfAddress } from '../../places/places.ts';
import { OFFSET_PATTERN, parseOffset } from '../../text/offset.ts';
import type { DecodeContext, ParameterSchema } from './input.ts';
import { parsePlace, zoneOfPlace } from './places.ts';
import { degrees, flagSchema, parseDegrees, text } from './schemas.ts';
import { zoneOfName, zoneOfTerritory } from './zone_names.ts';

/** A way to select a place. Its parameters may have a prefix: as a hint for `iso`, `tz` becomes `source_tz`. */
export interface Selector {
  /** Its parameters by name. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  /** How it appears in messages. */
  readonly usage: string;
  /** The descriptions of its parameters as a hint for a local time, given what the hint is for; null if it cannot be a hint. */
  readonly hint: ((place: string, prefix: string) => Readonly<Record<string, string>>) | null;
  /** Its form as a single text, which lists and specifiers may contain; null if it has none. */
  readonly text: TextForm | null;
  /** Whether it selects nothing unless its value is `true`. */
  readonly isFlag: boolean;
  /** Data that {@link decode} needs and that is not loaded yet. */
  readonly pending: (snapshot: Snapshot) => LazyData<unknown> | undefined;
  /** The target that supplied parameters select. */
  decode(query: Query, prefix: string, context: DecodeContext): Target;
  /** How a clock stores it, to request the time again; null if clocks reject it. */
  readonly clock: ((query: Query, target: Target) => ClockSelector) | null;
}

/** The form of a selector whose value is a single text. */
export interface TextForm {
  /** The placeholder for its value in messages: `<zone>`. */
  readonly placeholder: string;
  /** The separator of values in a list. */
  readonly separator: ',' | ';';
  /** The schema of a list of them. */
  readonly listSchema: ParameterSchema;
  /**
   * Parses a value; `parameter` names it in messages. With `suggests`, the error for an unknown zone lists similar names or
   * candidates, which takes tenths of a millisecond.
   */
  readonly parse: (text: string, parameter: string, context: DecodeContext, suggests: boolean) => Target;
  /** How a clock stores a value and its target, to request the time again. */
  readonly clockOf: (text: string, target: Target) => ClockSelector;
}

const ZONE_NAME = textSelector('tz', {
  schema: text(
    'IANA time zone name, or a Windows name such as `W. Europe Standard Time`; case-insensitive.',
    'America/New_York',
  ),
  listExample: 'America/New_York,Europe/Paris',
  placeholder: '<zone>',
  hint: place => `Zone ${place}: an IANA or Windows name, case-insensitive.`,
  parse: (name, parameter, context, suggests) => zoneTarget(zoneOfName(name, parameter, context, suggests)),
  clockOf: (_, { zone }) => ({ kind: 'tz', tz: zone!.name }), // a zone was found by its name
});

const TERRITORY = 'ISO 3166-1 alpha-2 code of the territory for a Windows name in `';

/** `tz`, with `territory` for Windows names. */
const ZONE_SELECTOR = {
  ...ZONE_NAME,
  parameters: {
    ...ZONE_NAME.parameters,
    territory: text(`${TERRITORY}tz\`, if it has several zones.`, 'AT', '^([A-Za-z]{2}|001)$'),
  },
  hint: (place, prefix) => ({ ...ZONE_NAME.hint(place), territory: `${TERRITORY}${prefix}tz\`.` }),
  decode(query, prefix, context) {
    if (!query.has(`${prefix}territory`)) return ZONE_NAME.decode(query, prefix, context);
    return zoneTarget(zoneOfTerritory(query, prefix, context));
  },
} satisfies Selector;

/** All selectors, in the order of documentation and errors. */
export const SELECTORS = {
  tz: ZONE_SELECTOR,
  ip: textSelector('ip', {
    schema: text('IPv4 or IPv6 address.', '8.8.8.8'),
    listExample: '8.8.8.8,2001:4860:4860::8888',
    placeholder: '<address>',
    hint: place => `IPv4 or IPv6 address of the place ${place}.`,
    pending: addressData,
    parse: (value, parameter, context) => targetOfAddress(readIp(value, parameter), parameter, context),
    clockOf: value => ({ kind: 'ip', ip: parseAddress(value, 'ip').text }),
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
    // Anything with a comma: a malformed entry of a list fails separately.
    listPattern: `^(${OFFSET_PATTERN}$|[^,]*,)`,
    listExample: '-08:00,+05:45',
    placeholder: '<offset>',
    hint: place => `Offset from UTC ${place}, \`±HH:MM\`.`,
    parse: (value, parameter) => offsetTarget(parseOffset(value, parameter)),
    clockOf: (_, target) => ({ kind: 'offset', offset: formatOffset(target.periodAt(0).offsetSeconds) }),
  }),
  place: textSelector('place', {
    schema: text(
      'City or town, if necessary with its country or area (`Perth, GB`, `Portland, US-ME`); case and accents are ignored.',
      'Portland, US-ME',
    ),
    separator: ';',
    listExample: 'Munich;Portland, US-ME',
    placeholder: '<city>',
    hint: place => `City or town ${place}, if necessary with its country or area.`,
    pending: ({ gazetteer }) => gazetteer.pending,
    parse: parsePlace,
    clockOf: place => ({ kind: 'place', place }),
  }),
  auto_tz: {
    ...flagSelector('auto_tz', "The zone of the client's address."),
    pending: addressData,
    decode(query, _, context) {
      query.rejectProblem('auto_tz');
      const address = context.clientAddress();
      if (address === undefined) throw unreadable('auto_tz', "the client's address is not known");
      return targetOfAddress(address, 'auto_tz', context);
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
  visitor: {
    ...flagSelector('visitor', "The zone of the visitor's browser; UTC if scripts do not run."),
    pending: noData,
    decode(query) {
      query.rejectProblem('visitor');
      return UTC_TARGET;
    },
    clock: () => ({ kind: 'visitor' }),
  },
} satisfies Readonly<Record<string, Selector>>;

/** The name of a selector. */
export type SelectorName = keyof typeof SELECTORS;

/** The selectors whose value is a single text, by name. */
export const TEXT_SELECTORS: ReadonlyMap<string, Selector & { readonly text: TextForm }> = new Map(
  Object.entries(SELECTORS as Readonly<Record<SelectorName, Selector>>).flatMap(([name, selector]) =>
    selector.text === null ? [] : [[name, { ...selector, text: selector.text }] as const],
  ),
);

interface TextSelectorOptions
  extends Pick<TextForm, 'parse' | 'placeholder' | 'clockOf'>,
    Partial<Pick<Selector, 'pending'> & Pick<TextForm, 'separator'>> {
  readonly schema: ParameterSchema;
  readonly listExample: string;
  readonly listPattern?: string;
  readonly hint: (place: string) => string;
}

function textSelector<Name extends string>(name: Name, options: TextSelectorOptions) {
  const { schema, listExample, listPattern, placeholder, hint, parse, pending = noData, clockOf } = options;
  const { separator = ',' } = options;
  const listed = separator === ',' ? 'A comma-separated list' : 'A semicolon-separated list';
  const listDescription = `${schema.description} ${listed} returns an array.`;
  return {
    parameters: { [name]: schema },
    usage: quoted(name),
    hint: place => ({ [name]: hint(place) }),
    text: {
      placeholder,
      separator,
      listSchema: text(listDescription, listExample, listPattern),
      parse,
      clockOf,
    },
    isFlag: false,
    pending,
    // It was supplied, so `get` returns a text or throws.
    decode: (query, prefix, context) => parse(query.get(prefix + name)!, prefix + name, context, true),
    clock: (query, target) => clockOf(query.get(name)!, target),
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

function readIp(value: string, parameter: string): IpAddress {
  const address = readAddress(value);
  if (address !== undefined) return address;
  if (value.includes(',')) throw unwantedList(parameter, quoted(value), 'address');
  return parseAddress(value, parameter); // throws with the reason
}

/** A database may have coordinates instead of zones. */
function addressData({ ip, boundaries }: Snapshot): LazyData<unknown> | undefined {
  const needsBoundaries = ip.state.kind === 'ready' && ip.get().needsBoundaries === true;
  return needsBoundaries ? boundaries.pending : ip.pending;
}

function noData(): undefined {}

function targetOfAddress(
  address: IpAddress,
  parameter: string,
  { snapshot, wantsDetails }: DecodeContext,
): Target {
  const zoneName = zoneNameOfAddress(snapshot, address);
  const zone = zoneName === undefined ? undefined : snapshot.zones.find(zoneName);
  if (zone !== undefined) {
    if (!wantsDetails) return zoneTarget(zone);
    const source = sourceOfAddress(snapshot, address);
    return locatedTarget(zone, () => source);
  }
  const addressClass = addressClassOf(embeddedIpv4(address) ?? address);
  const what = addressClass === undefined ? `'${address.text}'` : `'${address.text}', ${addressClass}`;
  throw unreadable(parameter, `no time zone is known for ${what}`);
}

function decodeCoordinates(query: Query, prefix: string, { snapshot, wantsDetails }: DecodeContext): Target {
  const latitude = degreesOf(query, `${prefix}lat`, `${prefix}lon`, 90);
  const longitude = degreesOf(query, `${prefix}lon`, `${prefix}lat`, 180);
  const { boundaries, zones } = snapshot;
  const zone = zoneOfPlace(boundaries.get().zoneNameAt(latitude, longitude), zones);
  if (!wantsDetails) return zoneTarget(zone);
  return locatedTarget(zone, coordinatesLocation(latitude, longitude, boundaries.get(), zones));
}

function degreesOf(query: Query, name: string, other: string, limit: number): number {
  const value = query.get(name);
  if (value === undefined) throw unreadable(other, `'${name}' is missing: coordinates are a pair`);
  return parseDegrees(value, name, limit);
}

/** Degrees that a script can format without an exponent, which JavaScript uses below 0.000001 (a tenth of a metre). */
function plainDegrees(value: string | undefined): number {
  const degrees = Number(value);
  return Math.abs(degrees) < 1e-6 ? 0 : degrees;
}
