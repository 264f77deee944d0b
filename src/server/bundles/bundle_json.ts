import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { messageOf, visible } from '../../common/message_of.ts';
import { quoted } from '../../common/service_error.ts';

/** 32 bytes in canonical Base64URL. */
const PublicKey = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });

/** Keys of which `threshold` must sign. The file contains no secrets. */
export const KeySetSchema = Type.Object(
  {
    /** Successors have a higher version, so that replaced key sets are not accepted again. */
    version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    threshold: Type.Integer({ minimum: 1, maximum: 32 }),
    /** Ed25519 public keys. */
    keys: Type.Array(PublicKey, { maxItems: 32, uniqueItems: true }),
    /** Keys that no longer count, in any set. */
    revoked: Type.Optional(Type.Array(PublicKey, { maxItems: 1024 })),
  },
  { additionalProperties: false },
);
export type KeySet = Static<typeof KeySetSchema>;

const Signature = Type.Object(
  { key: PublicKey, signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }) },
  { additionalProperties: false },
);
export type Signature = Static<typeof Signature>;
const SignatureList = Type.Array(Signature, { maxItems: 64 });

/** A bundle's signatures, and the chain of key sets from the roots to the set that signed it. */
export const Signatures = Type.Object(
  {
    /** Each is signed by the preceding key set; `keys` is the signed text. */
    successions: Type.Array(
      Type.Object(
        { keys: Type.String({ maxLength: 4096 }), signatures: SignatureList },
        { additionalProperties: false },
      ),
      { maxItems: 64 },
    ),
    signatures: SignatureList,
  },
  { additionalProperties: false },
);
export type Signatures = Static<typeof Signatures>;

/** Parses JSON and checks its schema. Throws an `Error` that names the invalid member. */
export function parseChecked<Schema extends TSchema>(
  schema: Schema,
  text: string,
  what: string,
): Static<Schema> {
  const value: unknown = parseJson(text, what);
  if (Value.Check(schema, value)) return value;
  const { path, message } = Value.Errors(schema, value).First()!; // the check failed
  throw new Error(`${what}: ${path === '' ? 'it' : quoted(path.slice(1))} is malformed: ${message}`);
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${visible(messageOf(error))}`);
  }
}
