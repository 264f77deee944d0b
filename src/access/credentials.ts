import { ServiceError } from '../common/service_error.ts';

/** Where request headers are read: a `Headers` or anything alike. Names are case-insensitive. */
export interface HeaderSource {
  get(name: string): string | null;
}

/** How a marketplace proxy says who asks: two headers that stand together. */
export interface MarketplaceHeaders {
  readonly keyHeader: string;
  readonly hostHeader: string;
  /** The value that the host header must have. */
  readonly host: string;
}

/** A key that a request carries, and whether it came as a marketplace's subscription key. */
export interface Credential {
  readonly key: string;
  readonly marketplace: boolean;
}

/**
 * The one credential of a request: `Authorization: Bearer <key>` (RFC 6750 §2.1), `X-API-Key: <key>`, or the
 * marketplace pair. Throws UNAUTHORIZED where there is none, INVALID_AUTH where it is incomplete, unreadable or
 * contradicts another.
 */
export function readCredential(headers: HeaderSource, marketplace?: MarketplaceHeaders): Credential {
  const direct = readDirect(headers);
  const subscription = marketplace && readSubscription(headers, marketplace);
  if (direct !== undefined && subscription !== undefined) {
    throw invalid('The request carries an API key and marketplace credentials: send one of them');
  }
  if (subscription !== undefined) return { key: subscription, marketplace: true };
  if (direct !== undefined) return { key: direct, marketplace: false };
  throw new ServiceError(
    'UNAUTHORIZED',
    "An API key is wanted: send 'Authorization: Bearer <key>' or 'X-API-Key: <key>'",
  );
}

function readDirect(headers: HeaderSource): string | undefined {
  const authorization = headers.get('authorization');
  const apiKey = headers.get('x-api-key') || undefined;
  if (!authorization) return apiKey;
  const bearer = readBearer(authorization);
  if (apiKey !== undefined && apiKey !== bearer) {
    throw invalid("'Authorization' and 'X-API-Key' hold different keys: send one of them");
  }
  return bearer;
}

function readBearer(authorization: string): string {
  // The scheme is case-insensitive, and one or more spaces follow it: RFC 9110 §11.1 and §11.4.
  if (authorization.startsWith('Bearer ') || authorization.slice(0, 7).toLowerCase() === 'bearer ') {
    let start = 7;
    while (authorization[start] === ' ') start += 1;
    if (start < authorization.length) return authorization.slice(start);
  }
  throw invalid("Cannot read 'Authorization': it is not 'Bearer <key>'");
}

function readSubscription(headers: HeaderSource, marketplace: MarketplaceHeaders): string | undefined {
  const key = headers.get(marketplace.keyHeader) || undefined;
  const host = headers.get(marketplace.hostHeader) || undefined;
  if (key === undefined && host === undefined) return undefined;
  const { keyHeader, hostHeader } = marketplace;
  if (key === undefined) throw invalid(`'${hostHeader}' came without '${keyHeader}': both are wanted`);
  if (host === undefined) throw invalid(`'${keyHeader}' came without '${hostHeader}': both are wanted`);
  if (host.toLowerCase() !== marketplace.host.toLowerCase()) {
    throw invalid(`The host in '${hostHeader}' is not the one of this service`);
  }
  return key;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_AUTH', message);
}
