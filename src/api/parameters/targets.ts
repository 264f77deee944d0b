import { once } from '../../common/caching.ts';
import { ServiceError, unreadable } from '../../common/errors.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { DataSets } from '../../operations/served_data.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { Slices } from '../slices.ts';
import { type DecodeContext, group, type Input, type InputFactory, type ParameterSchema } from './input.ts';
import { SELECTORS, type Selector, type TextSelector } from './selectors.ts';

export interface Selection {
  readonly selector: Selector;
  readonly prefix: string;
}

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

  rejectMalformedFlags(query: Query): void {
    for (const flag of this.#flags) query.rejectProblem(flag);
  }

  get input() {
    return {
      parameters: this.parameters,
      reads: this.reads,
      select: (query: Query) => this.select(query),
      readsIn: (query: Query, selection: Selection | null, snapshot: Snapshot) =>
        this.readsIn(query, selection, snapshot),
    };
  }

  missing(): ServiceError {
    const usages = this.selectors.map(({ usage }) => usage);
    const shown = `${usages.slice(0, -1).join(', ')} or ${usages.at(-1)}`;
    return new ServiceError('MISSING_TARGET', `A target is missing: give ${shown}`);
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

/** Hints for local times: the zones that they are in, under a prefix such as `source_`. */
export class Hints extends SelectorSet {
  /** `iso`: the parameter that they are hints for. */
  constructor(prefix: string, iso: string) {
    super(
      HINTS.map(selector => hintOf(selector, `that a local \`${iso}\` is in`, prefix)),
      prefix,
      'a timestamp takes one hint',
    );
  }

  /** The error for a hint that was supplied where none can be, regardless of its value. */
  unwanted(query: Query, reason: string): ServiceError {
    return unreadable(this.suppliedParameter(query)!, reason); // a selected hint has one
  }
}

/** A selector whose parameters are described as hints. */
function hintOf(selector: Selector, place: string, prefix: string): Selector {
  const descriptions = selector.hint?.(place, prefix);
  const parameters = Object.entries(selector.parameters).map(([name, schema]) => [
    name,
    { ...schema, description: descriptions?.[name] },
  ]);
  return { ...selector, parameters: Object.fromEntries(parameters) };
}

/** All selectors except `visitor`, which only the script of a clock can resolve. */
export const RESOLVED_SELECTORS: readonly Selector[] = Object.values(SELECTORS).filter(
  selector => selector !== SELECTORS.visitor,
);
const HINTS = RESOLVED_SELECTORS.filter(({ hint }) => hint !== null);
const WITH_UTC = new SelectorSet(RESOLVED_SELECTORS);
const WITHOUT_UTC = new SelectorSet(RESOLVED_SELECTORS.filter(selector => selector !== SELECTORS.utc));

export function suppliedTarget(query: Query): string | undefined {
  return WITH_UTC.suppliedParameter(query);
}

/** An optional target; {@link NO_TARGET} without a selector. */
export const target: InputFactory<Target> = group({ ...targetInput(WITHOUT_UTC), absent: NO_TARGET });

/** The same with `utc=true`. */
export const targetOrUtc: InputFactory<Target> = group({ ...targetInput(WITH_UTC), absent: NO_TARGET });

export const requiredTarget: InputFactory<Target> = group({
  ...targetInput(WITHOUT_UTC),
  decode(query, context, selection) {
    const selected = WITHOUT_UTC.decode(query, selection, context);
    if (selected === null) throw WITHOUT_UTC.missing();
    return selected;
  },
});

function targetInput(set: SelectorSet): Input<Target, Selection | null> {
  return {
    ...set.input,
    decode: (query, context, selection) => set.decode(query, selection, context) ?? NO_TARGET,
  };
}

/** An entry of a list that selects nothing. */
export interface FailedEntry {
  readonly item: string;
  readonly error: ServiceError;
}

type Entry = Target | FailedEntry;
/** The target of a selector, or the targets of a list in the same order. */
export type Targets = Target | readonly Entry[];

/** An optional target, or a list of them. */
export const targets: InputFactory<Targets> = group({
  ...listInput(WITHOUT_UTC, () => NO_TARGET),
  absent: NO_TARGET,
});

/** A target, `utc=true` among the selectors, or a list of targets; one is required. */
export const requiredTargetsOrUtc: InputFactory<Targets> = group(
  listInput(WITH_UTC, () => {
    throw WITH_UTC.missing();
  }),
);

/** A target, `utc=true` among the selectors, or a list of zones by `tz`; null without a selector. */
export const zoneTargets = listInput(WITH_UTC, () => null, [SELECTORS.tz]);

/** `listed` are the selectors that may be lists, if they have a text form. */
function listInput<Missing>(set: SelectorSet, whenMissing: () => Missing, listed = set.selectors) {
  const listIn = (selection: Selection | null) =>
    selection !== null && isText(selection.selector) && listed.includes(selection.selector)
      ? selection.selector
      : null;
  return {
    ...set.input,
    parameters: { ...set.parameters, ...listParameters(listed) },
    readsIn(
      query: Query,
      selection: Selection | null,
      snapshot: Snapshot,
      value?: Targets | Missing,
    ): DataSets {
      const selector = listIn(selection);
      const texts = selector && textsIn(selector, query);
      if (selector === null || texts === null) return set.readsIn(query, selection, snapshot);
      const { readsOf } = selector.text;
      if (!Array.isArray(value) || readsOf === undefined) return selector.reads;
      const found = texts.filter((_, index) => !('error' in value[index]));
      return found.reduce((sets, entry) => sets | readsOf(entry, snapshot), 0);
    },
    decode(
      query: Query,
      context: DecodeContext,
      selection: Selection | null,
    ): Targets | Missing | Promise<Targets> {
      const selector = listIn(selection);
      const texts = selector && listedTexts(selector, query, context.snapshot);
      if (selector === null || texts === null) {
        return set.decode(query, selection, context) ?? whenMissing();
      }
      const entries = decodeEntries(texts, selector, context);
      set.rejectMalformedFlags(query);
      return entries;
    },
  };
}

function isText(selector: Selector): selector is TextSelector {
  return selector.text !== null;
}

/** The list schemas of those selectors that have a text form. */
export function listParameters(selectors: readonly Selector[]): Readonly<Record<string, ParameterSchema>> {
  return Object.fromEntries(selectors.filter(isText).map(({ name, text }) => [name, text.listSchema]));
}

/** The texts of a list; null if the value is not a list. */
function textsIn({ name, text: { separator } }: TextSelector, query: Query): string[] | null {
  const value = query.peek(name);
  return value.includes(separator) ? value.split(separator) : null;
}

/** The same; throws ServiceError for a malformed or too long list. */
function listedTexts(selector: TextSelector, query: Query, { maxBulk }: Snapshot): string[] | null {
  const { name, parameters } = selector;
  query.get(name); // throws if it is malformed
  const texts = textsIn(selector, query);
  if (texts === null) return null;
  const other = Object.keys(parameters).find(parameter => parameter !== name && query.has(parameter));
  if (other !== undefined) throw unreadable(other, `it applies to a single '${name}', not to a list`);
  if (texts.length <= maxBulk) return texts;
  throw unreadable(name, `it has ${texts.length} entries; the maximum is ${maxBulk}`);
}

/** Reading the clock after each of a hundred zones would take as long as decoding ten of them. */
const ENTRIES_PER_CHECK = 25;
/** The maximum number of failed entries with suggestions: a hundred would block the event loop. */
const MAX_SUGGESTIONS = 5;
/** The errors that affect only one entry; others fail the request. */
const FAILURES_OF_ENTRIES: ReadonlySet<string> = new Set(['INVALID_PARAMETER', 'AMBIGUOUS_TARGET']);

/** Decodes entries, some of which may fail, in slices between which other requests are served; failures take longest. */
function decodeEntries(
  texts: readonly string[],
  { name, text: { parse } }: TextSelector,
  context: DecodeContext,
): Entry[] | Promise<Entry[]> {
  const slices = new Slices();
  const entries: Entry[] = [];
  let failures = 0;

  function decodeEntry(item: string): Entry {
    try {
      if (item === '') throw unreadable(name, 'an entry of the list is empty');
      return parse(item, name, context, failures < MAX_SUGGESTIONS);
    } catch (error) {
      if (!(error instanceof ServiceError) || !FAILURES_OF_ENTRIES.has(error.code)) throw error;
      failures++;
      context.preventCaching(); // errors take a lot of memory
      return { item, error };
    }
  }

  function decodeRest(): Entry[] | Promise<Entry[]> {
    while (entries.length < texts.length) {
      const entry = decodeEntry(texts[entries.length]!);
      entries.push(entry);
      const isDue = 'error' in entry || entries.length % ENTRIES_PER_CHECK === 0;
      if (isDue && slices.isOver) return slices.next().then(decodeRest);
    }
    return entries;
  }

  return decodeRest();
}
