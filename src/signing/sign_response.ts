import { hash, type KeyObject, sign } from 'node:crypto';
import { type Envelope, writeEnvelope } from './envelope.ts';

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
  key: { readonly kid: string; readonly privateKey: KeyObject },
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
