import type { TObject, TSchema } from '@sinclair/typebox';
import type { IpAddress } from '../places/ip_address.ts';
import type { Query } from './query.ts';
import type { Services } from './services.ts';

/** Finds out where a request comes from. */
export type Caller = () => IpAddress | undefined;

/** What a route's handler gets to see of a request. */
export interface RouteInput {
  readonly query: Query;
  /** The instant of the request, in milliseconds since the epoch: all of an answer shares it. */
  readonly nowMs: number;
  readonly requestId: string;
  /** Where the request comes from, undefined where that cannot be known. */
  readonly caller: Caller;
  readonly services: Services;
}

/** A route that answers GET and HEAD with JSON. */
export interface JsonRoute {
  readonly path: string;
  /** A line for the API description. */
  readonly summary: string;
  /** Its parameters, in the order in which faults in them are told. Others are ignored, and named in a header. */
  readonly query: TObject;
  readonly answer: TSchema;
  handle(input: RouteInput): unknown;
}
