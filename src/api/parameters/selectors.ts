import type { ClockSelector } from '../../clock/clock_config.ts';
import { once } from '../../common/caching.ts';
import { quoted, ServiceError, unreadable, unwantedList } from '../../common/errors.ts';
import { formatOffset } from '../../common/iso_text.ts';
import { listed } from '../../common/words.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { coordinatesLocation } from '../../operations/places.ts';
import { type DataSets, dataSets } from '../../operations/served_data.ts';
import {
  offsetTarget,
  selectedTarget,
  type Target,
  UTC_TARGET,
  zoneTarget,
} from '../../operations/target.ts';
import { type IpAddress, parseAddress, readAddress } from '../../places/ip_address.ts';
import { addressClassOf } from '../../places/network.ts';
import { embeddedIpv4, sourceOfAddress, zoneNameOfAddress } from '../../places/places.ts';
import { OFFSET_PATTERN, parseOffset } from '../../text/offset.ts';
import {
  type DecodeContext,
  degrees,
  flagSchema,
  type ParameterSchema,
  parseDegrees,
  text,
} from '../inputs.ts';
import {
  DATA_OF_NAMES,
  dataOfZoneName,
  parsePlace,
  targetOfName,
  zoneOfPlace,
  zoneOfTerritory,
} from './names.ts';

/** A way to select a place. Its parameters may have a prefix: as a hint for `iso`, `tz` becomes `source_tz`. */
export interface Selector {
  readonly name: string;
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  /** How it appears in messages. */
  readonly usage: string;
  /** Describes its parameters as a hint; `place` is a clause like "that a local `iso` is in". Null if it cannot be a hint. */
  readonly hint: ((place: string, prefix: string) => Readonly<Record<string, string>>) | null;
  /** Its form as a single text, which lists and specifiers may contain; null if it has none. */
  readonly text: TextForm | null;
  /** Whether it selects nothing unless its value is `true`. */
  readonly isFlag: boolean;
  /** Whether its target depends on the client's address. */
  readonly isPerClient?: boolean;
  /** The data sets that {@link decode} can read. */
  readonly reads: DataSets;
  /** Those of them that supplied parameters read; all if absent. */
  readsIn?(query: Query, prefix: string, snapshot: Snapshot): DataSets;
  /** The target that supplied parameters select. */
  decode(query: Query, prefix: string, context: DecodeContext): Target;
  /** How a clock stores it, to request the time again; null if clocks reject it. */
  readonly clock: ((query: Query, target: Target) => ClockSelector) | null;
}

export interface TextSelector extends Selector {
  readonly text: TextForm;
}

/** The form of a selector whose value is a single text. */
export interface TextForm {
  /** The placeholder for its value in messages: `<zone>`. */
  readonly placeholder: string;
  readonly separator: ',' | ';';
  /** The schema of a list of them. */
  readonly listSchema: ParameterSchema;
  /** The data sets that {@link parse} reads for a value; {@link Selector.reads} if absent. */
  readonly readsOf?: (text: string, snapshot: Snapshot) => DataSets;
  /**
   * Parses a value; `parameter` names it in messages. With `suggests`, the error for an unknown zone lists similar names or
   * candidates, which takes tenths of a millisecond.
   */
  readonly parse: (text: string, parameter: string, context: DecodeContext, suggests: boolean) => Target;
  /** How a clock stores a value and its target, to request the time again. */
  readonly clockOf: (text: string, target: Target) => ClockSelector;
}

/** The data sets from which the zone of an IP address is derived. */
export const ADDRESS_DATA = dataSets('zones', 'ip', 'ownNetworks');

const TERRITORY = 'ISO 3166-1 alpha-2 code of the territory for a Windows name in `';

/** All selectors by name, in the order of documentation and errors. */
export const SELECTORS = {
  tz: zoneSelector({
    schema: text(
      'IANA time zone name, or a Windows name such as `W. Europe Standard Time`; case-insensitive.',
      'America/New_York',
    ),
    listExample: 'America/New_York,Europe/Paris',
    placeholder: '<zone>',
    hint: place => `Zone ${place}: an IANA or Windows name, case-insensitive.`,
    reads: DATA_OF_NAMES,
    readsOf: dataOfZoneName,
    parse: targetOfName,
    clockOf: (_, { zone }) => ({ kind: 'tz', tz: zone!.name }), // a zone was found by its name
  }),
  ip: textSelector('ip', {
    schema: text('IPv4 or IPv6 address.', '8.8.8.8'),
    listExample: '8.8.8.8,2001:4860:4860::8888',
    placeholder: '<address>',
    hint: place => `IPv4 or IPv6 address of the place ${place}.`,
    reads: ADDRESS_DATA,
    parse: (value, parameter, context) => targetOfAddress(readIp(value, parameter), parameter, context),
    clockOf: value => ({ kind: 'ip', ip: parseAddress(value, 'ip').text }),
  }),
  coordinates: {
    name: 'coordinates',
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
    reads: dataSets('zones', 'boundaries'),
    decode: decodeCoordinates,
    clock: query => ({
      kind: 'coordinates',
      lat: plainDegrees(query.get('lat')),
      lon: plainDegrees(query.get('lon')),
    }),
  },
  offset: textSelector('offset', {
    schema: text('Fixed offset from UTC, `±HH:MM`; in a query string, `+` is `%2B`.', '+05:30', {
      pattern: `^${OFFSET_PATTERN}$`,
    }),
    // Anything with a comma: a malformed entry of a list fails separately.
    listLimits: { pattern: `^(${OFFSET_PATTERN}$|[^,]*,)` },
    listExample: '-08:00,+05:45',
    placeholder: '<offset>',
    hint: place => `Offset from UTC ${place}, \`±HH:MM\`.`,
    reads: 0,
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
    reads: dataSets('zones', 'gazetteer'),
    parse: parsePlace,
    clockOf: place => ({ kind: 'place', place }),
  }),
  auto_tz: {
    ...flagSelector('auto_tz', "The zone of the client's address.", context => {
      const address = context.clientAddress();
      if (address === undefined) throw unreadable('auto_tz', "the client's address is not known");
      return targetOfAddress(address, 'auto_tz', context);
    }),
    isPerClient: true,
    reads: ADDRESS_DATA,
  },
  utc: flagSelector('utc', 'The target is UTC.', () => UTC_TARGET),
  visitor: {
    ...flagSelector(
      'visitor',
      "The zone of the visitor's browser; UTC if scripts do not run.",
      () => UTC_TARGET,
    ),
    clock: () => ({ kind: 'visitor' }),
  },
} satisfies Readonly<Record<string, Selector>>;

export const TEXT_SELECTORS: ReadonlyMap<string, TextSelector> = new Map(
  Object.values<Selector>(SELECTORS)
    .filter(isText)
    .map(selector => [selector.name, selector]),
);

interface TextSelectorOptions
  extends Pick<Selector, 'reads'>,
    Pick<TextForm, 'parse' | 'placeholder' | 'clockOf' | 'readsOf'>,
    Partial<Pick<TextForm, 'separator'>> {
  readonly schema: ParameterSchema;
  readonly listExample: string;
  readonly listLimits?: { readonly pattern: string };
  readonly hint: (place: string) => string;
}

function textSelector(name: string, options: TextSelectorOptions): TextSelector {
  const { schema, listExample, listLimits, hint, reads, separator = ',', ...parsing } = options;
  const form = separator === ',' ? 'comma' : 'semicolon';
  const listDescription = `${schema.description} A ${form}-separated list returns an array.`;
  return {
    name,
    parameters: { [name]: schema },
    usage: quoted(name),
    hint: place => ({ [name]: hint(place) }),
    text: { ...parsing, separator, listSchema: text(listDescription, listExample, listLimits) },
    isFlag: false,
    reads,
    // It was supplied, so `get` returns a text or throws.
    decode: (query, prefix, context) =>
      parsing.parse(query.get(prefix + name)!, prefix + name, context, true),
    clock: (query, target) => parsing.clockOf(query.get(name)!, target),
  };
}

/** `tz`, with `territory` for Windows names. */
function zoneSelector(options: TextSelectorOptions): TextSelector {
  const selector = textSelector('tz', options);
  return {
    ...selector,
    parameters: {
      ...selector.parameters,
      territory: text(`${TERRITORY}tz\`, if it has several zones.`, 'AT', { pattern: '^([A-Za-z]{2}|001)$' }),
    },
    hint: (place, prefix) => ({ tz: options.hint(place), territory: `${TERRITORY}${prefix}tz\`.` }),
    readsIn: (query, prefix, snapshot) => dataOfZoneName(query.peek(`${prefix}tz`), snapshot),
    decode(query, prefix, context) {
      if (!query.has(`${prefix}territory`)) return selector.decode(query, prefix, context);
      return zoneTarget(zoneOfTerritory(query, prefix, context));
    },
  };
}

function flagSelector(
  name: string,
  description: string,
  targetIn: (context: DecodeContext) => Target,
): Selector {
  return {
    name,
    parameters: { [name]: flagSchema(description) },
    usage: `'${name}=true'`,
    hint: null,
    text: null,
    isFlag: true,
    reads: 0,
    decode(query, _, context) {
      query.rejectProblem(name);
      return targetIn(context);
    },
    clock: null,
  };
}

function readIp(value: string, parameter: string): IpAddress {
  const address = readAddress(value);
  if (address !== undefined) return address;
  if (value.includes(',')) throw unwantedList(parameter, quoted(value), 'address');
  return parseAddress(value, parameter); // throws with the reason
}

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
    return selectedTarget(zone, { location: () => source });
  }
  const ipv4 = embeddedIpv4(address);
  const embedding = ipv4 === undefined ? '' : `, which embeds ${ipv4.text}`;
  const addressClass = addressClassOf(ipv4 ?? address);
  const kind = addressClass === undefined ? '' : `, ${addressClass}`;
  throw unreadable(parameter, `no time zone is known for '${address.text}'${embedding}${kind}`);
}

function decodeCoordinates(query: Query, prefix: string, { snapshot, wantsDetails }: DecodeContext): Target {
  const latitude = degreesOf(query, `${prefix}lat`, `${prefix}lon`, 90);
  const longitude = degreesOf(query, `${prefix}lon`, `${prefix}lat`, 180);
  const { boundaries, zones } = snapshot;
  const zone = zoneOfPlace(boundaries.get().zoneNameAt(latitude, longitude), zones);
  if (!wantsDetails) return zoneTarget(zone);
  const location = coordinatesLocation(latitude, longitude, boundaries.get(), zones);
  return selectedTarget(zone, { location });
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

/** A selector that a query has, with the prefix of its parameters. */
export interface Selection {
  readonly selector: Selector;
  readonly prefix: string;
}

/** Why several selectors are rejected. */
export const ONE_TARGET = 'a request takes one of them';

/** Mutually exclusive selectors, whose parameters have a common prefix. */
export class SelectorSet {
  readonly selectors: readonly Selector[];
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  readonly reads: DataSets;
  readonly #prefix: string;
  readonly #several: string;
  readonly #flags: readonly string[];
  /** Created on first use, since routes have many hints but requests few. */
  readonly #byParameter: () => ReadonlyMap<string, Selection>;

  /** `several` explains the error if more than one is supplied. */
  constructor(selectors: readonly Selector[], prefix = '', several = ONE_TARGET) {
    this.selectors = selectors;
    this.#prefix = prefix;
    this.#several = several;
    this.#flags = selectors.filter(({ isFlag }) => isFlag).map(({ name }) => prefix + name);
    this.parameters = Object.fromEntries(
      selectors
        .flatMap(({ parameters }) => Object.entries(parameters))
        .map(([name, schema]) => [prefix + name, schema]),
    );
    this.reads = selectors.reduce((sets, { reads }) => sets | reads, 0);
    this.#byParameter = once(() => selectionsOf(selectors, prefix));
  }

  /** The selector that was supplied; null for none. Throws `AMBIGUOUS_TARGET` for several. */
  select(query: Query): Selection | null {
    let selection = null as Selection | null;
    for (const parameter of query.names) {
      if (!parameter.startsWith(this.#prefix)) continue;
      const found = this.#byParameter().get(parameter);
      if (found === undefined || found === selection || !this.#isOn(found.selector, query)) continue;
      if (selection !== null) rejectSeveral(this.#supplied(query), this.#several);
      selection = found;
    }
    return selection;
  }

  /** The first selector parameter that was supplied. */
  suppliedParameter(query: Query): string | undefined {
    const isSupplied = query.names.some(name => this.#byParameter().has(name));
    return isSupplied ? this.#supplied(query)[0] : undefined;
  }

  /** The data sets that a selection of {@link select} reads. */
  readsIn(query: Query, selection: Selection | null, snapshot: Snapshot): DataSets {
    if (selection === null) return 0;
    const { selector, prefix } = selection;
    return selector.readsIn?.(query, prefix, snapshot) ?? selector.reads;
  }

  /** The target of a selection, null without one. Throws for malformed flags, which select nothing. */
  decode(query: Query, selection: Selection | null, context: DecodeContext): Target | null {
    const target = selection?.selector.decode(query, selection.prefix, context) ?? null;
    this.rejectMalformedFlags(query);
    return target;
  }

  /** Throws for the first flag among the selectors that is malformed. */
  rejectMalformedFlags(query: Query): void {
    for (const flag of this.#flags) query.rejectProblem(flag);
  }

  /** The members that it has in common with an input. */
  get input() {
    return {
      parameters: this.parameters,
      reads: this.reads,
      select: (query: Query) => this.select(query),
      readsIn: (query: Query, selection: Selection | null, snapshot: Snapshot) =>
        this.readsIn(query, selection, snapshot),
      isPerRequest: (selection: Selection | null) => selection?.selector.isPerClient === true,
    };
  }

  /** The error for a query without any of the selectors. */
  missing(): ServiceError {
    const usages = this.selectors.map(({ usage }) => usage);
    return new ServiceError('MISSING_TARGET', `A target is missing: give ${listed(usages, 'or')}`);
  }

  #isOn({ isFlag, name }: Selector, query: Query): boolean {
    return !isFlag || query.hasFlag(this.#prefix + name);
  }

  /** One parameter of each supplied selector, in the order of documentation. */
  #supplied(query: Query): string[] {
    return this.selectors.flatMap(selector => {
      const parameters = Object.keys(selector.parameters).map(parameter => this.#prefix + parameter);
      const supplied = parameters.find(parameter => query.has(parameter));
      return supplied !== undefined && this.#isOn(selector, query) ? supplied : [];
    });
  }
}

function selectionsOf(selectors: readonly Selector[], prefix: string): ReadonlyMap<string, Selection> {
  return new Map(
    selectors.flatMap(selector => {
      const selection = { selector, prefix };
      return Object.keys(selector.parameters).map(parameter => [prefix + parameter, selection]);
    }),
  );
}

/** All selectors except `visitor`, which only the script of a clock can resolve. */
export const RESOLVED_SELECTORS: readonly Selector[] = Object.values(SELECTORS).filter(
  selector => selector !== SELECTORS.visitor,
);

export function isText(selector: Selector): selector is TextSelector {
  return selector.text !== null;
}
