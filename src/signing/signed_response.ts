import { hash, sign } from 'node:crypto';
import type { ActiveKey } from './signing_key.ts';

/** The signed `v1` envelope. Its bytes are part of the service's contract. */
export interface Envelope {
  readonly status: number;
  /** `GET` or `HEAD`; any other in a 405. */
  readonly method: string;
  /** Path and query as the server received them, serialised by the URL standard. */
  readonly path: string;
  /** When the signature was made, in whole seconds since 1970-01-01T00:00:00Z. */
  readonly epochSeconds: number;
  /** Base64 of the SHA-256 of the body; for `HEAD`, of the body of `GET`. */
  readonly sha256: string;
  readonly kid: string;
}

/**
 * The exact text that is signed: JSON, these members in this order, no white space. Only `path` can need escaping; a
 * template takes a third of the time of `JSON.stringify` of the whole.
 */
export function writeEnvelope(envelope: Envelope): string {
  const { status, method, path, epochSeconds, sha256, kid } = envelope;
  return `{"v":"v1","status":${status},"method":"${method}","path":${JSON.stringify(path)},"timestamp":${epochSeconds},"sha256":"${sha256}","kid":"${kid}"}`;
}

/**
 * Parses signed bytes; undefined unless they are exactly as written by `writeEnvelope`, since parsers could disagree about any
 * other encoding of an envelope.
 */
export function readEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const { status, method, path, timestamp, sha256, kid } = JSON.parse(text);
    const envelope: Envelope = { status, method, path, epochSeconds: timestamp, sha256, kid };
    const isWellTyped =
      [status, timestamp].every(Number.isSafeInteger) &&
      [method, path, sha256, kid].every(value => typeof value === 'string');
    return isWellTyped && writeEnvelope(envelope) === text ? envelope : undefined;
  } catch {
    return undefined; // neither UTF-8 nor JSON, or JSON's null
  }
}

export interface SignedResponse extends Pick<Envelope, 'status' | 'method' | 'path'> {
  /** The body as sent; for `HEAD`, that of `GET`. */
  readonly body: string | Uint8Array;
}

export const SIGNATURE_HEADERS = [
  'X-Service-Key-Id',
  'X-Service-Signature-Alg',
  'X-Service-Signature-Timestamp',
  'X-Service-Content-SHA256',
  'X-Service-Signature-Input',
  'X-Service-Signature',
] as const;

export type SignatureHeaders = Readonly<Record<(typeof SIGNATURE_HEADERS)[number], string>>;

/**
 * Signs a response with `node:crypto`. Ed25519 is deterministic: @noble/curves takes 80 times as long for the same bytes.
 */
export function signResponse(
  key: Pick<ActiveKey, 'kid' | 'privateKey'>,
  { status, method, path, body }: SignedResponse,
  epochSeconds: number,
): SignatureHeaders {
  const sha256 = hash('sha256', body, 'base64');
  const envelope = Buffer.from(writeEnvelope({ status, method, path, epochSeconds, sha256, kid: key.kid }));
  return {
    'X-Service-Key-Id': key.kid,
    'X-Service-Signature-Alg': 'Ed25519',
    'X-Service-Signature-Timestamp': `${epochSeconds}`,
    'X-Service-Content-SHA256': sha256,
    'X-Service-Signature-Input': envelope.toString('base64url'),
    'X-Service-Signature': sign(null, envelope, key.privateKey).toString('base64'),
  };
}

/** The headers that state what a signed response was computed from; only the RFC 9421 signature covers them. */
export const PROOF_HEADERS = ['X-Service-Data', 'X-Service-Data-Digest', 'X-Service-Clock'] as const;
export type ProofHeaders = Readonly<Record<(typeof PROOF_HEADERS)[number], string>>;

export const MESSAGE_SIGNATURE_HEADERS = ['Content-Digest', 'Signature-Input', 'Signature'] as const;
type MessageSignatureHeaders = Readonly<Record<(typeof MESSAGE_SIGNATURE_HEADERS)[number], string>>;

/** The headers that a message signature covers, in order. */
export const COVERED_HEADERS = ['Content-Digest', ...PROOF_HEADERS, 'X-Request-Id'] as const;

export type CoveredHeaders = Readonly<Record<(typeof COVERED_HEADERS)[number], string>>;

/** The parts of a message covered by its signature. */
interface SignedMessage {
  readonly status: number;
  readonly method: string;
  /** Path and query of the request as the server received them. */
  readonly path: string;
  readonly headers: CoveredHeaders;
}

/** The parameters of a message signature. */
interface SignatureParameters {
  readonly kid: string;
  /** When it was made, in whole seconds since 1970-01-01T00:00:00Z. */
  readonly epochSeconds: number;
}

/** The label in `Signature-Input` and `Signature`. */
const LABEL = 'meridian';

/** The covered components (RFC 9421 §2), as `Signature-Input` lists them. */
const COMPONENTS = [
  '"@status"',
  '"@method";req',
  '"@path";req',
  '"@query";req',
  ...COVERED_HEADERS.map(name => `"${name.toLowerCase()}"`),
];
const COMPONENT_LIST = `(${COMPONENTS.join(' ')})`;

/** The value of `Content-Digest` (RFC 9530 §2); the content of a response to `HEAD` is empty. */
export function contentDigest(method: string, body: string | Uint8Array): string {
  return `sha-256=:${hash('sha256', method === 'HEAD' ? '' : body, 'base64')}:`;
}

/** Signs a response by RFC 9421, with Ed25519 (§3.3.6). */
export function signMessage(
  key: Pick<ActiveKey, 'kid' | 'privateKey'>,
  message: SignedMessage,
  epochSeconds: number,
): MessageSignatureHeaders {
  const parameters = { kid: key.kid, epochSeconds };
  const signature = sign(null, signatureBase(message, parameters), key.privateKey).toString('base64');
  return {
    'Content-Digest': message.headers['Content-Digest'],
    'Signature-Input': `${LABEL}=${signatureParameters(parameters)}`,
    Signature: `${LABEL}=:${signature}:`,
  };
}

/** The bytes that are signed: RFC 9421 §2.5. */
export function signatureBase(message: SignedMessage, parameters: SignatureParameters): Buffer {
  const { status, method, path, headers } = message;
  const queryStart = path.includes('?') ? path.indexOf('?') : path.length;
  const values = [
    status,
    method,
    path.slice(0, queryStart),
    path.slice(queryStart) || '?', // §2.2.7: an absent query is a single question mark
    ...COVERED_HEADERS.map(name => headers[name]),
  ];
  const lines = COMPONENTS.map((component, index) => `${component}: ${values[index]}\n`);
  return Buffer.from(`${lines.join('')}"@signature-params": ${signatureParameters(parameters)}`);
}

function signatureParameters({ kid, epochSeconds }: SignatureParameters): string {
  return `${COMPONENT_LIST};created=${epochSeconds};keyid="${kid}";alg="ed25519"`;
}

/**
 * Parses `Signature-Input` and `Signature`, which may also contain other signatures; undefined without one as written by
 * {@link signMessage}, since other components or parameters would prove something else.
 */
export function readMessageSignature(
  input: string,
  signature: string,
): (SignatureParameters & { readonly signature: string }) | undefined {
  const parameters = INPUT.exec(input)?.groups;
  const base64 = SIGNATURE.exec(signature)?.groups?.['base64'];
  if (parameters === undefined || base64 === undefined) return undefined;
  return { kid: parameters['kid']!, epochSeconds: Number(parameters['created']), signature: base64 };
}

const INPUT = new RegExp(
  `(?:^|, *)${LABEL}=${RegExp.escape(COMPONENT_LIST)};created=(?<created>[0-9]{1,15});keyid="(?<kid>[a-z0-9-]+)";alg="ed25519"(?:,|$)`,
);
const SIGNATURE = new RegExp(`(?:^|, *)${LABEL}=:(?<base64>[A-Za-z0-9+/=]+):(?:,|$)`);
