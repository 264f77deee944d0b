import { type Context, reference } from './context.ts';
import type { ApiHeader, Reference } from './document.ts';

/** When an answer carries a header: always, with status 200, with `sign=true`, on a server with keys, or with a status. */
export type HeaderOccasion = 'always' | 'signed' | 'keyed' | 200 | 401 | 405 | 429;

/** A header of answers, for the API description. */
export interface ResponseHeader {
  readonly name: string;
  readonly when: HeaderOccasion;
  /** Whether no answer of that occasion is without it. */
  readonly isCertain: boolean;
  /** Sentences with `code` in backticks. */
  readonly description: string;
}

function certain(name: string, when: HeaderOccasion, description: string): ResponseHeader {
  return { name, when, description, isCertain: true };
}

function possible(name: string, when: HeaderOccasion, description: string): ResponseHeader {
  return { name, when, description, isCertain: false };
}

/** The headers that answers of the API have, `Content-Type` aside. */
const RESPONSE_HEADERS: readonly ResponseHeader[] = [
  certain(
    'X-Request-Id',
    'always',
    'That of the request where it is 1 to 128 of `A-Za-z0-9._-`, else a new UUID.',
  ),
  certain(
    'Cache-Control',
    'always',
    '`no-store`, since an answer is of its moment; the public key set may be kept for five minutes.',
  ),
  certain('Access-Control-Allow-Origin', 'always', 'The origin whose scripts may read answers.'),
  certain('Access-Control-Expose-Headers', 'always', 'The headers that such scripts may read.'),
  possible('Vary', 'always', '`Origin`, where the scripts of one origin only may read answers.'),
  possible(
    'X-Service-Ignored-Parameters',
    'always',
    'The parameters that the route does not know: comma-separated, percent-encoded, as many as fit.',
  ),
  certain('X-Service-Key-Id', 'signed', '`kid` of the signing key in the public key set.'),
  certain('X-Service-Signature-Alg', 'signed', '`Ed25519`'),
  certain('X-Service-Signature-Timestamp', 'signed', 'When it was signed, in Unix seconds.'),
  certain('X-Service-Content-SHA256', 'signed', 'SHA-256 of the body, in Base64.'),
  certain(
    'X-Service-Signature-Input',
    'signed',
    'The envelope that is signed, in Base64URL: JSON with `v`, `status`, `method`, `path`, `timestamp`, `sha256` and `kid`.',
  ),
  certain(
    'X-Service-Signature',
    'signed',
    'Ed25519 signature over the bytes that the envelope decodes to, in Base64.',
  ),
  possible('RateLimit-Policy', 'keyed', 'The limits of the plan of the key, as an IETF draft has them.'),
  possible('RateLimit', 'keyed', 'What is left of them, and for how many seconds.'),
  possible('X-Service-Plan', 'keyed', 'The plan of the key.'),
  possible('X-Service-Quota-Limit', 'keyed', 'Requests a month in the plan, or `unlimited`.'),
  possible('X-Service-Quota-Remaining', 'keyed', 'How many of them are left, or `unlimited`.'),
  possible('X-Service-Quota-State', 'keyed', '`active`, or `exceeded` when none is left.'),
  certain('WWW-Authenticate', 401, '`Bearer`, with `error="invalid_token"` where a credential was given.'),
  certain('Allow', 405, 'The methods that are allowed.'),
  certain('Retry-After', 429, 'Seconds until a request fits the plan again.'),
];

/** The headers that answers of these occasions have, by name. */
export function headerReferences(
  occasions: readonly (HeaderOccasion | number)[],
  context: Context,
): Record<string, Reference> {
  const names = RESPONSE_HEADERS.filter(
    header => occasions.includes(header.when) && isThere(header, context),
  );
  return Object.fromEntries(names.map(({ name }) => [name, reference('headers', name)]));
}

/** All headers by name, for the document's components. */
export function headerComponents(context: Context): Record<string, ApiHeader> {
  return Object.fromEntries(
    RESPONSE_HEADERS.filter(header => isThere(header, context)).map(
      ({ name, when, isCertain, description }) => [
        name,
        { description, required: isCertain && when !== 'signed', schema: { type: 'string' } },
      ],
    ),
  );
}

function isThere({ when }: ResponseHeader, { isKeyed }: Context): boolean {
  return isKeyed || !(when === 'keyed' || when === 401 || when === 429);
}
