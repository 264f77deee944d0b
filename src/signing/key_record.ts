import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { isKeyId } from './key_id.ts';

/** A signing key as the store keeps it; `d` is there until the key is retired. */
export interface KeyRecord {
  readonly kid: string;
  /** 1 for a store's first key and one more for each later one: clocks go back, this does not. */
  readonly sequence: number;
  /** When the key was made, by the clock of then. */
  readonly createdMs: number;
  /** The public half, 32 bytes in Base64URL. */
  readonly x: string;
  /** The private half, 32 bytes in Base64URL (RFC 8037 §2). */
  readonly d: string | undefined;
}

// 32 bytes are 43 digits whose last carries four bits: any other spelling is not what we wrote.
const Bytes32 = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });

const KeyFile = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  kid: Type.String(),
  x: Bytes32,
  d: Type.Optional(Bytes32),
  created: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** The text of a key's file: a JWK (RFC 7517, RFC 8037) with two members of our own. */
export function writeKeyRecord({ kid, sequence, createdMs, x, d }: KeyRecord): string {
  const file: Static<typeof KeyFile> & Record<string, unknown> = {
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    key_ops: [d === undefined ? 'verify' : 'sign'],
    kid,
    x,
    ...(d !== undefined && { d }),
    created: new Date(createdMs).toISOString(),
    sequence,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/**
 * Reads what `writeKeyRecord` wrote.
 * @throws {Error} saying what is wrong with the text, in words that follow its file's name
 */
export function readKeyRecord(text: string): KeyRecord {
  if (text.trim() === '') throw new Error('it is empty');
  const file = parseJson(text);
  if (!Value.Check(KeyFile, file)) {
    const member = Value.Errors(KeyFile, file).First()?.path.slice(1);
    throw new Error(member ? `its '${member}' is missing or malformed` : 'it is not a JSON object');
  }
  const { kid, sequence, created, x, d } = file;
  const createdMs = Date.parse(created);
  if (!isKeyId(kid)) throw new Error("its 'kid' is malformed");
  if (Number.isNaN(createdMs)) throw new Error("its 'created' is not a date");
  return { kid, sequence, createdMs, x, d };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}
