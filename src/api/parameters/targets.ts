import type { ClockSelector } from '../../clock/clock_config.ts';
import { ServiceError, unreadable } from '../../common/service_error.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { type DecodeContext, group, type Input, type InputFactory, type ParameterSchema } from './input.ts';
import { SELECTORS, type Selector, type SelectorName } from './selectors.ts';

const ALL = Object.keys(SELECTORS) as SelectorName[];
const WITHOUT_UTC = ALL.filter(name => name !== 'utc');
const HINTS = ALL.filter(name => SELECTORS[name].hint !== null);
const OF_CLOCKS = ALL.filter(name => SELECTORS[name].clock !== null);

/** An element of a bulk selector that selects nothing. */
export interface FailedEntry {
  readonly item: string;
  readonly error: ServiceError;
}

/** The targets of a selector that may be a list: one, or those of the list in its order. */
export type Targets = Target | readonly (Target | FailedEntry)[];

/** An optional target; {@link NO_TARGET} without a selector. */
export const target: InputFactory<Target> = targetInput(WITHOUT_UTC, () => NO_TARGET);

/** The same with `utc=true`. */
export const targetOrUtc: InputFactory<Target> = targetInput(ALL, () => NO_TARGET);

/** A target that is required. */
export const requiredTarget: InputFactory<Target> = targetInput(WITHOUT_UTC, rejectMissing(WITHOUT_UTC));

/** An optional target, or a list of them. */
export const targets: InputFactory<Targets> = listInput(WITHOUT_UTC, () => NO_TARGET);

/** A target, `utc=true` among the selectors, or a list of targets; one is required. */
export const requiredTargetsOrUtc: InputFactory<Targets> = listInput(ALL, rejectMissing(ALL));

/** The target of a clock, and how the clock stores the selector. */
export const clockTarget: InputFactory<{ readonly target: Target; readonly selector: ClockSelector }> = group(
  {
    ...inputOf(OF_CLOCKS),
    decode(query, context) {
      const name = suppliedSelector(query, OF_CLOCKS, '');
      if (name === undefined) return { target: NO_TARGET, selector: { kind: 'none' } };
      const selector: Selector = SELECTORS[name];
      const target = selector.decode(query, '', context);
      return { target, selector: selector.clock!(query, target) }; // OF_CLOCKS have it
    },
  },
);

function targetInput(names: readonly SelectorName[], whenMissing: () => Target): InputFactory<Target> {
  return group({
    ...inputOf(names),
    decode: (query, context) => decodeTarget(query, names, '', context) ?? whenMissing(),
  });
}

function listInput(names: readonly SelectorName[], whenMissing: () => Target): InputFactory<Targets> {
  const input = inputOf(names);
  const lists = Object.fromEntries(
    names.flatMap(name => (SELECTORS[name].text ? [[name, SELECTORS[name].text.listSchema]] : [])),
  );
  return group({
    ...input,
    parameters: { ...input.parameters, ...lists },
    decode(query, context) {
      const name = suppliedSelector(query, names, '');
      const form = name === undefined ? null : SELECTORS[name].text;
      const items = form && query.get(name!)!.split(','); // supplied, so that `get` returns a text or throws
      if (items && items.length > 1) {
        const entries = decodeList(items, name!, context.snapshot);
        rejectMalformedFlags(query, names, '');
        return entries;
      }
      return decodeTarget(query, names, '', context) ?? whenMissing();
    },
  });
}

function rejectMissing(names: readonly SelectorName[]): () => never {
  const usages = names.map(name => SELECTORS[name].usage);
  const list = `${usages.slice(0, -1).join(', ')} or ${usages.at(-1)}`;
  return () => {
    throw new ServiceError('MISSING_TARGET', `A target is missing: give ${list}`);
  };
}

function inputOf(names: readonly SelectorName[]): Omit<Input<unknown>, 'decode'> {
  return {
    parameters: Object.assign({}, ...names.map(name => SELECTORS[name].parameters)),
    rejectAmbiguity: query => rejectSeveral(suppliedNames(query, names, ''), 'a request takes one of them'),
    needs: (query, snapshot) => selectedData(query, names, '', snapshot),
  };
}

/** The parameters of a hint for a local time in `iso`, with a prefix such as `source_`. */
export function hintParameters(prefix: string, iso: string): Record<string, ParameterSchema> {
  const place = `that a local \`${iso}\` is in`;
  return Object.fromEntries(
    HINTS.flatMap(name => {
      const { parameters, hint }: Selector = SELECTORS[name];
      const descriptions = hint!(place, prefix); // HINTS have it
      return Object.entries(parameters).map(([parameter, schema]) => [
        prefix + parameter,
        { ...schema, description: descriptions[parameter]! },
      ]);
    }),
  );
}

/** The target of a hint, null without one. */
export function decodeHint(query: Query, prefix: string, context: DecodeContext): Target | null {
  return decodeTarget(query, HINTS, prefix, context);
}

/** The lazy data that a hint needs. */
export function dataOfHint(query: Query, prefix: string, snapshot: Snapshot): readonly LazyData<unknown>[] {
  return selectedData(query, HINTS, prefix, snapshot);
}

/** Throws `AMBIGUOUS_TARGET` for several hints. */
export function rejectSeveralHints(query: Query, prefix: string): void {
  rejectSeveral(suppliedNames(query, HINTS, prefix), 'a timestamp takes one hint');
}

/** The first parameter of a hint that was supplied. */
export function suppliedHint(query: Query, prefix: string): string | undefined {
  return suppliedNames(query, HINTS, prefix)[0];
}

/** The first target selector that was supplied. */
export function suppliedTarget(query: Query): string | undefined {
  return suppliedNames(query, ALL, '')[0];
}

/** For each supplied selector one of its parameters. */
function suppliedNames(query: Query, names: readonly SelectorName[], prefix: string): string[] {
  const supplied: string[] = [];
  for (const name of names) {
    const parameter = SELECTORS[name].supplied(query, prefix);
    if (parameter !== undefined) supplied.push(prefix + parameter);
  }
  return supplied;
}

function suppliedSelector(
  query: Query,
  names: readonly SelectorName[],
  prefix: string,
): SelectorName | undefined {
  return names.find(name => SELECTORS[name].supplied(query, prefix) !== undefined);
}

function selectedData(
  query: Query,
  names: readonly SelectorName[],
  prefix: string,
  snapshot: Snapshot,
): readonly LazyData<unknown>[] {
  const name = suppliedSelector(query, names, prefix);
  return name === undefined ? [] : SELECTORS[name].needs(snapshot);
}

/** The target of the supplied selector, null without one. Several were rejected before. */
function decodeTarget(
  query: Query,
  names: readonly SelectorName[],
  prefix: string,
  context: DecodeContext,
): Target | null {
  const name = suppliedSelector(query, names, prefix);
  const selected = name === undefined ? null : SELECTORS[name].decode(query, prefix, context);
  rejectMalformedFlags(query, names, prefix);
  return selected;
}

/** Throws for a malformed flag that selects nothing. */
function rejectMalformedFlags(query: Query, names: readonly SelectorName[], prefix: string): void {
  for (const name of names) if (SELECTORS[name].text === null) query.rejectProblem(prefix + name);
}

/** The maximum number of failed entries with suggestions: a hundred would block the event loop. */
const MAX_SUGGESTIONS = 5;

function decodeList(
  items: readonly string[],
  name: SelectorName,
  snapshot: Snapshot,
): (Target | FailedEntry)[] {
  if (items.length > snapshot.maxBulk) {
    throw unreadable(name, `it has ${items.length} entries; the maximum is ${snapshot.maxBulk}`);
  }
  const { parse } = SELECTORS[name].text!; // lists are of selectors with a text
  let failures = 0;
  return items.map(item => {
    try {
      if (item === '') throw unreadable(name, 'an entry of the list is empty');
      return parse(item, name, snapshot, failures < MAX_SUGGESTIONS);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'INVALID_PARAMETER') throw error;
      failures++;
      return { item, error };
    }
  });
}
