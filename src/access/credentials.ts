import { ServiceError } from '../common/errors.ts';

/** Request headers, such as a `Headers` object. Names are case-insensitive. */
export interface HeaderSource {
  get(name: string): string | null;
}

/** The pair of headers by which a marketplace proxy identifies its subscriber. */
export interface MarketplaceHeaders {
  readonly keyHeader: string;
  readonly hostHeader: string;
  /** The required value of the host header. */
  readonly host: string;
}

/** The key in a request. */
export interface Credential {
  readonly key: string;
  /** Whether it came in the marketplace headers. */
  readonly isSubscription: boolean;
}

/**
 * The credential of a request: `Authorization: Bearer <key>` (RFC 6750 §2.1), `X-API-Key: <key>`, or the marketplace pair.
 * Several headers may carry the same key. Throws UNAUTHORIZED if there is none, INVALID_AUTH if one is incomplete, malformed
 * or contradicts another.
 */
export function readCredential(headers: HeaderSource, marketplace?: MarketplaceHeaders): Credential {
  const direct = readDirect(headers);
  const subscription = marketplace && readSubscription(headers, marketplace);
  if (direct !== undefined && subscription !== undefined && direct !== subscription) {
    throw invalid('The request carries an API key and another one for the marketplace: send only one');
  }
  if (subscription !== undefined) return { key: subscription, isSubscription: true };
  if (direct !== undefined) return { key: direct, isSubscription: false };
  throw new ServiceError(
    'UNAUTHORIZED',
    "An API key is required: send 'Authorization: Bearer <key>' or 'X-API-Key: <key>'",
  );
}

/** Whether a request carries no credential, not even a part of one. */
export function isAnonymous(headers: HeaderSource, marketplace?: MarketplaceHeaders): boolean {
  const names = [
    'authorization',
    'x-api-key',
    ...(marketplace ? [marketplace.keyHeader, marketplace.hostHeader] : []),
  ];
  return !names.some(name => headers.get(name));
}

function readDirect(headers: HeaderSource): string | undefined {
  const authorization = headers.get('authorization');
  const apiKey = headers.get('x-api-key') || undefined;
  if (!authorization) return apiKey;
  const bearer = readBearer(authorization);
  if (apiKey !== undefined && apiKey !== bearer) {
    throw invalid("'Authorization' and 'X-API-Key' have different keys: send only one");
  }
  return bearer;
}

function readBearer(authorization: string): string {
  // RFC 9110 §11.1, §11.4: the scheme is case-insensitive and followed by one or more spaces.
  if (authorization.startsWith('Bearer ') || authorization.slice(0, 7).toLowerCase() === 'bearer ') {
    let start = 7;
    while (authorization[start] === ' ') start += 1;
    if (start < authorization.length) return authorization.slice(start);
  }
  throw invalid("Cannot read 'Authorization': it is not 'Bearer <key>'");
}

function readSubscription(headers: HeaderSource, marketplace: MarketplaceHeaders): string | undefined {
  const { keyHeader, hostHeader } = marketplace;
  const key = headers.get(keyHeader);
  const host = headers.get(hostHeader);
  if (!key && !host) return undefined;
  if (!key) throw invalid(`'${hostHeader}' requires '${keyHeader}'`);
  if (!host) throw invalid(`'${keyHeader}' requires '${hostHeader}'`);
  if (host.toLowerCase() !== marketplace.host.toLowerCase()) {
    throw invalid(`The host in '${hostHeader}' is not that of this service`);
  }
  return key;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_AUTH', message);
}
