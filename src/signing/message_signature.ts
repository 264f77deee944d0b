import { hash, sign } from 'node:crypto';
import type { Envelope } from './signed_response.ts';
import type { ActiveKey } from './signing_key.ts';

/** The headers that state what a signed response was computed from; only the RFC 9421 signature covers them. */
export const PROOF_HEADERS = ['X-Service-Data', 'X-Service-Data-Digest', 'X-Service-Clock'] as const;
export type ProofHeaders = Readonly<Record<(typeof PROOF_HEADERS)[number], string>>;

export const MESSAGE_SIGNATURE_HEADERS = ['Content-Digest', 'Signature-Input', 'Signature'] as const;
type MessageSignatureHeaders = Readonly<Record<(typeof MESSAGE_SIGNATURE_HEADERS)[number], string>>;

/** The headers that a message signature covers, in order. */
export const COVERED_HEADERS = ['Content-Digest', ...PROOF_HEADERS, 'X-Request-Id'] as const;

export type CoveredHeaders = Readonly<Record<(typeof COVERED_HEADERS)[number], string>>;

/** The parts of a message covered by its signature. */
interface SignedMessage extends Pick<Envelope, 'status' | 'method' | 'path'> {
  readonly headers: CoveredHeaders;
}

type SignatureParameters = Pick<Envelope, 'kid' | 'epochSeconds'>;

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
export function readMessageSignature(input: string, signature: string) {
  const parameters = INPUT.exec(input)?.groups;
  const base64 = SIGNATURE.exec(signature)?.groups?.['base64'];
  if (parameters === undefined || base64 === undefined) return undefined;
  return { kid: parameters['kid']!, epochSeconds: Number(parameters['created']), signature: base64 };
}

const INPUT = new RegExp(
  `(?:^|, *)${LABEL}=${RegExp.escape(COMPONENT_LIST)};created=(?<created>[0-9]{1,15});keyid="(?<kid>[a-z0-9-]+)";alg="ed25519"(?:,|$)`,
);
const SIGNATURE = new RegExp(`(?:^|, *)${LABEL}=:(?<base64>[A-Za-z0-9+/=]+):(?:,|$)`);
