import type { Static, TSchema } from '@sinclair/typebox';
import type { Json } from '../common/json.ts';
import type { ErrorCode } from '../common/service_error.ts';
import { ANY_LENGTH, lengthsOf, ParameterNames, type Query } from '../http/query.ts';
import type { Snapshot } from '../http/snapshot.ts';
import type { CommonDetails } from '../operations/details.ts';
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
}

/** What a handler has besides the values of its parameters. */
export interface HandlerContext {
  readonly snapshot: Snapshot;
  readonly signing: SigningKeys;
  /** The present, one instant for the whole response, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
  readonly requestId: string;
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
}

/** A route that responds with JSON: the handler returns the JSON of what the schema describes. */
interface JsonDeclaration<Declared extends Inputs, Payload extends TSchema> extends Declaration<Declared> {
  readonly payload: Payload;
  /** Accessible without credentials, to scripts of every origin, and never signed. */
  readonly isPublic?: true;
  /** `Cache-Control`, in place of `no-store`. */
  readonly cacheControl?: string;
  /** Error codes of this route besides the common ones. */
  readonly errors?: readonly ErrorCode[];
  handle(
    values: Values<Declared>,
    context: HandlerContext,
  ): Json<Static<Payload>> | Promise<Json<Static<Payload>>>;
}

/** A route that responds with a fragment of HTML, which is never signed; its errors are JSON. */
interface HtmlDeclaration<Declared extends Inputs> extends Declaration<Declared> {
  handle(values: Values<Declared>, context: HandlerContext): string | Promise<string>;
}

/** A route as the rest of the server sees it. */
export interface Route {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly [Example, ...Example[]];
  /** The schema of the payload; null for HTML. */
  readonly payload: TSchema | null;
  readonly isPublic: boolean;
  readonly cacheControl: string;
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
  /** Decodes a query into the values for {@link respond}. Throws ServiceError. */
  decode(query: Query, selected: readonly unknown[], context: DecodeContext): unknown;
  /** Computes the body of the response. */
  respond(values: unknown, context: HandlerContext): string | Promise<string>;
}

/** Defines a route that responds with JSON. The compiler holds handler, parameters and payload together. */
export function jsonRoute<Declared extends Inputs, Payload extends TSchema>(
  declaration: JsonDeclaration<Declared, Payload>,
): Route {
  const { payload, isPublic = false, cacheControl = 'no-store', errors = [] } = declaration;
  const { sign, details, strict } = COMMON_PARAMETERS;
  const common = isPublic ? { details, strict } : { sign, details, strict };
  const erased = erase(declaration, common, { tzdata: release });
  return { ...erased, payload, isPublic, cacheControl, errors };
}

/** Defines a route that responds with HTML. */
export function htmlRoute<Declared extends Inputs>(declaration: HtmlDeclaration<Declared>): Route {
  const common = { strict: COMMON_PARAMETERS.strict };
  return {
    ...erase(declaration, common),
    payload: null,
    isPublic: false,
    cacheControl: 'no-store',
    errors: [],
  };
}

/** In place of what an input selects: the query has none of its parameters, so that its value is known. */
const ABSENT = Symbol('absent');

/** What only routes have that take a place, or one as a hint. */
const LATITUDE = /(^|_)lat$/;

type Erased = Omit<Route, 'payload' | 'isPublic' | 'cacheControl' | 'errors'>;

function erase<Declared extends Inputs>(
  declaration: HtmlDeclaration<Declared>,
  common: Readonly<Record<string, ParameterSchema>>,
  ofPlaces: Inputs = {},
): Erased {
  const { path, summary, description, examples } = declaration;
  const takesPlaces = Object.values(inputsOf(declaration.parameters)).some(({ parameters }) =>
    Object.keys(parameters).some(name => LATITUDE.test(name)),
  );
  const byName = inputsOf({ ...declaration.parameters, ...(takesPlaces ? ofPlaces : {}) });
  const names = Object.keys(byName);
  const inputs = Object.values(byName);
  const lengths = inputs.map(input =>
    'absent' in input ? lengthsOf([...Object.keys(input.parameters), ...(input.hidden ?? [])]) : ANY_LENGTH,
  );
  const parameters = uniqueParameters([...inputs.map(input => input.parameters), common], path);
  return {
    path,
    summary,
    description,
    examples,
    parameters,
    required: inputs.flatMap(({ required }) => required ?? []),
    known: new ParameterNames([...Object.keys(parameters), ...inputs.flatMap(({ hidden }) => hidden ?? [])]),
    select(query) {
      const selected: unknown[] = [];
      for (let index = 0; index < inputs.length; index++) {
        const isAbsent = !query.mayHaveAny(lengths[index]!);
        selected.push(isAbsent ? ABSENT : inputs[index]!.select?.(query));
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
    decode(query, selected, context) {
      const values: Record<string, unknown> = {};
      for (let index = 0; index < inputs.length; index++) {
        const input = inputs[index]!;
        const choice = selected[index];
        values[names[index]!] = choice === ABSENT ? input.absent : input.decode(query, context, choice);
      }
      return values;
    },
    // The one place where types are erased: each value comes from the input that the route declares under its name.
    respond: (values, context) => declaration.handle(values as Values<Declared>, context),
  };
}

function inputsOf(declared: Inputs): Readonly<Record<string, Input<unknown>>> {
  return Object.fromEntries(Object.entries(declared).map(([name, make]) => [name, make(name)]));
}

/** The parameters of all inputs; no two of them may have the same name. */
function uniqueParameters(
  groups: readonly Readonly<Record<string, ParameterSchema>>[],
  path: string,
): Readonly<Record<string, ParameterSchema>> {
  const entries = groups.flatMap(group => Object.entries(group));
  const parameters = Object.fromEntries(entries);
  if (Object.keys(parameters).length < entries.length) throw new Error(`${path} declares a parameter twice`);
  return parameters;
}
