import type { TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../common/service_error.ts';
import type { Query } from '../http/query.ts';
import type { Services } from '../http/services.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { Answer } from './answer.ts';

/** Finds out where a request comes from. */
export type Caller = () => IpAddress | undefined;

/** What a route reads the parameters of a query from. */
export interface RouteInput {
  readonly query: Query;
  /** Where the request comes from, undefined where that cannot be known. An answer that used it is not kept for others. */
  readonly caller: Caller;
  readonly services: Services;
}

/** A request worth showing. The API description and the pages show it with its answer, and the tests ask it. */
export interface Example {
  /** What it shows, in a few words. */
  readonly title: string;
  /** What stands behind the `?`: readable, with percent-escapes only where they must be. */
  readonly query: string;
}

/** A route that answers GET and HEAD. The API description and the pages are made of what it says of itself. */
interface BaseRoute {
  readonly path: string;
  /** One line without a period. */
  readonly summary: string;
  /** What a caller should know besides, in sentences with `code` in backticks. */
  readonly description: string;
  /** Its parameters, in the order in which faults in them are told. Others are ignored, and named in a header. */
  readonly query: TObject;
  /** The first is answered with 200; one that fails shows an error. */
  readonly examples: readonly [Example, ...Example[]];
  /** Answered to everybody, and never signed. */
  readonly isPublic?: true;
  /** Error codes that this route has beside the common ones. */
  readonly errors?: readonly ErrorCode[];
  /** Loads code that its answers need, so that the first request does not wait for it. */
  readonly load?: () => Promise<void>;
}

/** A route that answers with JSON. */
export interface JsonRoute<Prepared = Answer> extends BaseRoute {
  readonly kind?: 'json';
  readonly answer: TSchema;
  /** Reads all parameters, and tells what is wrong with them; what it yields answers every request for this query. */
  prepare(input: RouteInput): Prepared;
}

/** A route that answers with a piece of HTML, which is never signed; its errors are JSON. */
export interface HtmlRoute extends BaseRoute {
  readonly kind: 'html';
  /** Flags of other routes that are refused where they are on; they are not described as parameters. */
  readonly refusedFlags: readonly string[];
  prepare(input: RouteInput): Answer;
}

/** A route that `createResponder` answers. */
export type Route = JsonRoute | HtmlRoute;

/** A route as the API description and the pages show it; the public keys are looked up for each request. */
export type DescribedRoute = Route | JsonRoute<Promise<Answer>>;

/** The names of the parameters that a route reads. */
export function parameterNames(route: DescribedRoute): Set<string> {
  const flags = route.kind === 'html' ? route.refusedFlags : [];
  return new Set([...Object.keys(route.query.properties), ...flags]);
}
