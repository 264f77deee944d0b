import { type ApiHeader, type Context, type Reference, reference } from './document.ts';

/** One text for all statuses, which share the component. */
const RETRY_AFTER =
  'After how many seconds to retry; absent only from a 429 for a request that the limits never allow, since it counts as more ' +
  'than the burst.';

/**
 * The response headers except for `Content-Type`, with descriptions that have `code` in backticks, by the responses that have them:
 * always, sometimes, if caches may use them, if signed, on servers with limits or with keys, for HTML, or with a status.
 */
const HEADERS = {
  always: {
    'X-Request-Id': "The request's own if it is 1 to 128 of `A-Za-z0-9._-`, otherwise a new UUID.",
    'Cache-Control':
      'How long caches may use the response: `no-store` if it depends on the present or the client, is signed, or has ' +
      '`details`; `private` instead of `public` if credentials are required.',
  },
  sometimes: {
    'Content-Encoding':
      '`zstd`, `br` or `gzip`, depending on `Accept-Encoding`, for unsigned JSON of more than 1 KB.',
    'Access-Control-Allow-Origin':
      'The origin whose scripts may read responses; present if the request has `Origin` or caches may use the response.',
    'Access-Control-Expose-Headers':
      'The headers that such scripts may read; present if the request has `Origin`.',
    Vary: '`Accept-Encoding`, and `Origin` if only scripts of one origin may read responses.',
    'X-Service-Ignored-Parameters':
      'The unknown parameters: comma-separated, percent-encoded, as many as fit.',
  },
  cacheable: { ETag: 'A strong entity tag for `If-None-Match`, if caches may use the response.' },
  signed: {
    'X-Service-Key-Id': '`kid` of the signing key in the public key set.',
    'X-Service-Signature-Alg': '`Ed25519`',
    'X-Service-Signature-Timestamp': 'When it was signed, in Unix seconds.',
    'X-Service-Content-SHA256': 'SHA-256 of the body, in Base64.',
    'X-Service-Signature-Input':
      'The signed envelope, in Base64URL: JSON with `v`, `status`, `method`, `path`, `timestamp`, `sha256` and `kid`.',
    'X-Service-Signature': 'Ed25519 signature of the decoded bytes of the envelope, in Base64.',
    'X-Service-Data':
      'The data sets used for the response, with their releases (`tzdata=2026f, holidays=3.37.0`), or `none`. The envelope does not cover this header.',
    'X-Service-Data-Digest':
      'SHA-256 of their names, releases and digests, in the format of RFC 9530. The envelope does not cover this header.',
    'X-Service-Clock':
      "The state of the server's clock: `synchronised;max-error=12` or `unsynchronised;max-error=16000`, in milliseconds, or `unknown`. The envelope does not cover this header.",
    'Content-Digest':
      'With `signature=rfc9421`: SHA-256 of the content, which is empty for `HEAD` (RFC 9530).',
    'Signature-Input': 'With `signature=rfc9421`: what the signature `meridian` covers (RFC 9421).',
    Signature: 'With `signature=rfc9421`: the signature `meridian`, by Ed25519 with the same key (RFC 9421).',
  },
  limited: {
    'RateLimit-Policy': "The limits of the key's plan, or of the address, in the format of an IETF draft.",
    RateLimit: 'The remaining amounts, and the seconds until they are reset.',
  },
  keyed: {
    'X-Service-Plan': "The key's plan.",
    'X-Service-Quota-Limit': 'Requests per month in the plan, or `unlimited`.',
    'X-Service-Quota-Remaining': 'Remaining requests in the month, or `unlimited`.',
    'X-Service-Quota-State': '`active`, or `exceeded` if the quota rejected the request.',
  },
  html: {
    'Content-Security-Policy':
      'Restricts what the fragment may load when opened as a page: its stylesheet, its script and the time.',
    'X-Content-Type-Options': '`nosniff`',
  },
  401: { 'WWW-Authenticate': '`Bearer`, with `error="invalid_token"` if a credential was given.' },
  405: { Allow: 'The allowed methods.' },
  429: { 'Retry-After': RETRY_AFTER },
  502: { 'Retry-After': RETRY_AFTER },
} satisfies Record<string, Readonly<Record<string, string>>>;

type Occasion = keyof typeof HEADERS | number;

/** Occasions whose headers are optional. */
const OPTIONAL: readonly string[] = ['sometimes', 'cacheable', 'signed', 'keyed', 'limited', '429', '502'];

/** Adds the headers of these occasions, and those of every response, to the document; returns references by name. */
export function addHeaders(
  occasions: readonly Occasion[],
  { isKeyed, isSigning, headers }: Context,
): Record<string, Reference> {
  const included = new Set(['always', 'sometimes', ...occasions].map(String));
  if (!isKeyed) included.delete('keyed');
  if (!isSigning) included.delete('signed');
  if (included.has('keyed') || included.has('429')) included.add('limited');
  const names = Object.entries(HEADERS).flatMap(([when, own]) =>
    included.has(when) ? Object.keys(own) : [],
  );
  for (const name of names) headers.add(name);
  return Object.fromEntries(names.map(name => [name, reference('headers', name)]));
}

/** The headers that responses of the document have, by name. */
export function headerComponents({ headers }: Context): Record<string, ApiHeader> {
  return Object.fromEntries(
    Object.entries(HEADERS).flatMap(([when, descriptions]) =>
      Object.entries(descriptions)
        .filter(([name]) => headers.has(name))
        .map(([name, description]) => [
          name,
          { description, required: !OPTIONAL.includes(when), schema: { type: 'string' } },
        ]),
    ),
  );
}
