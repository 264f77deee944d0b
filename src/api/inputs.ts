import { once, whenReady } from '../common/caching.ts';
import { cut, quoted, unreadable } from '../common/errors.ts';
import { nearest } from '../common/words.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { parseQuery, type Query } from '../http/query.ts';
import { nameIgnoredParameters } from '../http/response.ts';
import { MESSAGE_SIGNATURE } from '../http/signature.ts';
import type { Snapshot } from '../http/snapshot.ts';
import { type DataSets, dataSets } from '../operations/served_data.ts';
import {
  choice,
  type DecodeContext,
  flagSchema,
  type Input,
  type Inputs,
  type ParameterSchema,
  text,
  type Values,
} from './parameters/input.ts';

/** The maximum length of a nonce, in characters. */
const MAX_NONCE_LENGTH = 128;

/** The parameters common to all routes, in the order in which errors in them are reported. */
export const COMMON_PARAMETERS = {
  sign: flagSchema('Signs the response.'),
  signature: choice(
    [MESSAGE_SIGNATURE],
    'With `sign=true`: adds an RFC 9421 signature, which also covers the headers about data and clock.',
  ),
  nonce: {
    ...text(
      `Any text of at most ${MAX_NONCE_LENGTH} characters. It only becomes part of the signed path, which proves that a response is new.`,
      '3c1f9a',
    ),
    maxLength: MAX_NONCE_LENGTH,
  },
  details: flagSchema('Adds `details`.'),
  strict: flagSchema('Rejects unknown parameters, which are otherwise ignored.'),
} as const;

/** Throws if common parameters are invalid; these errors are reported last. Flags with a value other than `true` are off. */
export function rejectInvalidCommon(query: Query): void {
  const isSigned = query.flag('sign');
  const signature = query.get('signature');
  if (signature !== undefined && signature !== MESSAGE_SIGNATURE) {
    throw unreadable('signature', `${quoted(signature)} is not '${MESSAGE_SIGNATURE}'`);
  }
  if (signature !== undefined && !isSigned) {
    throw unreadable('signature', "it requires 'sign=true'");
  }
  const nonce = query.get('nonce');
  if (nonce !== undefined) rejectLong(nonce);
  query.rejectRemainingProblems();
}

function rejectLong(nonce: string): void {
  const { length } = [...nonce];
  if (length > MAX_NONCE_LENGTH) {
    throw unreadable('nonce', `it has ${length} characters; the maximum is ${MAX_NONCE_LENGTH}`);
  }
}

/** Throws for the first unknown parameter of a query with `strict=true`. */
export function rejectUnknown(query: Query, known: InputSet['known']): void {
  const [unknown] = query.ignored;
  if (unknown === undefined || !query.hasFlag('strict')) return;
  const [suggestion] = nearest(unknown, [...known.keys()], 1);
  const advice = suggestion === undefined ? '' : `; did you mean ${quoted(suggestion)}?`;
  throw unreadable(cut(unknown, 80), `this route has no such parameter${advice}`);
}

type Parameters = Readonly<Record<string, ParameterSchema>>;

/** Replaces the selection of an input if the query has none of its parameters, so its value is known. */
const ABSENT = Symbol('absent');

/** What each input has selected in a query, before any is decoded. */
export type Selections = readonly unknown[];

/** The bit of the parameters common to all routes. */
const COMMON = 1 << 31;

/** The inputs of a route or another endpoint, whose handler receives their values by name. */
export class InputSet {
  /** The documented parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Parameters;
  /** Those that are always required. */
  readonly required: readonly string[];
  /** The parameters that are not ignored, with the bit of their input. */
  readonly known: ReadonlyMap<string, number>;
  readonly #names: readonly string[];
  readonly #inputs: readonly Input<unknown>[];
  /** The bits of inputs that are decoded for every query. */
  readonly #alwaysDecoded: number;
  /** The values for a query without parameters; those of inputs that are always decoded are replaced. */
  readonly #absentValues: Readonly<Record<string, unknown>>;

  /** `ofZones` are added if an input reads zones; `common` are documented after the others. */
  constructor(path: string, declared: Inputs, common: Parameters, ofZones: Inputs = {}) {
    const own = inputsOf(declared);
    const readsZones = Object.values(own).some(({ reads = 0 }) => (reads & ZONES) !== 0);
    const byName = readsZones ? { ...own, ...inputsOf(ofZones) } : own;
    this.#names = Object.keys(byName);
    this.#inputs = Object.values(byName);
    this.parameters = uniqueParameters([...this.#inputs.map(input => input.parameters), common], path);
    this.required = this.#inputs.flatMap(({ required }) => required ?? []);
    // A bit for each input, and one for all common parameters. If inputs share one, they are decoded needlessly.
    const bits = new Map<string, number>();
    let alwaysDecoded = 0;
    for (const [index, input] of this.#inputs.entries()) {
      const bit = 1 << index;
      if (!('absent' in input)) alwaysDecoded |= bit;
      for (const name of [...Object.keys(input.parameters), ...(input.hidden ?? [])]) bits.set(name, bit);
    }
    for (const name of Object.keys(common)) if (!bits.has(name)) bits.set(name, COMMON);
    this.#alwaysDecoded = alwaysDecoded;
    this.#absentValues = Object.fromEntries(
      this.#inputs.map(({ absent }, index) => [this.#names[index], absent]),
    );
    this.known = bits;
  }

  /** Whether a query has any of the common parameters. */
  hasCommon(query: Query): boolean {
    return (this.#suppliedBits(query) & COMMON) !== 0;
  }

  #suppliedBits({ names }: Query): number {
    let bits = 0;
    for (const name of names) bits |= this.known.get(name)!;
    return bits;
  }

  /** What each input selects in a query. Throws ServiceError for ambiguous parameters. */
  select(query: Query): Selections {
    const supplied = this.#suppliedBits(query) | this.#alwaysDecoded;
    const selected: unknown[] = [];
    for (let index = 0; index < this.#inputs.length; index++)
      selected.push((supplied >> index) & 1 ? this.#inputs[index]!.select?.(query) : ABSENT);
    return selected;
  }

  /** The data sets that a query reads; with its decoded values, those that they consist of. */
  readsIn(query: Query, selected: Selections, snapshot: Snapshot, values?: unknown): DataSets {
    let sets = 0;
    for (let index = 0; index < this.#inputs.length; index++) {
      if (selected[index] === ABSENT) continue;
      const input = this.#inputs[index]!;
      const value = (values as Record<string, unknown> | undefined)?.[this.#names[index]!];
      sets |= input.readsIn?.(query, selected[index], snapshot, value) ?? input.reads ?? 0;
    }
    return sets;
  }

  /**
   * Decodes a query into values by name, one after another, so that the first error is the one reported; returns a promise if that
   * takes long. Throws ServiceError.
   */
  decode(
    query: Query,
    selected: Selections,
    context: DecodeContext,
    values: Record<string, unknown> = { ...this.#absentValues },
    first = 0,
  ): unknown {
    for (let index = first; index < this.#inputs.length; index++) {
      if (selected[index] === ABSENT) continue;
      const name = this.#names[index]!;
      const value = this.#inputs[index]!.decode(query, context, selected[index]);
      if (value instanceof Promise) return this.#decodeAfter(value, index, query, selected, context, values);
      values[name] = value;
    }
    return values;
  }

  async #decodeAfter(
    value: Promise<unknown>,
    index: number,
    query: Query,
    selected: Selections,
    context: DecodeContext,
    values: Record<string, unknown>,
  ): Promise<unknown> {
    values[this.#names[index]!] = await value;
    return this.decode(query, selected, context, values, index + 1);
  }
}

const ZONES = dataSets('zones');

function inputsOf(declared: Inputs): Readonly<Record<string, Input<unknown>>> {
  return Object.fromEntries(Object.entries(declared).map(([name, make]) => [name, make(name)]));
}

/** The parameters of all inputs; no two of them may have the same name. */
function uniqueParameters(groups: readonly Parameters[], path: string): Parameters {
  const parameters: Record<string, ParameterSchema> = {};
  for (const group of groups) {
    for (const name in group) {
      if (name in parameters) throw new Error(`${path} declares ${quoted(name)} twice`);
      parameters[name] = group[name]!;
    }
  }
  return parameters;
}

const { nonce, strict } = COMMON_PARAMETERS;

/** The parameters of all endpoints that are no routes. */
export const QUERY_PARAMETERS = { nonce, strict };

/**
 * Handles requests to an endpoint that is no route, with inputs of its own, none of which reads data. As on routes, `nonce` and
 * `strict` are checked, and the response names the parameters that were ignored.
 */
export function withQuery<Declared extends Inputs>(
  declared: Declared,
  handle: (values: Values<Declared>, exchange: Exchange) => Response | Promise<Response>,
): Handler {
  const inputs = once(() => new InputSet('this endpoint', declared, QUERY_PARAMETERS));
  return exchange => {
    const { known } = inputs();
    const query = parseQuery(exchange.request.url, known);
    exchange.query = query;
    rejectUnknown(query, known);
    const context = {
      snapshot: exchange.snapshot,
      nowMs: exchange.now(),
      wantsDetails: false,
      clientAddress: () => exchange.clientAddress(),
      preventCaching() {},
    };
    const values = inputs().decode(query, inputs().select(query), context) as Values<Declared>;
    rejectInvalidCommon(query);
    return whenReady(handle(values, exchange), response => {
      nameIgnoredParameters(response.headers, query.ignored);
      return response;
    });
  };
}
