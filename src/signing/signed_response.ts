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

/** Parses signed bytes; undefined unless they are as `writeEnvelope` writes them: parsers could disagree about other encodings. */
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

/** Signs a response with `node:crypto`: Ed25519 is deterministic, and @noble/curves takes 80 times as long for the same bytes. */
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
