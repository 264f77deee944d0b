import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Envelope, readEnvelope } from './envelope.ts';
import { SIGNATURE_HEADERS, type SignatureHeaders } from './sign_response.ts';
import { decodeStrictly, verifySignature } from './verify_signature.ts';

/** A signed answer as a client holds it. */
export interface ReceivedAnswer {
  /** A header's value by its name in any letter case, null where the answer lacks it. */
  readonly header: (name: string) => string | null;
  /** The body's bytes as they came; undefined where there is none (`HEAD`) or it was not kept. */
  readonly body: Uint8Array | undefined;
  /** The status that was received, where it is known. */
  readonly status?: number | undefined;
  /** What was asked, where it is known: method, and path with query as sent. */
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

/** One thing that was checked. */
export interface Check {
  readonly what: string;
  readonly holds: boolean;
  /** What was found, for a person to read. */
  readonly found: string;
}

/** The outcome: the answer is proved only when every check holds. */
export interface Verification {
  readonly holds: boolean;
  readonly checks: readonly Check[];
  /** What the signature covers; undefined where it cannot be read. */
  readonly envelope: Envelope | undefined;
}

/**
 * Verifies a signed answer against a public key set (any JSON: what is not an Ed25519 key in it is passed over).
 * The envelope is decoded from its header and never rebuilt; the key is the one that the envelope names.
 */
export function verifySigned(answer: ReceivedAnswer, keySet: unknown): Verification {
  const missing = SIGNATURE_HEADERS.filter(name => answer.header(name) === null);
  if (missing.length > 0) return outcome([check('headers', false, `without ${missing.join(', ')}`)]);
  const header = (name: keyof SignatureHeaders): string => answer.header(name) ?? '';
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
      checkBody(answer.body, envelope),
      ...checkRequest(answer, envelope),
    ],
    envelope,
  );
}

function checkBody(body: Uint8Array | undefined, { method, sha256 }: Envelope): Check {
  if (body !== undefined) return same('body', hash('sha256', body, 'base64'), sha256);
  if (method === 'HEAD') return check('body', true, 'none, as HEAD has it');
  return check('body', false, 'it was not given');
}

function checkRequest(answer: ReceivedAnswer, envelope: Envelope): Check[] {
  const checks: Check[] = [];
  if (answer.status !== undefined) checks.push(same('status', `${answer.status}`, `${envelope.status}`));
  if (answer.method !== undefined) checks.push(same('method', answer.method, envelope.method));
  if (answer.path !== undefined) checks.push(same('path', answer.path, envelope.path));
  return checks;
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

/** What a key set must say of a key to be used here; sets of others may hold keys of other kinds. */
const Candidate = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  kid: Type.String(),
  x: Type.String(),
});
const CandidateSet = Type.Object({ keys: Type.Array(Type.Unknown()) });

/** The public half of the key with this `kid`, from a key set that anyone may have written. */
function publicKeyNamed(kid: string, keySet: unknown): string | undefined {
  if (!Value.Check(CandidateSet, keySet)) return undefined;
  for (const key of keySet.keys) {
    if (Value.Check(Candidate, key) && key.kid === kid) return key.x;
  }
  return undefined;
}
