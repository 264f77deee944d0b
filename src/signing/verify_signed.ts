import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
  COVERED_HEADERS,
  type CoveredHeaders,
  contentDigest,
  MESSAGE_SIGNATURE_HEADERS,
  readMessageSignature,
  signatureBase,
} from './message_signature.ts';
import { type Envelope, readEnvelope, SIGNATURE_HEADERS, type SignatureHeaders } from './signed_response.ts';
import { decodeStrictly, verifyBytes, verifySignature } from './verify_signature.ts';

export interface ReceivedResponse {
  /** A header's value by its case-insensitive name, or null. */
  readonly header: (name: string) => string | null;
  /** The body's bytes as received; undefined without one (`HEAD`) or if it was not saved. */
  readonly body: Uint8Array | undefined;
  readonly status?: number | undefined;
  /** The request, if known: method, and path with query as sent. */
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

export interface Check {
  readonly what: string;
  readonly holds: boolean;
  /** Human-readable details. */
  readonly found: string;
}

/** The result: the response is authentic only if every check holds. */
export interface Verification {
  readonly holds: boolean;
  readonly checks: readonly Check[];
  /** Undefined if it is missing or malformed. */
  readonly envelope: Envelope | undefined;
  /** Whether an RFC 9421 signature was verified, which covers the headers about data and clock. */
  readonly hasMessageSignature: boolean;
}

/**
 * Verifies a signed response against a public key set (any JSON: entries that are not Ed25519 keys are ignored). The
 * envelope is decoded from its header, not rebuilt, and names the key.
 */
export function verifySigned(response: ReceivedResponse, keySet: unknown): Verification {
  const missing = SIGNATURE_HEADERS.filter(name => response.header(name) === null);
  if (missing.length > 0) return outcome([check('headers', false, `without ${missing.join(', ')}`)]);
  const header = (name: keyof SignatureHeaders): string => response.header(name) ?? '';
  const input = header('X-Service-Signature-Input');
  const envelope = readEnvelope(decodeStrictly(input, 'base64url') ?? new Uint8Array());
  if (envelope === undefined) return outcome([check('envelope', false, 'it is not a v1 envelope')]);
  const x = publicKeyNamed(envelope.kid, keySet);
  const isSigned = x !== undefined && verifySignature(input, header('X-Service-Signature'), x);
  const messageChecks = checkMessage(response, envelope, x);
  return outcome(
    [
      check('key', x !== undefined, `${envelope.kid}${x === undefined ? ' is not in the key set' : ''}`),
      check('signature', isSigned, 'Ed25519 over the envelope'),
      same('algorithm', header('X-Service-Signature-Alg'), 'Ed25519'),
      same('key header', header('X-Service-Key-Id'), envelope.kid),
      same('timestamp header', header('X-Service-Signature-Timestamp'), `${envelope.epochSeconds}`),
      same('hash header', header('X-Service-Content-SHA256'), envelope.sha256),
      checkBody(response.body, envelope),
      ...checkRequest(response, envelope),
      ...messageChecks,
    ],
    envelope,
    messageChecks.length > 0,
  );
}

function checkBody(body: Uint8Array | undefined, { method, sha256 }: Envelope): Check {
  if (body !== undefined) return same('body', hash('sha256', body, 'base64'), sha256);
  if (method === 'HEAD') return check('body', true, 'none, as expected for HEAD');
  return check('body', false, 'it was not given');
}

function checkRequest(response: ReceivedResponse, envelope: Envelope): Check[] {
  const known = (['status', 'method', 'path'] as const).filter(name => response[name] !== undefined);
  return known.map(name => same(name, `${response[name]}`, `${envelope[name]}`));
}

/** The parameter that requests an RFC 9421 signature is in the signed path, so removing that signature is detected. */
const MESSAGE_SIGNATURE_REQUESTED = /[?&]signature=rfc9421(?:&|$)/;

/** Checks the RFC 9421 signature, unless there is none and none was requested. */
function checkMessage(response: ReceivedResponse, envelope: Envelope, x: string | undefined): Check[] {
  const header = (name: string): string => response.header(name) ?? '';
  const read = readMessageSignature(header('Signature-Input'), header('Signature'));
  const isRequested = MESSAGE_SIGNATURE_REQUESTED.test(envelope.path);
  if (read === undefined) {
    const missing = MESSAGE_SIGNATURE_HEADERS.filter(name => response.header(name) === null);
    const found = missing.length > 0 ? `without ${missing.join(', ')}` : 'not one of this service';
    return isRequested ? [check('message headers', false, found)] : [];
  }
  const { status, method, path } = envelope;
  const headers = Object.fromEntries(COVERED_HEADERS.map(name => [name, header(name)])) as CoveredHeaders; // it has each of them
  const base = signatureBase({ status: response.status ?? status, method, path, headers }, read);
  const isSigned = x !== undefined && verifyBytes(base, read.signature, x);
  return [
    check('message', isSigned, 'RFC 9421 over request, status, body, data and clock'),
    same('message key', read.kid, envelope.kid),
    same('message time', `${read.epochSeconds}`, `${envelope.epochSeconds}`),
    ...(response.body === undefined && method !== 'HEAD'
      ? []
      : [same('content digest', contentDigest(method, response.body ?? ''), header('Content-Digest'))]),
  ];
}

function same(what: string, received: string, signed: string): Check {
  return check(what, received === signed, received === signed ? signed : `'${received}', signed '${signed}'`);
}

function check(what: string, holds: boolean, found: string): Check {
  return { what, holds, found };
}

function outcome(checks: readonly Check[], envelope?: Envelope, hasMessageSignature = false): Verification {
  return { holds: checks.every(({ holds }) => holds), checks, envelope, hasMessageSignature };
}

/** A usable key in a key set, which may also have keys of other types. */
const Candidate = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  kid: Type.String(),
  x: Type.String(),
});
const CandidateSet = Type.Object({ keys: Type.Array(Type.Unknown()) });

/** The public key with this `kid` in an untrusted key set. */
function publicKeyNamed(kid: string, keySet: unknown): string | undefined {
  if (!Value.Check(CandidateSet, keySet)) return undefined;
  return keySet.keys.filter(key => Value.Check(Candidate, key)).find(key => key.kid === kid)?.x;
}
