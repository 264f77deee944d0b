import type { Static, TSchema } from '@sinclair/typebox';
import { once } from '../common/caching.ts';
import type { ErrorCode } from '../common/errors.ts';
import type { Json } from '../common/json.ts';
import type { RouteGroup } from '../http/address_limits.ts';
import type { Lifetime } from '../http/response.ts';
import type { Snapshot } from '../http/snapshot.ts';
import type { CommonDetails } from '../operations/details.ts';
import { type DataSets, dataSets, type ServedData } from '../operations/served_data.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { COMMON_PARAMETERS, QUERY_PARAMETERS } from './common_parameters.ts';
import { InputSet, type Inputs, type ParameterSchema, type Values } from './inputs.ts';
import { release } from './parameters/releases.ts';

/** An example request. The API description and the pages show it with its response, and tests send it. */
interface Example {
  /** A title of a few words. */
  readonly title: string;
  /** The query string in readable form, with only the necessary percent-escapes. */
  readonly query: string;
  /** Whether it shows an error that depends on data not loaded for the description. */
  readonly fails?: true;
}

/** The part of a request that a handler receives besides the values of its parameters. */
export interface HandlerContext {
  readonly snapshot: Snapshot;
  readonly signing: SigningKeys;
  /** The current time, a single instant for the whole response, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
  readonly requestId: string;
  /** The URL at which clients reach this server, without a trailing slash: `--public-url`, or else that of the request. */
  readonly baseUrl: string;
  /** Path and query of the request. */
  readonly requestTarget: string;
  /** Returns the members common to all `details`; null without `details=true`. */
  readonly commonDetails: (() => CommonDetails) | null;
}

/** What every route declares, regardless of its content type. */
interface Declaration<Declared extends Inputs> {
  readonly path: string;
  /** One line without a period. */
  readonly summary: string;
  /** What else clients should know, in sentences with `code` in backticks. */
  readonly description: string;
  /** The inputs of the handler, in the order in which errors are reported. Unknown parameters are ignored. */
  readonly parameters: Declared;
  /** The first has status 200; a failing one shows an error. */
  readonly examples: readonly [Example, ...Example[]];
  /** How long a response stays the same; it determines what caches may do. */
  readonly lifetime: Lifetime | ((values: Values<Declared>) => Lifetime);
  /** The data sets that the handler reads, besides those read by its inputs. */
  readonly reads?: readonly (keyof ServedData)[];
  /** The group with which an operator can open the route to clients without a key. */
  readonly group?: RouteGroup | undefined;
}

/** A route that responds with JSON: the handler returns JSON that matches the schema. */
interface JsonDeclaration<Declared extends Inputs, Payload extends TSchema> extends Declaration<Declared> {
  readonly payload: Payload;
  /** Accessible without credentials and to scripts from any origin, and never signed. */
  readonly isPublic?: true;
  /** `Cache-Control` of responses whose lifetime is a moment, instead of `no-store`. */
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
  /** Its errors are plain messages instead of JSON. */
  readonly hasTextErrors?: true;
}

/** A route as the rest of the server sees it. */
export interface Route
  extends Pick<Declaration<Inputs>, 'path' | 'summary' | 'description' | 'examples' | 'group'> {
  /** The schema of the payload; null if it is not JSON. */
  readonly payload: TSchema | null;
  readonly contentType: string;
  readonly hasTextErrors: boolean;
  /** Whether it is markup that browsers open as a document. */
  readonly isMarkup: boolean;
  readonly isPublic: boolean;
  /** The `Cache-Control` of responses whose lifetime is a moment. */
  readonly cacheControl: string;
  /** The data sets that {@link bodyOf} reads. */
  readonly reads: DataSets;
  readonly errors: readonly ErrorCode[];
  /** Its parameters, and how they decode a query into the values for {@link bodyOf}. */
  readonly inputs: InputSet;
  /** How long the response stays the same. */
  lifetimeOf(values: unknown): Lifetime;
  /** Whether the lifetime of all responses is a moment. */
  readonly isMomentary: boolean;
  /** Computes the body of the response from the values of its inputs. */
  bodyOf(values: unknown, context: HandlerContext): string | Promise<string>;
}

/** Defines a route that responds with JSON. The compiler checks that handler, parameters and payload match. */
export function jsonRoute<Declared extends Inputs, Payload extends TSchema>(
  declaration: JsonDeclaration<Declared, Payload>,
): Route {
  const { payload, isPublic, cacheControl, errors } = declaration;
  const { details } = COMMON_PARAMETERS;
  const common = isPublic ? { ...QUERY_PARAMETERS, details } : COMMON_PARAMETERS;
  const content = { contentType: 'application/json', payload, isPublic, cacheControl, errors };
  return routeOf(declaration, common, content, { tzdata: release });
}

/** Defines a route that responds with markup. */
export function markupRoute<Declared extends Inputs>(declaration: MarkupDeclaration<Declared>): Route {
  const { contentType = 'text/html; charset=utf-8' } = declaration;
  return routeOf(declaration, QUERY_PARAMETERS, { contentType, isMarkup: true });
}

/** Defines a route that responds with text. */
export function textRoute<Declared extends Inputs>(declaration: TextDeclaration<Declared>): Route {
  const { contentType, hasTextErrors } = declaration;
  const { details: _, ...common } = COMMON_PARAMETERS;
  return routeOf(declaration, common, { contentType, hasTextErrors }, { tzdata: release });
}

/** What distinguishes the content of routes, with defaults. */
type Content = Pick<Route, 'contentType'> & {
  readonly [Member in 'payload' | 'hasTextErrors' | 'isMarkup' | 'isPublic' | 'cacheControl' | 'errors']?:
    | Route[Member]
    | undefined;
};

/** Creates the route of a declaration. Its inputs are created on first use: startup needs none of the three hundred. */
function routeOf<Declared extends Inputs>(
  declaration: MarkupDeclaration<Declared>,
  common: Readonly<Record<string, ParameterSchema>>,
  { payload = null, hasTextErrors = false, isMarkup = false, isPublic = false, ...content }: Content,
  ofZones: Inputs = {},
): Route {
  const { parameters, lifetime, handle, reads = [], ...documented } = declaration;
  const { contentType, cacheControl = 'no-store', errors = [] } = content;
  const inputs = once(() => new InputSet(declaration.path, parameters, common, ofZones));
  return {
    ...documented,
    payload,
    contentType,
    hasTextErrors,
    isMarkup,
    isPublic,
    cacheControl,
    errors,
    reads: dataSets(...reads),
    isMomentary: lifetime === 'moment',
    get inputs() {
      return inputs();
    },
    // Types are erased: each value comes from the input that the route declares under its name.
    lifetimeOf: values => (typeof lifetime === 'string' ? lifetime : lifetime(values as Values<Declared>)),
    bodyOf: (values, context) => handle(values as Values<Declared>, context),
  };
}
