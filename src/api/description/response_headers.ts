import { type ApiHeader, type Context, type Reference, reference } from './document.ts';

/** Responses that carry a header: all, some, those with `sign=true`, those of servers with keys, or with limits, those of HTML, those of a status. */
type Occasion = 'always' | 'sometimes' | 'html' | 'signed' | 'keyed' | 'limited' | number;

/** The headers of responses, `Content-Type` aside, with descriptions in sentences with `code` in backticks. */
const RESPONSE_HEADERS: readonly (readonly [Occasion, Readonly<Record<string, string>>])[] = [
  [
    'always',
    {
      'X-Request-Id': 'That of the request if it is 1 to 128 of `A-Za-z0-9._-`, else a new UUID.',
      'Cache-Control':
        'How long caches may use the response: `no-store` for one that depends on the present or on the client, is signed, or ' +
        'has `details`; `private` instead of `public` where credentials are required.',
    },
  ],
  [
    'sometimes',
    {
      ETag: 'A strong entity tag, if caches may use the response. `If-None-Match` repeats it.',
      'Content-Encoding': '`zstd`, `br` or `gzip` by `Accept-Encoding`, for unsigned JSON of more than 1 KB.',
      'Access-Control-Allow-Origin':
        'The origin whose scripts may read responses: to requests with `Origin`, and if caches may use the response.',
      'Access-Control-Expose-Headers': 'The headers that such scripts may read, to requests with `Origin`.',
      Vary: '`Accept-Encoding`, and `Origin` if the scripts of only one origin may read responses.',
      'X-Service-Ignored-Parameters':
        'The parameters that the route does not know: comma-separated, percent-encoded, as many as fit.',
    },
  ],
  [
    'signed',
    {
      'X-Service-Key-Id': '`kid` of the signing key in the public key set.',
      'X-Service-Signature-Alg': '`Ed25519`',
      'X-Service-Signature-Timestamp': 'When it was signed, in Unix seconds.',
      'X-Service-Content-SHA256': 'SHA-256 of the body, in Base64.',
      'X-Service-Signature-Input':
        'The envelope that is signed, in Base64URL: JSON with `v`, `status`, `method`, `path`, `timestamp`, `sha256` and `kid`.',
      'X-Service-Signature': 'Ed25519 signature over the bytes that the envelope decodes to, in Base64.',
      'X-Service-Data':
        'The data sets that the response was computed from, with their releases (`tzdata=2026f, holidays=3.37.0`), or `none`. The envelope does not cover this header.',
      'X-Service-Data-Digest':
        'SHA-256 of their names, releases and digests, in the form of RFC 9530. The envelope does not cover this header.',
      'X-Service-Clock':
        "The state of the server's clock: `synchronised;max-error=12` or `unsynchronised;max-error=16000`, in milliseconds, or `unknown`. The envelope does not cover this header.",
      'Content-Digest':
        'With `signature=rfc9421`: SHA-256 of the content, which is empty for `HEAD` (RFC 9530).',
      'Signature-Input': 'With `signature=rfc9421`: what the signature `meridian` covers (RFC 9421).',
      Signature:
        'With `signature=rfc9421`: the signature `meridian`, by Ed25519 with the same key (RFC 9421).',
    },
  ],
  [
    'limited',
    {
      'RateLimit-Policy':
        'The limits of the plan of the key, or of the address, in the form of an IETF draft.',
      RateLimit: 'What is left of them, and for how many seconds.',
    },
  ],
  [
    'keyed',
    {
      'X-Service-Plan': 'The plan of the key.',
      'X-Service-Quota-Limit': 'Requests a month in the plan, or `unlimited`.',
      'X-Service-Quota-Remaining': 'How many of them are left, or `unlimited`.',
      'X-Service-Quota-State': '`active`, or `exceeded` when none is left.',
    },
  ],
  [
    'html',
    {
      'Content-Security-Policy':
        'What the fragment may load if it is opened as a page of its own: its stylesheet, its script and the time.',
      'X-Content-Type-Options': '`nosniff`',
    },
  ],
  [401, { 'WWW-Authenticate': '`Bearer`, with `error="invalid_token"` where a credential was given.' }],
  [405, { Allow: 'The methods that are allowed.' }],
  [
    429,
    {
      'Retry-After':
        'Seconds until the request fits the limits again; absent for one that never will, since it counts as more than the burst.',
    },
  ],
];

/** Occasions on servers with keys only, and on those with limits. */
const KEYED: readonly Occasion[] = ['keyed', 401];
const LIMITED: readonly Occasion[] = ['limited', 429];
/** Occasions whose responses can be without their headers. */
const OPTIONAL: readonly Occasion[] = ['sometimes', 'signed', 'keyed', 'limited', 429];

/** The headers of responses of these occasions, besides those that all or some responses have, by name. */
export function headerReferences(
  occasions: readonly Occasion[],
  context: Context,
): Record<string, Reference> {
  const isLimited = occasions.includes(429) || (context.isKeyed && occasions.includes('keyed'));
  const included: readonly Occasion[] = [
    'always',
    'sometimes',
    ...occasions,
    ...(isLimited ? (['limited'] as const) : []),
  ];
  const headers = headersOf(context).filter(({ when }) => included.includes(when));
  return Object.fromEntries(headers.map(({ name }) => [name, reference('headers', name)]));
}

/** All headers by name, for the document's components. */
export function headerComponents(context: Context): Record<string, ApiHeader> {
  return Object.fromEntries(
    headersOf(context).map(({ name, when, description }) => [
      name,
      { description, required: !OPTIONAL.includes(when), schema: { type: 'string' } },
    ]),
  );
}

function headersOf({ isKeyed, isLimited }: Context) {
  return RESPONSE_HEADERS.filter(
    ([when]) => (isKeyed || !KEYED.includes(when)) && (isLimited || !LIMITED.includes(when)),
  ).flatMap(([when, headers]) =>
    Object.entries(headers).map(([name, description]) => ({ name, when, description })),
  );
}
