import type { Static, TSchema } from '@sinclair/typebox';
import type { Json } from '../common/json.ts';
import { type ErrorCode, quoted } from '../common/service_error.ts';
import type { Lifetime } from '../http/freshness.ts';
import type { RouteGroup } from '../http/public_routes.ts';
import { ParameterNames, type Query } from '../http/query.ts';
import type { ServedData, Snapshot } from '../http/snapshot.ts';
import type { CommonDetails } from '../operations/details.ts';
import type { Instant } from '../operations/instant.ts';
import type { LazyData } from '../places/lazy_data.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { COMMON_PARAMETERS } from './parameters/common.ts';
import type { DecodeContext, Input, Inputs, ParameterSchema, Values } from './parameters/input.ts';
import { release } from './parameters/releases.ts';

/** A request that shows a route. The API description and the pages show it with its response, and tests send it. */
export interface Example {
  /** What it shows, in a few words. */
  readonly title: string;
  /** The query string, readable: with percent-escapes only where they are necessary. */
  readonly query: string;
  /** Whether it shows an error that data decides which is not loaded for the description. */
  readonly fails?: true;
}

/** What a handler has besides the values of its parameters. */
export interface HandlerContext {
  readonly snapshot: Snapshot;
  readonly signing: SigningKeys;
  /** The present, one instant for the whole response, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
  readonly requestId: string;
  /** The URL that clients reach this server by, without a slash at its end: `--public-url`, or else that of the request. */
  readonly baseUrl: string;
  /** Path and query of the request. */
  readonly requestTarget: string;
  /** Returns what every `details` has; null without `details=true`. */
  readonly commonDetails: (() => CommonDetails) | null;
}

/** What a route declares, whatever it responds with. */
interface Declaration<Declared extends Inputs> {
  readonly path: string;
  /** One line without a period. */
  readonly summary: string;
  /** What a client should know besides, in sentences with `code` in backticks. */
  readonly description: string;
  /** What the handler receives. The order is that in which errors are reported; unknown parameters are ignored. */
  readonly parameters: Declared;
  /** The first has status 200; a failing one shows an error. */
  readonly examples: readonly [Example, ...Example[]];
  /** How long a response stays the same; it decides what caches may do. */
  readonly lifetime: Lifetime | ((values: Values<Declared>) => Lifetime);
  /** The data sets that the handler reads, besides those that its inputs have read. */
  readonly reads?: readonly (keyof ServedData)[];
  /** Where an operator can open the route without opening the others. */
  readonly group?: RouteGroup;
}

/** A route that responds with JSON: the handler returns the JSON of what the schema describes. */
interface JsonDeclaration<Declared extends Inputs, Payload extends TSchema> extends Declaration<Declared> {
  readonly payload: Payload;
  /** Accessible without credentials, to scripts of every origin, and never signed. */
  readonly isPublic?: true;
  /** `Cache-Control` of responses whose lifetime is a moment, in place of `no-store`. */
  readonly cacheControl?: string;
  /** Error codes of this route besides the common ones. */
  readonly errors?: readonly ErrorCode[];
  handle(
    values: Values<Declared>,
    context: HandlerContext,
  ): Json<Static<Payload>> | Promise<Json<Static<Payload>>>;
}

/** A route that responds with markup, which is never signed; its errors are JSON. */
interface MarkupDeclaration<Declared extends Inputs> extends Declaration<Declared> {
  /** HTML by default. */
  readonly contentType?: string;
  handle(values: Values<Declared>, context: HandlerContext): string | Promise<string>;
}

/** A route that responds with text, such as a table or a calendar. */
interface TextDeclaration<Declared extends Inputs> extends MarkupDeclaration<Declared> {
  readonly contentType: string;
  /** Its errors are their messages, in place of JSON. */
  readonly hasTextErrors?: true;
}

/** A route as the rest of the server sees it. */
export interface Route {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly [Example, ...Example[]];
  /** The schema of the payload; null where it is not JSON. */
  readonly payload: TSchema | null;
  readonly contentType: string;
  readonly hasTextErrors: boolean;
  /** Whether it is markup that browsers open as a document. */
  readonly isMarkup: boolean;
  readonly isPublic: boolean;
  readonly group: RouteGroup | undefined;
  /** Of responses whose lifetime is a moment. */
  readonly cacheControl: string;
  readonly reads: readonly (keyof ServedData)[];
  readonly errors: readonly ErrorCode[];
  /** The documented parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
  /** The names of all parameters that are not ignored. */
  readonly known: ParameterNames;
  /** What each input selects in a query, {@link ABSENT} for nothing at all. Throws ServiceError for ambiguous parameters. */
  select(query: Query): readonly unknown[];
  /** Data that {@link decode} needs and that are not loaded yet; after they are, it can return others. */
  pendingData(selected: readonly unknown[], snapshot: Snapshot): LazyData<unknown> | undefined;
  /** Decodes a query into the values for {@link respond}, a promise of them where that takes long. Throws ServiceError. */
  decode(query: Query, selected: readonly unknown[], context: DecodeContext): unknown;
  /** How long the response stays the same. */
  lifetimeOf(values: unknown): Lifetime;
  /** Whether no response outlives its moment. */
  readonly isMomentary: boolean;
  /** Computes the body of the response. */
  respond(values: unknown, context: HandlerContext): string | Promise<string>;
}

/** Defines a route that responds with JSON. The compiler holds handler, parameters and payload together. */
export function jsonRoute<Declared extends Inputs, Payload extends TSchema>(
  declaration: JsonDeclaration<Declared, Payload>,
): Route {
  const { payload, isPublic = false, cacheControl = 'no-store', errors = [] } = declaration;
  const { nonce, details, strict } = COMMON_PARAMETERS;
  const common = isPublic ? { nonce, details, strict } : COMMON_PARAMETERS;
  const erased = erase(declaration, common, { tzdata: release });
  return { ...erased, ...JSON_CONTENT, payload, isPublic, cacheControl, errors };
}

const JSON_CONTENT = { contentType: 'application/json', hasTextErrors: false, isMarkup: false };

/** What routes without a payload have in common. */
const UNTYPED = {
  payload: null,
  isPublic: false,
  isMarkup: false,
  cacheControl: 'no-store',
  errors: [],
} as const;

/** Defines a route that responds with markup. */
export function markupRoute<Declared extends Inputs>(declaration: MarkupDeclaration<Declared>): Route {
  const { contentType = HTML_TYPE } = declaration;
  const { nonce, strict } = COMMON_PARAMETERS;
  const content = { contentType, hasTextErrors: false, isMarkup: true };
  return { ...erase(declaration, { nonce, strict }), ...UNTYPED, ...content };
}

/** Defines a route that responds with text. */
export function textRoute<Declared extends Inputs>(declaration: TextDeclaration<Declared>): Route {
  const { contentType, hasTextErrors = false } = declaration;
  const { details: _, ...common } = COMMON_PARAMETERS;
  return {
    ...erase(declaration, common, { tzdata: release }),
    ...UNTYPED,
    contentType,
    hasTextErrors,
  };
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** In place of what an input selects: the query has none of its parameters, so that its value is known. */
const ABSENT = Symbol('absent');

/** The lifetime of what is computed for the present without a timestamp. */
export function ofTimestamp({ instant }: { readonly instant: Instant | null }): Lifetime {
  return instant === null ? 'moment' : 'fixed';
}

/** Whether an input is a place, or has one as a hint: only those have a latitude. */
function takesPlaces(inputs: Readonly<Record<string, Input<unknown>>>): boolean {
  for (const name in inputs) {
    for (const parameter in inputs[name]!.parameters)
      if (parameter === 'lat' || parameter.endsWith('_lat')) return true;
  }
  return false;
}

type Erased = Omit<Route, keyof typeof UNTYPED | keyof typeof JSON_CONTENT>;

function erase<Declared extends Inputs>(
  declaration: MarkupDeclaration<Declared>,
  common: Readonly<Record<string, ParameterSchema>>,
  ofPlaces: Inputs = {},
): Erased {
  const { path, summary, description, examples, group, lifetime, reads = [] } = declaration;
  const declared = inputsOf(declaration.parameters);
  const byName = { ...declared, ...(takesPlaces(declared) ? inputsOf(ofPlaces) : {}) };
  const names = Object.keys(byName);
  const inputs = Object.values(byName);
  const parameters: Record<string, ParameterSchema> = {};
  // A bit for each input; above 32 inputs two share one, which costs time alone.
  const bitsByName = new Map<string, number>();
  let withoutAbsent = 0; // the bits of inputs that are decoded for every query
  // One loop instead of a callback for each list: with 32 routes, callbacks are what a start compiles.
  for (const [index, input] of inputs.entries()) {
    const bit = 1 << index;
    if (!('absent' in input)) withoutAbsent |= bit;
    addParameters(parameters, input.parameters, path);
    for (const name in input.parameters) bitsByName.set(name, bit);
    for (const name of input.hidden ?? []) bitsByName.set(name, bit);
  }
  addParameters(parameters, common, path);

  /** Adds the values of the inputs from an index on, one after another: the first error is that of the response. */
  function decodeFrom(
    first: number,
    values: Record<string, unknown>,
    query: Query,
    selected: readonly unknown[],
    context: DecodeContext,
  ): unknown {
    for (let index = first; index < inputs.length; index++) {
      const input = inputs[index]!;
      const choice = selected[index];
      const value = choice === ABSENT ? input.absent : input.decode(query, context, choice);
      if (value instanceof Promise) return decodeAfter(value, index, values, query, selected, context);
      values[names[index]!] = value;
    }
    return values;
  }

  async function decodeAfter(
    value: Promise<unknown>,
    index: number,
    values: Record<string, unknown>,
    query: Query,
    selected: readonly unknown[],
    context: DecodeContext,
  ): Promise<unknown> {
    values[names[index]!] = await value;
    return decodeFrom(index + 1, values, query, selected, context);
  }

  return {
    path,
    summary,
    description,
    examples,
    group,
    parameters,
    reads,
    isMomentary: lifetime === 'moment',
    required: inputs.flatMap(({ required }) => required ?? []),
    known: new ParameterNames([...new Set([...Object.keys(parameters), ...bitsByName.keys()])]),
    select(query) {
      let supplied = withoutAbsent;
      for (const name of query.names) supplied |= bitsByName.get(name) ?? 0;
      const selected: unknown[] = [];
      for (let index = 0; index < inputs.length; index++) {
        selected.push((supplied >> index) & 1 ? inputs[index]!.select?.(query) : ABSENT);
      }
      return selected;
    },
    pendingData(selected, snapshot) {
      for (let index = 0; index < inputs.length; index++) {
        if (selected[index] === ABSENT) continue;
        const pending = inputs[index]!.pending?.(selected[index], snapshot);
        if (pending !== undefined) return pending;
      }
      return undefined;
    },
    decode: (query, selected, context) => decodeFrom(0, {}, query, selected, context),
    // The one place where types are erased: each value comes from the input that the route declares under its name.
    lifetimeOf: values => (typeof lifetime === 'string' ? lifetime : lifetime(values as Values<Declared>)),
    respond: (values, context) => declaration.handle(values as Values<Declared>, context),
  };
}

function inputsOf(declared: Inputs): Readonly<Record<string, Input<unknown>>> {
  return Object.fromEntries(Object.entries(declared).map(([name, make]) => [name, make(name)]));
}

/** Adds parameters; no two of a route may have the same name. */
function addParameters(
  all: Record<string, ParameterSchema>,
  added: Readonly<Record<string, ParameterSchema>>,
  path: string,
): void {
  for (const name in added) {
    if (name in all) throw new Error(`${path} declares ${quoted(name)} twice`);
    all[name] = added[name]!;
  }
}
