import { cut, quoted, unreadable } from '../common/errors.ts';
import { nearest } from '../common/words.ts';
import { chain, type Exchange, type Handler } from '../http/exchange.ts';
import { ParameterNames, parseQuery, type Query } from '../http/query.ts';
import { nameIgnoredParameters } from '../http/response.ts';
import { MESSAGE_SIGNATURE } from '../http/signature.ts';
import type { Snapshot } from '../http/snapshot.ts';
import type { LazyData } from '../places/lazy_data.ts';
import {
  choice,
  type DecodeContext,
  flagSchema,
  type Input,
  type Inputs,
  type ParameterSchema,
  text,
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
export function rejectUnknown(query: Query, known: ParameterNames): void {
  const [unknown] = query.ignored;
  if (unknown === undefined || !query.hasFlag('strict')) return;
  const [suggestion] = nearest(unknown, known.all, 1);
  const advice = suggestion === undefined ? '' : `; did you mean ${quoted(suggestion)}?`;
  throw unreadable(cut(unknown, 80), `this route has no such parameter${advice}`);
}

type Parameters = Readonly<Record<string, ParameterSchema>>;

/** Replaces the selection of an input if the query has none of its parameters, so its value is known. */
const ABSENT = Symbol('absent');

/** The bit of the parameters common to all routes. */
const COMMON = 1 << 31;

/** The inputs of a route, whose handler receives their values by name. */
export class RouteInputs {
  /** The documented parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Parameters;
  /** Those that are always required. */
  readonly required: readonly string[];
  /** The names of all parameters that are not ignored. */
  readonly known: ParameterNames;
  readonly #names: readonly string[];
  readonly #inputs: readonly Input<unknown>[];
  /** The bits of inputs that are decoded for every query. */
  readonly #alwaysDecoded: number;
  /** The values for a query without parameters; those of inputs that are always decoded are replaced. */
  readonly #absentValues: Readonly<Record<string, unknown>>;

  /** `ofZones` are added if an input reads zones; `common` are documented after the others. */
  constructor(path: string, declared: Inputs, ofZones: Inputs, common: Parameters) {
    const own = inputsOf(declared);
    const readsZones = Object.values(own).some(input => input.readsZones);
    const byName = readsZones ? { ...own, ...inputsOf(ofZones) } : own;
    this.#names = Object.keys(byName);
    this.#inputs = Object.values(byName);
    this.parameters = uniqueParameters([...this.#inputs.map(input => input.parameters), common], path);
    this.required = this.#inputs.flatMap(({ required }) => required ?? []);
    const hidden = this.#inputs.flatMap(({ hidden }) => hidden ?? []);
    // A bit for each input, and one for all common parameters. If inputs share one, they are decoded needlessly.
    const bits = new Map<string, number>(Object.keys(common).map(name => [name, COMMON]));
    let alwaysDecoded = 0;
    for (const [index, input] of this.#inputs.entries()) {
      const bit = 1 << index;
      if (!('absent' in input)) alwaysDecoded |= bit;
      for (const name of [...Object.keys(input.parameters), ...(input.hidden ?? [])]) bits.set(name, bit);
    }
    this.#alwaysDecoded = alwaysDecoded;
    this.#absentValues = Object.fromEntries(
      this.#inputs.map(({ absent }, index) => [this.#names[index], absent]),
    );
    // Each belongs to an input or is common, and so has a bit.
    this.known = new ParameterNames([...Object.keys(this.parameters), ...hidden], name => bits.get(name)!);
  }

  /** Whether a query has any of the common parameters. */
  hasCommon(query: Query): boolean {
    return (query.bits & COMMON) !== 0;
  }

  /** What each input selects in a query. Throws ServiceError for ambiguous parameters. */
  select(query: Query): readonly unknown[] {
    const inputs = this.#inputs;
    const supplied = query.bits | this.#alwaysDecoded;
    const selected: unknown[] = [];
    for (let index = 0; index < inputs.length; index++) {
      selected.push((supplied >> index) & 1 ? inputs[index]!.select?.(query) : ABSENT);
    }
    return selected;
  }

  /** Data that {@link decode} needs and that is not loaded yet; once it is, more may be needed. */
  pendingData(selected: readonly unknown[], snapshot: Snapshot): LazyData<unknown> | undefined {
    const inputs = this.#inputs;
    for (let index = 0; index < inputs.length; index++) {
      if (selected[index] === ABSENT) continue;
      const pending = inputs[index]!.pending?.(selected[index], snapshot);
      if (pending !== undefined) return pending;
    }
    return undefined;
  }

  /** Decodes a query into values by name; returns a promise if that takes long. Throws ServiceError. */
  decode(query: Query, selected: readonly unknown[], context: DecodeContext): unknown {
    return this.#decodeFrom(0, { ...this.#absentValues }, query, selected, context);
  }

  /** Decodes the inputs from an index on, one after another, so that the first error is the one reported. */
  #decodeFrom(
    first: number,
    values: Record<string, unknown>,
    query: Query,
    selected: readonly unknown[],
    context: DecodeContext,
  ): unknown {
    const inputs = this.#inputs;
    for (let index = first; index < inputs.length; index++) {
      const choice = selected[index];
      if (choice === ABSENT) continue;
      const value = inputs[index]!.decode(query, context, choice);
      if (value instanceof Promise) return this.#decodeAfter(value, index, values, query, selected, context);
      values[this.#names[index]!] = value;
    }
    return values;
  }

  async #decodeAfter(
    value: Promise<unknown>,
    index: number,
    values: Record<string, unknown>,
    query: Query,
    selected: readonly unknown[],
    context: DecodeContext,
  ): Promise<unknown> {
    values[this.#names[index]!] = await value;
    return this.#decodeFrom(index + 1, values, query, selected, context);
  }
}

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
 * Handles requests to an endpoint that is no route, and has none or a few parameters of its own. As on routes, `nonce` and `strict`
 * are checked, and the response names the parameters that were ignored.
 */
export function withCheckedQuery(
  handle: (exchange: Exchange, query: Query) => Response | Promise<Response>,
  ownNames: readonly string[] = [],
): Handler {
  const known = new ParameterNames([...ownNames, ...Object.keys(QUERY_PARAMETERS)]);
  return exchange => {
    const query = parseQuery(exchange.request.url, known);
    exchange.query = query;
    rejectUnknown(query, known);
    rejectInvalidCommon(query);
    return chain(handle(exchange, query), withIgnoredNames, query);
  };
}

function withIgnoredNames(response: Response, { ignored }: Query): Response {
  nameIgnoredParameters(response.headers, ignored);
  return response;
}
