import { ServiceError } from '../common/errors.ts';
import { clockDetails } from '../operations/details.ts';
import type { KeySet } from '../signing/key_set.ts';
import { contentDigest, type ProofHeaders, signMessage } from '../signing/message_signature.ts';
import { type SignatureHeaders, signResponse } from '../signing/signed_response.ts';
import { dataHeaders } from './data_use.ts';
import { type Exchange, originFormOf } from './exchange.ts';
import type { Server } from './snapshot.ts';

/** A response to be signed. */
interface Unsigned {
  readonly exchange: Exchange;
  readonly status: number;
  readonly body: string;
}

/** The signature of a response, and what it depends on besides the request. */
export interface Signature {
  readonly headers: SignatureHeaders & ProofHeaders;
  readonly method: string;
  readonly key: NonNullable<KeySet['active']>;
  readonly epochSeconds: number;
  readonly body: string;
}

/**
 * Signs a response. `previous`, the signature of an earlier response to the same request, is reused if body, second and key are
 * the same: the envelope contains whole seconds and Ed25519 is deterministic, so the bytes would be equal. Signing takes 40 µs,
 * four times as long as everything else. Throws `SIGNING_NOT_READY` without a key.
 */
export function signatureOf(
  { exchange, status, body }: Unsigned,
  server: Server,
  previous?: Signature,
): Signature {
  const key = server.signing.current.active;
  if (key === undefined) throw new ServiceError('SIGNING_NOT_READY', 'This server has no signing key');
  const { method, url } = exchange.request;
  const epochSeconds = Math.floor(server.now() / 1000);
  const isReusable =
    previous?.epochSeconds === epochSeconds &&
    previous.method === method &&
    previous.key.x === key.x &&
    previous.key.kid === key.kid &&
    previous.body === body;
  if (isReusable) return previous;
  const headers = {
    ...signResponse(key, { status, method, path: originFormOf(url), body }, epochSeconds),
    ...dataHeaders(exchange.data, exchange.dataSource),
    'X-Service-Clock': clockText(server, epochSeconds),
  };
  return { headers, method, key, epochSeconds, body };
}

/** The headers of a signature; with `signature=rfc9421` also those of RFC 9421, which cover the request id. */
export function signatureHeaders(
  { headers, method, key, epochSeconds }: Signature,
  { exchange, status, body }: Unsigned,
): Readonly<Record<string, string>> {
  if (!isGiven('signature', MESSAGE_SIGNATURE, exchange)) return headers;
  const covered = {
    ...headers,
    'Content-Digest': contentDigest(method, body),
    'X-Request-Id': exchange.requestId,
  };
  const message = { status, method, path: originFormOf(exchange.request.url), headers: covered };
  return { ...headers, ...signMessage(key, message, epochSeconds) };
}

/** The value of `signature` that requests an RFC 9421 signature. */
export const MESSAGE_SIGNATURE = 'rfc9421';

/** Whether a request has a parameter with a given value, even if its query could not be parsed. */
export function isGiven(name: string, value: string, { query, request }: Exchange): boolean {
  if (query !== undefined) return query.peek(name) === value;
  return new RegExp(`[?&]${name}=${value}(?:&|$)`).test(request.url);
}

/** The latest value of `X-Service-Clock`, such as `synchronised;max-error=12` (milliseconds), reused for a second: reading the clock takes 3 µs. */
const clockTexts = new WeakMap<Server, { readonly epochSeconds: number; readonly text: string }>();

function clockText(server: Server, epochSeconds: number): string {
  const known = clockTexts.get(server);
  if (known?.epochSeconds === epochSeconds) return known.text;
  const clock = clockDetails(server.hostClock());
  const state = clock?.synchronised ? 'synchronised' : 'unsynchronised';
  const text = clock === null ? 'unknown' : `${state};max-error=${clock.max_error_ms}`;
  clockTexts.set(server, { epochSeconds, text });
  return text;
}
