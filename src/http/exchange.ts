import type { AccessDecision } from '../access/authorise.ts';
import { callerAddress, type Peer } from '../places/caller_address.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { Query } from './query.ts';
import type { Server, Snapshot } from './snapshot.ts';

/** Returns the remote end of a request's connection. */
export type PeerOf = (request: Request) => Peer;

/** A request on its way through the pipeline, with what the stages have learned about it. */
export class Exchange {
  readonly startedNs = Bun.nanoseconds();
  readonly request: Request;
  readonly requestId: string;
  readonly snapshot: Snapshot;
  private readonly peerOf: PeerOf;
  /** The outcome of authentication; undefined on an open server. */
  admission: AccessDecision | undefined = undefined;
  /** The parsed query, once the route has parsed it. */
  query: Query | undefined = undefined;

  constructor(request: Request, server: Server, peerOf: PeerOf) {
    this.request = request;
    this.requestId = requestIdOf(request);
    this.snapshot = server.snapshot();
    this.peerOf = peerOf;
  }

  /** The remote end of the connection, whatever headers say. */
  get peer(): Peer {
    return this.peerOf(this.request);
  }

  /** The client's address, as far as connection and trusted proxies tell. */
  clientAddress(): IpAddress | undefined {
    return callerAddress(this.peer, this.request.headers, this.snapshot.callerTrust);
  }
}

/** Responds to a request. It may throw: `handleErrors` turns exceptions into responses. */
export type Handler = (exchange: Exchange) => Response | Promise<Response>;

/** Something that the server serves under a path. */
export interface Endpoint {
  /** The path, which is also its label in metrics and logs. */
  readonly path: string;
  /** Whether clients of a server with API keys need one. */
  readonly access: 'guarded' | 'public';
  /** Whether scripts of every origin may read it, whatever `--cors-origin` says. */
  readonly isOpenToAllOrigins?: boolean;
  /** Whether errors are signed where a request has `sign=true`; absent for never. */
  readonly isSignable?: (request: Request) => boolean;
  readonly handle: Handler;
}

/** A stage of the pipeline: wraps the stages after it. */
export type Middleware = (next: Handler, endpoint: Endpoint, server: Server) => Handler;

/**
 * Applies `next` to what an exchange resulted in so far, or to what a promise of it resolves to. Synchronous results cost no
 * microtask, and as `next` receives the exchange, no closure for each request.
 */
export function chain<Result, Next>(
  result: Result | Promise<Result>,
  next: (result: Result, exchange: Exchange) => Next | Promise<Next>,
  exchange: Exchange,
): Next | Promise<Next> {
  return result instanceof Promise ? result.then(value => next(value, exchange)) : next(result, exchange);
}

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's `X-Request-Id` where it is safe in a header and a log, else a new UUID. */
function requestIdOf({ headers }: Request): string {
  const given = headers.get('X-Request-Id');
  return given !== null && ACCEPTED_ID.test(given) ? given : crypto.randomUUID();
}

/** Whether a request has one of the methods that endpoints respond to. */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * The path and query of a request's URL, as signatures cover them. `new URL` would throw for some that Bun passes on:
 * the target of `CONNECT` has no scheme, and `Host: [::1` results in `http://[::1/`.
 */
export function originFormOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + '://'.length);
  return start === -1 ? url : url.slice(start);
}

/** The path of a request's URL. */
export function pathnameOf(url: string): string {
  const path = originFormOf(url);
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}
