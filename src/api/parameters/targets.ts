import type { ClockSelector } from '../../clock/clock_config.ts';
import { once } from '../../common/caching.ts';
import { ServiceError, unreadable } from '../../common/errors.ts';
import { noteFailedEntry, useSoFar } from '../../http/data_use.ts';
import { isAt, type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { Slices } from '../slices.ts';
import { type DecodeContext, group, type Input, type InputFactory, type ParameterSchema } from './input.ts';
import { SELECTORS, type Selector, type SelectorName, type TextForm } from './selectors.ts';

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
export interface ClockTarget {
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
    const usedBefore = useSoFar(context.snapshot);
    try {
      if (item === '') throw unreadable(name, 'an entry of the list is empty');
      return parse(item, name, context, failures < MAX_SUGGESTIONS);
    } catch (error) {
      if (!(error instanceof ServiceError) || !FAILURES_OF_ENTRIES.has(error.code)) throw error;
      noteFailedEntry(context.snapshot, usedBefore);
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
function selectorInput(set: SelectorSet): Omit<Input<never, Selection | null>, 'decode'> {
  return {
    parameters: set.parameters,
    readsZones: true,
    select: query => set.select(query),
    pending: pendingData,
  };
}

/** Data that a selection needs and that is not loaded yet. */
export function pendingData(selection: Selection | null, snapshot: Snapshot): LazyData<unknown> | undefined {
  return selection?.selector.pending(snapshot);
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

/** The texts of a list; null if the value is not a list. Throws ServiceError for a list that is too long. */
function listedTexts({ name, selector }: Selection, query: Query, { maxBulk }: Snapshot): string[] | null {
  if (selector.text === null) return null;
  const value = query.get(name);
  const { separator } = selector.text;
  if (!value?.includes(separator)) return null;
  const other = Object.keys(selector.parameters).find(
    parameter => parameter !== name && query.has(parameter),
  );
  if (other !== undefined) throw unreadable(other, `it applies to a single '${name}', not to a list`);
  const texts = value.split(separator);
  if (texts.length <= maxBulk) return texts;
  throw unreadable(name, `it has ${texts.length} entries; the maximum is ${maxBulk}`);
}
