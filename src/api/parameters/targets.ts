import type { ClockSelector } from '../../clock/clock_config.ts';
import { once } from '../../common/caching.ts';
import { quoted, ServiceError, unreadable, unwantedList } from '../../common/errors.ts';
import { formatOffset } from '../../common/iso_text.ts';
import { isAt, type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { coordinatesLocation } from '../../operations/places.ts';
import { type DataSets, dataSets } from '../../operations/served_data.ts';
import {
  locatedTarget,
  NO_TARGET,
  offsetTarget,
  type Target,
  UTC_TARGET,
  zoneTarget,
} from '../../operations/target.ts';
import { type IpAddress, parseAddress, readAddress } from '../../places/ip_address.ts';
import { addressClassOf } from '../../places/network.ts';
import { embeddedIpv4, sourceOfAddress, zoneNameOfAddress } from '../../places/places.ts';
import { OFFSET_PATTERN, parseOffset } from '../../text/offset.ts';
import { Slices } from '../slices.ts';
import {
  type DecodeContext,
  degrees,
  flagSchema,
  group,
  type Input,
  type InputFactory,
  type ParameterSchema,
  parseDegrees,
  text,
} from './input.ts';
import {
  DATA_OF_NAMES,
  dataOfZoneName,
  parsePlace,
  zoneOfName,
  zoneOfPlace,
  zoneOfTerritory,
} from './names.ts';

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
  /** The data sets that {@link decode} can read. */
  readonly reads: DataSets;
  /** Those of them that supplied parameters read; all if absent. */
  readsIn?(query: Query, prefix: string, snapshot: Snapshot): DataSets;
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

const ADDRESS_DATA = dataSets('zones', 'ip', 'ownNetworks');

const ZONE_NAME = textSelector('tz', {
  schema: text(
    'IANA time zone name, or a Windows name such as `W. Europe Standard Time`; case-insensitive.',
    'America/New_York',
  ),
  listExample: 'America/New_York,Europe/Paris',
  placeholder: '<zone>',
  hint: place => `Zone ${place}: an IANA or Windows name, case-insensitive.`,
  reads: DATA_OF_NAMES,
  readsOf: dataOfZoneName,
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
  readsIn: (query, prefix, snapshot) => dataOfZoneName(query.peek(`${prefix}tz`), snapshot),
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
    reads: ADDRESS_DATA,
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
    reads: dataSets('zones', 'boundaries'),
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
    ...flagSelector('auto_tz', "The zone of the client's address."),
    reads: ADDRESS_DATA,
    decode(query, _, context) {
      query.rejectProblem('auto_tz');
      const address = context.clientAddress();
      if (address === undefined) throw unreadable('auto_tz', "the client's address is not known");
      return targetOfAddress(address, 'auto_tz', context);
    },
  },
  utc: {
    ...flagSelector('utc', 'The target is UTC.'),
    reads: 0,
    decode(query) {
      query.rejectProblem('utc');
      return UTC_TARGET;
    },
  },
  visitor: {
    ...flagSelector('visitor', "The zone of the visitor's browser; UTC if scripts do not run."),
    reads: 0,
    decode(query) {
      query.rejectProblem('visitor');
      return UTC_TARGET;
    },
    clock: () => ({ kind: 'visitor' }),
  },
} satisfies Readonly<Record<string, Selector>>;

/** The name of a selector. */
type SelectorName = keyof typeof SELECTORS;

/** The selectors whose value is a single text, by name. */
export const TEXT_SELECTORS: ReadonlyMap<string, Selector & { readonly text: TextForm }> = new Map(
  Object.entries(SELECTORS as Readonly<Record<SelectorName, Selector>>).flatMap(([name, selector]) =>
    selector.text === null ? [] : [[name, { ...selector, text: selector.text }] as const],
  ),
);

interface TextSelectorOptions
  extends Pick<Selector, 'reads'>,
    Pick<TextForm, 'parse' | 'placeholder' | 'clockOf'>,
    Partial<Pick<TextForm, 'separator' | 'readsOf'>> {
  readonly schema: ParameterSchema;
  readonly listExample: string;
  readonly listPattern?: string;
  readonly hint: (place: string) => string;
}

function textSelector<Name extends string>(name: Name, options: TextSelectorOptions) {
  const { schema, listExample, listPattern, placeholder, hint, reads, readsOf, parse, clockOf } = options;
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
      ...(readsOf && { readsOf }),
      parse,
      clockOf,
    },
    isFlag: false,
    reads,
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

/** An entry of a list that selects nothing. */
export interface FailedEntry {
  readonly item: string;
  readonly error: ServiceError;
}

/** The target of a selector, or the targets of a list in the same order. */
export type Targets = Target | readonly Entry[];
type Entry = Target | FailedEntry;

/** Mutually exclusive selectors, whose parameters have a common prefix. */
class SelectorSet {
  /** Their schemas by parameter, without the prefix. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  readonly names: readonly SelectorName[];
  readonly reads: DataSets;
  readonly #prefix: string;
  readonly #several: string;
  readonly #flags: readonly string[];
  /** Created on first use, since routes have many hints but requests few. */
  readonly #byParameter: () => ReadonlyMap<string, Selection>;

  /** `several` explains the error if more than one is supplied. */
  constructor(names: readonly SelectorName[], prefix: string, several: string) {
    this.names = names;
    this.#prefix = prefix;
    this.#several = several;
    this.parameters = Object.assign({}, ...names.map(name => SELECTORS[name].parameters));
    this.reads = names.reduce((sets, name) => sets | SELECTORS[name].reads, 0);
    this.#flags = names.filter(name => SELECTORS[name].isFlag).map(name => prefix + name);
    this.#byParameter = once(() => selectionsOf(names, prefix));
  }

  /** The selector that was supplied; null for none. Throws `AMBIGUOUS_TARGET` for several. */
  select(query: Query): Selection | null {
    let selection = null as Selection | null;
    for (const parameter of query.names) {
      if (!isAt(parameter, 0, this.#prefix)) continue;
      const found = this.#byParameter().get(parameter);
      if (found === undefined || found === selection || !this.#isOn(found.name, query)) continue;
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

  /** Throws for malformed flags, which select nothing. */
  rejectMalformedFlags(query: Query): void {
    for (const flag of this.#flags) query.rejectProblem(flag);
  }

  /** The alternatives, for messages. */
  get usage(): string {
    const usages = this.names.map(name => SELECTORS[name].usage);
    return `${usages.slice(0, -1).join(', ')} or ${usages.at(-1)}`;
  }

  #isOn(name: SelectorName, query: Query): boolean {
    return !SELECTORS[name].isFlag || query.hasFlag(this.#prefix + name);
  }

  /** One parameter of each supplied selector, in the order of documentation. */
  #supplied(query: Query): string[] {
    return this.names.flatMap(name => {
      const parameters = Object.keys(SELECTORS[name].parameters).map(parameter => this.#prefix + parameter);
      const supplied = parameters.find(parameter => query.has(parameter));
      return supplied !== undefined && this.#isOn(name, query) ? supplied : [];
    });
  }
}

/** The selections of some selectors by parameter, with the prefix. */
function selectionsOf(names: readonly SelectorName[], prefix: string): ReadonlyMap<string, Selection> {
  return new Map(
    names.flatMap(name => {
      const selection = { name, selector: SELECTORS[name], prefix };
      return Object.keys(selection.selector.parameters).map(parameter => [prefix + parameter, selection]);
    }),
  );
}

/** A supplied selector. */
export interface Selection {
  readonly name: SelectorName;
  readonly selector: Selector;
  readonly prefix: string;
}

const SELECTOR_NAMES = Object.keys(SELECTORS) as SelectorName[];
/** All selectors except `visitor`, which only the script of a clock can resolve. */
const ALL = SELECTOR_NAMES.filter(name => name !== 'visitor');
/** Why selectors are mutually exclusive. */
export const ONE_TARGET = 'a request takes one of them';
const WITH_UTC = new SelectorSet(ALL, '', ONE_TARGET);
const WITHOUT_UTC = new SelectorSet(
  ALL.filter(name => name !== 'utc'),
  '',
  ONE_TARGET,
);

/** An optional target; {@link NO_TARGET} without a selector. */
export const target: InputFactory<Target> = optionalTarget(targetInput(WITHOUT_UTC, () => NO_TARGET));

/** The same with `utc=true`. */
export const targetOrUtc: InputFactory<Target> = optionalTarget(targetInput(WITH_UTC, () => NO_TARGET));

/** A required target. */
export const requiredTarget: InputFactory<Target> = group(
  targetInput(WITHOUT_UTC, rejectMissing(WITHOUT_UTC)),
);

/** An optional target, or a list of them. */
export const targets: InputFactory<Targets> = optionalTarget(
  listInput(WITHOUT_UTC, () => NO_TARGET, decodeInSlices),
);

/** A target, `utc=true` among the selectors, or a list of targets; one is required. */
export const requiredTargetsOrUtc: InputFactory<Targets> = group(
  listInput(WITH_UTC, rejectMissing(WITH_UTC), decodeInSlices),
);

/** A target, `utc=true` among the selectors, or a list of zones by `tz`; null without a selector. */
export const zoneTargets = listInput(
  WITH_UTC,
  () => null,
  (texts, decode): Targets => texts.map(decode),
  ['tz'],
);

/** A target, and the selector that a clock stores for it. */
interface ClockTarget {
  readonly target: Target;
  readonly selector: ClockSelector;
}

/** The target of a clock, and how the clock stores the selector. */
export const clockTarget: InputFactory<ClockTarget> = group(clockInput(SELECTOR_NAMES));

/** The same without the visitor's zone. */
export const imageTarget: InputFactory<ClockTarget> = group(clockInput(ALL));

function clockInput(names: readonly SelectorName[]): Input<ClockTarget, Selection | null> {
  const set = new SelectorSet(
    names.filter(name => SELECTORS[name].clock !== null),
    '',
    ONE_TARGET,
  );
  return {
    ...selectorInput(set),
    decode(query, context, selection) {
      const selected = selection && decodeSelection(selection, query, context);
      set.rejectMalformedFlags(query);
      if (selection === null || selected === null) return { target: NO_TARGET, selector: { kind: 'none' } };
      return { target: selected, selector: selection.selector.clock!(query, selected) }; // all selectors of the set have it
    },
  };
}

const OF_BOARDS = new SelectorSet(['tz', 'place'], '', ONE_TARGET);
const MAX_BOARD = 12;

/** The targets of a board of clocks, and how the clocks store them. */
export const boardClocks: InputFactory<readonly ClockTarget[]> = group({
  ...selectorInput(OF_BOARDS),
  parameters: listParameters(OF_BOARDS.names),
  decode(query, context, selection) {
    const form = selection?.selector.text;
    if (selection === null || form == null) return rejectMissing(OF_BOARDS)();
    const { name } = selection;
    const items = query.get(name)!.split(form.separator); // it was supplied
    if (items.length > MAX_BOARD)
      throw unreadable(name, `it has ${items.length} places; a board has at most ${MAX_BOARD}`);
    return items.map(item => {
      if (item === '') throw unreadable(name, 'an entry of the list is empty');
      const target = form.parse(item, name, context, true);
      return { target, selector: form.clockOf(item, target) };
    });
  },
});

function optionalTarget<Value>(input: Input<Value | Target, Selection | null>): InputFactory<Value | Target> {
  return group({ ...input, absent: NO_TARGET });
}

function targetInput(set: SelectorSet, whenMissing: () => Target): Input<Target, Selection | null> {
  return {
    ...selectorInput(set),
    decode(query, context, selection) {
      const selected = selection && decodeSelection(selection, query, context);
      set.rejectMalformedFlags(query);
      return selected ?? whenMissing();
    },
  };
}

/** Decodes the entries of a list. */
type DecodeEntries<List> = (texts: readonly string[], decode: (text: string) => Entry) => List;

/** Reading the clock after each of a hundred zones would take as long as decoding ten of them. */
const ENTRIES_PER_CHECK = 25;

/** Decodes entries in slices, between which other requests are served; entries that fail take longest. */
function decodeInSlices(
  texts: readonly string[],
  decode: (text: string) => Entry,
  slices = new Slices(),
  entries: Entry[] = [],
): Entry[] | Promise<Entry[]> {
  while (entries.length < texts.length) {
    const entry = decode(texts[entries.length]!);
    entries.push(entry);
    if (('error' in entry || entries.length % ENTRIES_PER_CHECK === 0) && slices.isOver)
      return slices.next().then(() => decodeInSlices(texts, decode, slices, entries));
  }
  return entries;
}

/** `listed` are the selectors that may be lists, if they have a text form. */
function listInput<List extends Targets | Promise<Targets>, Missing>(
  set: SelectorSet,
  whenMissing: () => Missing,
  decodeEntries: DecodeEntries<List>,
  listed = set.names,
) {
  function decodeList(selection: Selection, query: Query, context: DecodeContext): List | null {
    const { name, selector } = selection;
    const texts = listed.includes(name) ? listedTexts(selection, query, context.snapshot) : null;
    if (texts === null || selector.text === null) return null;
    return decodeEntries(texts, entryDecoder(selector.text, name, context));
  }

  return {
    ...selectorInput(set),
    parameters: { ...set.parameters, ...listParameters(listed) },
    readsIn(
      query: Query,
      selection: Selection | null,
      snapshot: Snapshot,
      value?: Targets | Missing,
    ): DataSets {
      const texts = selection && listed.includes(selection.name) ? textsIn(selection, query) : null;
      if (selection === null || texts === null) return readsOfSelection(selection, query, snapshot);
      const { reads, text } = selection.selector;
      if (!Array.isArray(value) || text?.readsOf === undefined) return reads;
      const found = texts.filter((_, index) => !('error' in value[index]));
      return found.reduce((sets, entry) => sets | text.readsOf!(entry, snapshot), 0);
    },
    decode(query: Query, context: DecodeContext, selection: Selection | null): List | Target | Missing {
      const list = selection && decodeList(selection, query, context);
      const selected = list ?? (selection && decodeSelection(selection, query, context));
      set.rejectMalformedFlags(query);
      return selected ?? whenMissing();
    },
  };
}

/** Decodes entries of a list, some of which may fail. */
function entryDecoder({ parse }: TextForm, name: string, context: DecodeContext): (text: string) => Entry {
  let failures = 0;
  return item => {
    try {
      if (item === '') throw unreadable(name, 'an entry of the list is empty');
      return parse(item, name, context, failures < MAX_SUGGESTIONS);
    } catch (error) {
      if (!(error instanceof ServiceError) || !FAILURES_OF_ENTRIES.has(error.code)) throw error;
      failures++;
      context.preventCaching(); // errors take a lot of memory
      return { item, error };
    }
  };
}

/** The list schemas of those selectors that have a text form. */
function listParameters(names: readonly SelectorName[]): Readonly<Record<string, ParameterSchema>> {
  return Object.fromEntries(
    names.flatMap(name => (SELECTORS[name].text ? [[name, SELECTORS[name].text.listSchema]] : [])),
  );
}

/** What the inputs of selectors have in common. */
function selectorInput(set: SelectorSet) {
  return {
    parameters: set.parameters,
    reads: set.reads,
    select: (query: Query) => set.select(query),
    readsIn: (query: Query, selection: Selection | null, snapshot: Snapshot) =>
      readsOfSelection(selection, query, snapshot),
  };
}

/** The data sets that a supplied selector reads. */
export function readsOfSelection(selection: Selection | null, query: Query, snapshot: Snapshot): DataSets {
  if (selection === null) return 0;
  const { selector, prefix } = selection;
  return selector.readsIn?.(query, prefix, snapshot) ?? selector.reads;
}

function rejectMissing(set: SelectorSet): () => never {
  const message = `A target is missing: give ${set.usage}`;
  return () => {
    throw new ServiceError('MISSING_TARGET', message);
  };
}

/** A hint: the zone that a local time is in, under a prefix such as `source_`. */
export class Hint {
  readonly #set: SelectorSet;
  /** Its parameters, whose descriptions name the parameter that they are hints for. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;

  constructor(prefix: string, iso: string) {
    const names = ALL.filter(name => SELECTORS[name].hint !== null);
    this.#set = new SelectorSet(names, prefix, 'a timestamp takes one hint');
    const place = `that a local \`${iso}\` is in`;
    const descriptions = Object.assign({}, ...names.map(name => SELECTORS[name].hint?.(place, prefix)));
    this.parameters = Object.fromEntries(
      Object.entries(this.#set.parameters).map(([parameter, schema]) => [
        prefix + parameter,
        { ...schema, description: descriptions[parameter] },
      ]),
    );
  }

  get reads(): DataSets {
    return this.#set.reads;
  }

  /** The supplied hint, null without one. Throws `AMBIGUOUS_TARGET` for several. */
  select(query: Query): Selection | null {
    return this.#set.select(query);
  }

  /** Throws `INVALID_PARAMETER` if a hint was supplied, regardless of its value. */
  reject(hint: Selection | null, query: Query, reason: string): void {
    if (hint !== null) throw unreadable(this.suppliedParameter(query)!, reason); // a selected hint has one
  }

  /** The parameter of the hint that was supplied. */
  suppliedParameter(query: Query): string | undefined {
    return this.#set.suppliedParameter(query);
  }
}

/** The target of a hint, null without one. */
export function decodeHint(hint: Selection | null, query: Query, context: DecodeContext): Target | null {
  return hint && decodeSelection(hint, query, context);
}

/** The first selector parameter of the target that was supplied. */
export function suppliedTarget(query: Query): string | undefined {
  return WITH_UTC.suppliedParameter(query);
}

function decodeSelection({ selector, prefix }: Selection, query: Query, context: DecodeContext): Target {
  return selector.decode(query, prefix, context);
}

/** The maximum number of failed entries with suggestions: a hundred would block the event loop. */
const MAX_SUGGESTIONS = 5;

/** The errors that affect only one entry; others fail the request. */
const FAILURES_OF_ENTRIES: ReadonlySet<string> = new Set(['INVALID_PARAMETER', 'AMBIGUOUS_TARGET']);

/** The texts of a list; null if the value is not a list. */
function textsIn({ name, selector }: Selection, query: Query): string[] | null {
  const value = query.peek(name);
  const separator = selector.text?.separator;
  return separator !== undefined && value.includes(separator) ? value.split(separator) : null;
}

/** The same; throws ServiceError for a malformed or too long list. */
function listedTexts(selection: Selection, query: Query, { maxBulk }: Snapshot): string[] | null {
  const { name, selector } = selection;
  query.get(name); // throws if it is malformed
  const texts = textsIn(selection, query);
  if (texts === null) return null;
  const other = Object.keys(selector.parameters).find(
    parameter => parameter !== name && query.has(parameter),
  );
  if (other !== undefined) throw unreadable(other, `it applies to a single '${name}', not to a list`);
  if (texts.length <= maxBulk) return texts;
  throw unreadable(name, `it has ${texts.length} entries; the maximum is ${maxBulk}`);
}
