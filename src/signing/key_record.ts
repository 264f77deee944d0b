import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** A stored signing key; `d` is present until the key is retired. */
export interface KeyRecord {
  readonly kid: string;
  /** 1 for a store's first key, increasing: unlike the clock it never goes back. */
  readonly sequence: number;
  /** When the key was created, by the clock at that time. */
  readonly createdMs: number;
  /** The public key, 32 bytes in Base64URL. */
  readonly x: string;
  /** The private key, 32 bytes in Base64URL (RFC 8037 §2). */
  readonly d: string | undefined;
}

// 32 bytes are 43 digits, the last with four bits: only the canonical encoding is accepted.
export const Bytes32 = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });

const KeyFile = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  kid: Type.String(),
  x: Bytes32,
  d: Type.Optional(Bytes32),
  created: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** Serialises a key file: a JWK (RFC 7517, RFC 8037) with two private members. */
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
 * Parses a key file.
 * @throws {Error} with the reason, phrased to follow the name of the file
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
  if (!KEY_ID.test(kid)) throw new Error("its 'kid' is malformed");
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

const MS_PER_DAY = 86_400_000;
/** The form of a `kid`, which is safe as a file name. */
export const KEY_ID = /^ed25519-\d{4,6}-\d\d-\d\d$/;

/** The `kid` of a key created at an instant: `ed25519-` and the UTC date, plus `daysLater` days. */
export function keyIdOf(epochMs: number, daysLater = 0): string {
  const [date] = new Date(epochMs + daysLater * MS_PER_DAY).toISOString().split('T');
  return `ed25519-${date!.replace(/^\+0*/, '')}`; // a year after 9999 has neither a sign nor leading zeros
}
