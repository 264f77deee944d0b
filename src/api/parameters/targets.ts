import { ServiceError, unreadable } from '../../common/errors.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { DataSets } from '../../operations/served_data.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { type DecodeContext, group, type Input, type InputFactory, type ParameterSchema } from '../inputs.ts';
import { mapInSlices, Slices } from '../slices.ts';
import {
  isText,
  RESOLVED_SELECTORS,
  SELECTORS,
  type Selection,
  type Selector,
  SelectorSet,
  type TextSelector,
} from './selectors.ts';

const WITH_UTC = new SelectorSet(RESOLVED_SELECTORS);
const WITHOUT_UTC = new SelectorSet(RESOLVED_SELECTORS.filter(selector => selector !== SELECTORS.utc));

/** The first selector parameter of a query; undefined without one. */
export function suppliedTarget(query: Query): string | undefined {
  return WITH_UTC.suppliedParameter(query);
}

/** An optional target; {@link NO_TARGET} without a selector. */
export const target: InputFactory<Target> = group({ ...targetInput(WITHOUT_UTC), absent: NO_TARGET });

/** Like {@link target}, with `utc=true` as a further selector. */
export const targetOrUtc: InputFactory<Target> = group({ ...targetInput(WITH_UTC), absent: NO_TARGET });

/** A target. Throws `MISSING_TARGET` without a selector. */
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
export interface FailedTarget {
  readonly item: string;
  readonly error: ServiceError;
}

type Entry = Target | FailedTarget;
/** The target of a selector, or the targets of a list in the same order. */
export type Targets = Target | readonly Entry[];

export function isList(targets: Targets): targets is readonly Entry[] {
  return Array.isArray(targets);
}

export function isFailed(entry: Entry): entry is FailedTarget {
  return 'error' in entry;
}

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
    readsIn(query, selection, snapshot, value) {
      const selector = listIn(selection);
      if (selector === null || !query.peek(selector.name).includes(selector.text.separator))
        return set.readsIn(query, selection, snapshot);
      return Array.isArray(value) ? readsOfEntries(value, selector.reads) : selector.reads;
    },
    /** A failed entry has the id of the request, and its candidates have their current offsets. */
    isPerRequest: (selection, value) =>
      Array.isArray(value) ? value.some(isFailed) : set.input.isPerRequest(selection),
    decode(query, context, selection) {
      const selector = listIn(selection);
      const texts = selector && listedTexts(selector, query, context.snapshot);
      if (selector === null || texts === null) return set.decode(query, selection, context) ?? whenMissing();
      const entries = decodeEntries(texts, selector, context);
      set.rejectMalformedFlags(query);
      return entries;
    },
  } satisfies Input<Targets | Missing, Selection | null>;
}

/** The list schemas of those selectors that have a text form. */
export function listParameters(selectors: readonly Selector[]): Readonly<Record<string, ParameterSchema>> {
  return Object.fromEntries(selectors.filter(isText).map(({ name, text }) => [name, text.listSchema]));
}

/** The data sets that the entries of a list read; `all` are those that they may read. */
function readsOfEntries(entries: readonly Entry[], all: DataSets): DataSets {
  let sets = 0;
  for (const entry of entries) if (!isFailed(entry)) sets |= entry.reads ?? all;
  return sets;
}

/** The texts of a list; null if the value is not a list. Throws ServiceError for a malformed or too long list. */
function listedTexts(selector: TextSelector, query: Query, { maxBulk }: Snapshot): string[] | null {
  const { name, parameters, text } = selector;
  const value = query.get(name);
  if (!value?.includes(text.separator)) return null;
  const texts = value.split(text.separator);
  const other = Object.keys(parameters).find(parameter => parameter !== name && query.has(parameter));
  if (other !== undefined) throw unreadable(other, `it applies to a single '${name}', not to a list`);
  if (texts.length <= maxBulk) return texts;
  throw unreadable(name, `it has ${texts.length} entries; the maximum is ${maxBulk}`);
}

/** The target of an entry of a list. */
export function parseEntry(
  entry: string,
  { name, text }: TextSelector,
  context: DecodeContext,
  suggests: boolean,
): Target {
  if (entry === '') throw unreadable(name, 'an entry of the list is empty');
  return text.parse(entry, name, context, suggests);
}

/** Reading the clock after each of a hundred zones would take as long as decoding ten of them. */
const ENTRIES_PER_CHECK = 25;
/** The maximum number of failed entries with suggestions: a hundred would block the event loop. */
const MAX_SUGGESTING_ENTRIES = 5;
/** The errors that affect only one entry; others fail the request. */
const FAILURES_OF_ENTRIES: ReadonlySet<string> = new Set(['INVALID_PARAMETER', 'AMBIGUOUS_TARGET']);

/** Decodes the entries of a list in slices, between which other requests are served. Failed entries take longest. */
function decodeEntries(
  texts: readonly string[],
  selector: TextSelector,
  context: DecodeContext,
): Entry[] | Promise<Entry[]> {
  const slices = new Slices();
  let failures = 0;

  function decodeEntry(item: string): Entry {
    try {
      return parseEntry(item, selector, context, failures < MAX_SUGGESTING_ENTRIES);
    } catch (error) {
      if (!(error instanceof ServiceError) || !FAILURES_OF_ENTRIES.has(error.code)) throw error;
      failures++;
      return { item, error };
    }
  }

  const isSliceOver = (entry: Entry, count: number) =>
    (isFailed(entry) || count % ENTRIES_PER_CHECK === 0) && slices.isOver;
  return mapInSlices(texts, decodeEntry, isSliceOver, () => slices.next());
}
