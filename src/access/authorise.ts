import { ServiceError } from '../common/errors.ts';
import { utcText } from '../common/iso_text.ts';
import type { KnownKeys, MarketplaceHeaders } from './key_cache.ts';
import { isMistyped } from './key_format.ts';
import type { ApiKey } from './key_index.ts';
import type { Limiter, LimitStatus, Limits } from './limiter.ts';
import type { SharedLimiter } from './redis/shared_limiter.ts';

/** Request headers, such as a `Headers` object. Names are case-insensitive. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * The credential of a request: `Authorization: Bearer <key>` (RFC 6750 §2.1), `X-API-Key: <key>`, or the marketplace pair, which
 * makes it a subscription. Several headers may carry the same key. Throws UNAUTHORIZED if there is none, INVALID_AUTH if one is
 * incomplete, malformed or contradicts another.
 */
export function readCredential(headers: HeaderSource, marketplace?: MarketplaceHeaders) {
  const direct = readDirect(headers);
  const subscription = marketplace && readSubscription(headers, marketplace);
  if (direct !== undefined && subscription !== undefined && direct !== subscription)
    throw invalid('The request carries an API key and another one for the marketplace: send only one');
  if (subscription !== undefined) return { key: subscription, isSubscription: true };
  if (direct !== undefined) return { key: direct, isSubscription: false };
  throw new ServiceError(
    'UNAUTHORIZED',
    "An API key is required: send 'Authorization: Bearer <key>' or 'X-API-Key: <key>'",
  );
}

/** Whether a request carries no credential, not even a part of one. */
export function isAnonymous(headers: HeaderSource, marketplace?: MarketplaceHeaders): boolean {
  const pair = marketplace ? [marketplace.keyHeader, marketplace.hostHeader] : [];
  return !['authorization', 'x-api-key', ...pair].some(name => headers.get(name));
}

/** The value of a header; of several headers with the same value, that value (RFC 9110 §5.3 joins them with commas). */
function fieldValue(headers: HeaderSource, name: string): string | null {
  const value = headers.get(name);
  if (!value?.includes(',')) return value;
  const [first, ...others] = new Set(value.split(',').map(text => text.trim()));
  return others.length === 0 ? first || value : value;
}

function readDirect(headers: HeaderSource): string | undefined {
  const authorization = fieldValue(headers, 'authorization');
  const apiKey = fieldValue(headers, 'x-api-key') || undefined;
  if (!authorization) return apiKey;
  // RFC 9110 §11.1, §11.4: the scheme is case-insensitive and followed by one or more spaces.
  const bearer = authorization.slice('bearer '.length).trimStart();
  if (bearer === '' || authorization.slice(0, 'bearer '.length).toLowerCase() !== 'bearer ')
    throw invalid("Cannot read 'Authorization': it is not 'Bearer <key>'");
  if (apiKey !== undefined && apiKey !== bearer)
    throw invalid("'Authorization' and 'X-API-Key' have different keys: send only one");
  return bearer;
}

function readSubscription(headers: HeaderSource, marketplace: MarketplaceHeaders): string | undefined {
  const { keyHeader, hostHeader } = marketplace;
  const [key, host] = [fieldValue(headers, keyHeader), fieldValue(headers, hostHeader)];
  if (!key && !host) return undefined;
  if (!key) throw invalid(`'${hostHeader}' requires '${keyHeader}'`);
  if (!host) throw invalid(`'${keyHeader}' requires '${hostHeader}'`);
  if (host.toLowerCase() !== marketplace.host.toLowerCase())
    throw invalid(`The host in '${hostHeader}' is not that of this service`);
  return key;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_AUTH', message);
}

/** The decision on a request: an error, or a key whose limits allow it. */
export interface AccessDecision {
  readonly error: ServiceError | undefined;
  /** Undefined if authentication failed. */
  readonly key: ApiKey | undefined;
  /** Undefined if the limits were not checked, like `status`. */
  readonly limits: Limits | undefined;
  readonly status: LimitStatus | undefined;
}

/** A decision, later if the limiter has to ask Redis. */
export type Decision = AccessDecision | Promise<AccessDecision>;

type AnyLimiter = Limiter | SharedLimiter;

/** The key of a request, active or not. Throws UNAUTHORIZED, INVALID_AUTH, or UPSTREAM_FAILURE if it may be in a store that was never read. */
function authenticate(headers: HeaderSource, { direct, marketplace, mayLackKeys }: KnownKeys): ApiKey {
  const { key: text, isSubscription } = readCredential(headers, marketplace);
  const keys = isSubscription && marketplace ? marketplace.keys : direct;
  const key = keys.find(text);
  if (key !== undefined) return key;
  if (isMistyped(text)) throw invalid('The API key was mistyped: its checksum does not match');
  if (mayLackKeys && keys === direct)
    throw new ServiceError('UPSTREAM_FAILURE', 'The API keys in Redis were never read; try again shortly');
  throw invalid('The API key is unknown');
}

/**
 * Authenticates a request and counts it. The error is 401 for credentials, 403 for a suspended or expired key, 429 for limits, 502
 * if the shared store is required and unavailable. Never throws a ServiceError; synchronous unless the limiter is not.
 */
export function authorise(
  headers: HeaderSource,
  keys: KnownKeys,
  limiter: AnyLimiter,
  nowMs: number,
): Decision {
  try {
    const key = authenticate(headers, keys);
    const failure = failureOf(key, nowMs);
    return failure === undefined ? charge(key, limiter, nowMs) : rejected(failure, key);
  } catch (error) {
    return rejected(error, undefined);
  }
}

/** The operator's key in a request, uncharged. @throws {ServiceError} UNAUTHORIZED without one, INVALID_AUTH, SUBSCRIPTION_INACTIVE */
export function authenticateOperator(headers: HeaderSource, keys: KnownKeys, nowMs: number): ApiKey {
  const key = authenticate(headers, keys);
  const failure = failureOf(key, nowMs);
  if (failure !== undefined) throw failure;
  if (key.role === 'operator') return key;
  throw new ServiceError('UNAUTHORIZED', "This requires an API key with the role 'operator'");
}

/** Why a known key is not accepted; undefined for one that is active and has limits. */
function failureOf(
  { isSuspended, expiresMs, plan, limits }: ApiKey,
  nowMs: number,
): ServiceError | undefined {
  if (!isSuspended && nowMs < expiresMs && limits !== undefined) return undefined;
  let message = `The plan '${plan}' of this API key is not defined`;
  if (nowMs >= expiresMs) message = `This API key expired at ${utcText(expiresMs)}`;
  if (isSuspended) message = 'This API key is suspended';
  return new ServiceError('SUBSCRIPTION_INACTIVE', message);
}

/** Counts requests of an active key, all or none; the error is 429 or 502. Never throws a ServiceError. */
export function charge(key: ApiKey, limiter: AnyLimiter, nowMs: number, requests = 1): Decision {
  const limits = key.limits!; // it is active
  const status = limiter.consume(key.account, limits, nowMs, requests);
  if (!(status instanceof Promise)) return decided(key, limits, status);
  return status.then(
    known => decided(key, limits, known),
    error => rejected(error, key),
  );
}

function decided(key: ApiKey, limits: Limits, status: LimitStatus): AccessDecision {
  return { error: limitError(limits, status), key, limits, status };
}

/** The decision for a ServiceError; any other error is rethrown. */
function rejected(error: unknown, key: ApiKey | undefined): AccessDecision {
  if (!(error instanceof ServiceError)) throw error;
  return { error, key, limits: undefined, status: undefined };
}

function limitError({ plan }: Limits, { verdict, month, rateWaitMs }: LimitStatus): ServiceError | undefined {
  if (verdict === 'granted') return undefined;
  if (verdict === 'quota') {
    const renewal = utcText(month.endMs).slice(0, 10);
    return new ServiceError(
      'QUOTA_EXCEEDED',
      `The quota of plan '${plan.name}' for ${month.label}, ${plan.monthlyQuota}, is used up; it resets on ${renewal}, 00:00 UTC`,
    );
  }
  const { perSecond, burst } = plan.rate!; // the verdict `rate` requires one
  return new ServiceError(
    'RATE_LIMITED',
    `The rate limit of plan '${plan.name}' is ${perSecond} per second with a burst of ${burst}; retry in ${Math.ceil(rateWaitMs)} ms`,
  );
}
