import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Envelope, readEnvelope } from './envelope.ts';
import { SIGNATURE_HEADERS, type SignatureHeaders } from './sign_response.ts';
import { decodeStrictly, verifySignature } from './verify_signature.ts';

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
  /** Details for people. */
  readonly found: string;
}

/** The result: the response is authentic only if every check holds. */
export interface Verification {
  readonly holds: boolean;
  readonly checks: readonly Check[];
  /** Undefined if it is missing or malformed. */
  readonly envelope: Envelope | undefined;
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
  return outcome(
    [
      check('key', x !== undefined, `${envelope.kid}${x === undefined ? ' is not in the key set' : ''}`),
      check(
        'signature',
        x !== undefined && verifySignature(input, header('X-Service-Signature'), x),
        'Ed25519 over the envelope',
      ),
      same('algorithm', header('X-Service-Signature-Alg'), 'Ed25519'),
      same('key header', header('X-Service-Key-Id'), envelope.kid),
      same('timestamp header', header('X-Service-Signature-Timestamp'), `${envelope.epochSeconds}`),
      same('hash header', header('X-Service-Content-SHA256'), envelope.sha256),
      checkBody(response.body, envelope),
      ...checkRequest(response, envelope),
    ],
    envelope,
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

function same(what: string, received: string, signed: string): Check {
  return check(what, received === signed, received === signed ? signed : `'${received}', signed '${signed}'`);
}

function check(what: string, holds: boolean, found: string): Check {
  return { what, holds, found };
}

function outcome(checks: readonly Check[], envelope?: Envelope): Verification {
  return { holds: checks.every(({ holds }) => holds), checks, envelope };
}

/** A usable key of a key set, which may have keys of other types. */
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
