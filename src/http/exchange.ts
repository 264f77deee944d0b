import type { AccessDecision } from '../access/authorise.ts';
import type { ServiceError } from '../common/errors.ts';
import type { DataSets } from '../operations/served_data.ts';
import { callerAddress, isTrustedProxy, type Peer, peerAddress } from '../places/caller_address.ts';
import { type IpAddress, isLoopback } from '../places/ip_address.ts';
import type { RouteGroup } from './address_limits.ts';
import { hostOf, isLoopbackHost } from './host.ts';
import type { Query } from './query.ts';
import type { Server, Snapshot } from './snapshot.ts';

/** Returns the remote end of a request's connection. */
export type PeerOf = (request: Request) => Peer;

/** A request in the pipeline, with the state that its stages add. */
export class Exchange {
  readonly startedNs = Bun.nanoseconds();
  readonly request: Request;
  readonly requestId: string;
  readonly snapshot: Snapshot;
  /** The current time, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  readonly #peerOf: PeerOf;
  #targetHash: number | undefined;
  /** The outcome of authentication; undefined on an open server. */
  admission: AccessDecision | undefined = undefined;
  /** The parsed query, once the route has parsed it. */
  query: Query | undefined = undefined;
  /** The data sets that the query reads, and the snapshot that they are in; none until it has been parsed. */
  data: DataSets = 0;
  dataSource: Snapshot;
  /** Whether the request does not count against the quota, regardless of its status. */
  isFree = false;
  /** The number of requests that it was charged as. */
  charged = 1;
  /** The number of those that do not count even if the response does, such as failed items of a batch. */
  uncounted = 0;

  constructor(request: Request, server: Server, peerOf: PeerOf) {
    this.request = request;
    this.requestId = requestIdOf(request);
    this.snapshot = server.snapshot();
    this.dataSource = this.snapshot;
    this.now = server.now;
    this.#peerOf = peerOf;
  }

  /** 31 bits of a hash of the path and query as received; the same on all machines. */
  get targetHash(): number {
    this.#targetHash ??= hash32(this.request.url, pathStartOf(this.request.url)) >>> 1;
    return this.#targetHash;
  }

  /** The remote end of the connection, regardless of headers. */
  get peer(): Peer {
    return this.#peerOf(this.request);
  }

  /**
   * Whether the request comes directly from this machine, according to its connection, rather than through a proxy. A proxy that
   * is not configured as trusted is recognised by the `Host` that it forwards.
   */
  get isLocal(): boolean {
    const { peer } = this;
    const isLocalPeer = isLoopback(peerAddress(peer)) && !isTrustedProxy(peer, this.snapshot.callerTrust);
    return isLocalPeer && isLoopbackHost(hostOf(this.request));
  }

  /** The client's address, according to the connection and trusted proxies. */
  clientAddress(): IpAddress | undefined {
    return callerAddress(this.peer, this.request.headers, this.snapshot.callerTrust);
  }
}

/**
 * A GET request within another request, with the same id and client, but none of the other headers. `server` can have a different
 * snapshot and current time.
 */
export class InnerExchange extends Exchange {
  readonly #outer: Exchange;

  constructor(target: string, outer: Exchange, server: Server) {
    const headers = { 'X-Request-Id': outer.requestId };
    super(new Request(`http://localhost${target}`, { headers }), server, () => outer.peer);
    this.#outer = outer;
  }

  override clientAddress(): IpAddress | undefined {
    return this.#outer.clientAddress();
  }
}

/** Responds to a request. It may throw: `handleErrors` converts exceptions into responses. */
export type Handler = (exchange: Exchange) => Response | Promise<Response>;

/** An error as it is sent. */
export interface ErrorContent {
  readonly contentType: string;
  readonly body: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Written = ErrorContent | Promise<ErrorContent>;

/** Writes an error for a client; undefined for JSON. */
export type ErrorWriter = (error: ServiceError, exchange: Exchange) => Written | undefined;

/** Writes errors as pages, for requests outside the API whose client prefers HTML. Such requests need no API key. */
export interface ErrorPages {
  readonly matches: (request: Request) => boolean;
  readonly write: (error: ServiceError, exchange: Exchange) => Written;
}

/** The methods that endpoints can support; OPTIONS is supported by all. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';

/** A path that the server serves, and its handler. */
export interface Endpoint {
  /**
   * The path, which is also its label in metrics and logs. A trailing `/*` matches every path below it, `:name` any single
   * segment.
   */
  readonly path: string;
  /** Absent for GET and HEAD. */
  readonly methods?: readonly Method[];
  /** Whether clients of a server with API keys need one. */
  readonly access: 'guarded' | 'public';
  /** The group with which it can be opened to clients without a key. */
  readonly group?: RouteGroup | undefined;
  /** Whether scripts from any origin may read it, regardless of `--cors-origin`. */
  readonly isOpenToAllOrigins?: boolean;
  /** Whether errors are signed if a request has `sign=true`; absent for never. */
  readonly isSignable?: (request: Request) => boolean;
  /** Writes errors in the endpoint's own format; absent or undefined for JSON. */
  readonly writeError?: ErrorWriter;
  readonly handle: Handler;
}

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's `X-Request-Id` if it is safe in headers and logs, otherwise a new UUID. */
function requestIdOf({ headers }: Request): string {
  const given = headers.get('X-Request-Id');
  return given !== null && ACCEPTED_ID.test(given) ? given : crypto.randomUUID();
}

/**
 * The path and query of a request's URL, as signatures cover them. `new URL` would throw for some URLs that Bun passes on:
 * the target of `CONNECT` has no scheme, and `Host: [::1` results in `http://[::1/`.
 */
export function originFormOf(url: string): string {
  return url.slice(pathStartOf(url));
}

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A 32-bit hash of a text from a position on: FNV-1a over its UTF-16 code units. Nothing is gained by a collision, and for a few
 * dozen characters it is faster than calling a native hash.
 */
export function hash32(text: string, start = 0): number {
  let hash = OFFSET_BASIS;
  for (let index = start; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  }
  return hash;
}

/** Where the path of a request's URL begins; 0 if it has none. */
function pathStartOf(url: string): number {
  const start = url.indexOf('/', url.indexOf('://') + '://'.length);
  return start === -1 ? 0 : start;
}

/** The path of a request's URL. */
export function pathnameOf(url: string): string {
  const path = originFormOf(url);
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}

/** The methods of an endpoint; the default ones without an endpoint. */
export function methodsOf(endpoint: Endpoint | undefined): readonly string[] {
  return [...(endpoint?.methods ?? ['GET', 'HEAD']), 'OPTIONS'];
}
