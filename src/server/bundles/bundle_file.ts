import { createHash } from 'node:crypto';
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import type { DataSetManifest } from '../../../data/manifest.ts';
import { parseChecked } from '../../common/checked_json.ts';
import { quoted } from '../../common/errors.ts';
import { openPrivateFile } from '../../common/state_files.ts';
import { Bytes32 } from '../../signing/signing_key.ts';
import type { Pack } from '../packs.ts';
import { SLICE_BYTES } from '../sha256.ts';
import { MAX_BUNDLE_BYTES } from './download.ts';

/**
 * Data sets in one file:
 *
 *      0  "MBUNDL1\n"          magic and version of this layout
 *      8  u32, big-endian      length of the manifest
 *     12  u32, big-endian      length of the signatures
 *     16  manifest             JSON in UTF-8, see Manifest; this is signed
 *      …  signatures           JSON in UTF-8, see Signatures
 *      …  payloads             concatenated, in the order and with the lengths of the manifest
 *
 * A manifest names data sets, never files. The same data gives the same bytes.
 */
const MAGIC = 'MBUNDL1\n';
const HEAD_BYTES = 16;
const MAX_MANIFEST_BYTES = 65_536;
/** 64 successions of 64 signatures. */
const MAX_SIGNATURES_BYTES = 1_000_000;

/** Unknown members are rejected, as they may be of a later version. */
const exactObject = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false });

const Text = Type.String({ minLength: 1, maxLength: 1000 });
const Manifest = exactObject({
  format: Type.Literal(1),
  /** Increases with each bundle of a publisher; a lower one is not installed. */
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  sets: Type.Array(
    exactObject({
      name: Text,
      version: Text,
      date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
      source: Text,
      licence: Text,
      attribution: Type.Optional(Text),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      bytes: Type.Integer({ minimum: 1, maximum: MAX_BUNDLE_BYTES }),
    }),
    { minItems: 1, maxItems: 32 },
  ),
});
export type Manifest = Static<typeof Manifest>;

/** A bundle before it is written. */
export interface BundleHead {
  readonly manifestText: string;
  readonly signatures: Signatures;
}

/** Encodes a bundle up to its payloads. */
export function encodeHead({ manifestText, signatures }: BundleHead): Uint8Array {
  const texts = [manifestText, JSON.stringify(signatures)].map(text => Buffer.from(text));
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(MAGIC);
  for (const [index, { length }] of texts.entries()) head.writeUInt32BE(length, MAGIC.length + 4 * index);
  return Buffer.concat([head, ...texts]);
}

/** Opens a bundle; reads only its head. Rejects with an `Error` if the file is not a bundle, truncated, or a symbolic link. */
export async function openBundle(path: string): Promise<Bundle> {
  const { file: opened, status } = await openPrivateFile(path, MAX_BUNDLE_BYTES);
  await using file = opened;
  const head = await readAt(file, 0, HEAD_BYTES);
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('it is not a bundle of this version');
  const [manifestBytes, signaturesBytes] = [head.readUInt32BE(8), head.readUInt32BE(12)];
  if (manifestBytes > MAX_MANIFEST_BYTES || signaturesBytes > MAX_SIGNATURES_BYTES)
    throw new Error('its manifest or its signatures are too long');
  const texts = await readAt(file, HEAD_BYTES, manifestBytes + signaturesBytes);
  const manifestText = utf8(texts.subarray(0, manifestBytes));
  const signatures = parseChecked(Signatures, utf8(texts.subarray(manifestBytes)), 'The signatures');
  const payloadsAt = HEAD_BYTES + texts.length;
  return new Bundle(path, { manifestText, signatures }, payloadsAt, status.size);
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

type OpenFile = Awaited<ReturnType<typeof openPrivateFile>>['file'];

async function readAt(file: OpenFile, position: number, length: number, onSlice?: (slice: Buffer) => void) {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(SLICE_BYTES, length - at), position + at);
    if (bytesRead === 0) throw new Error('it is truncated');
    onSlice?.(bytes.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return bytes;
}

/** A bundle whose head has been read. Nothing in it is trusted until its signatures are verified, see `bundle_keys.ts`. */
export class Bundle {
  readonly path: string;
  readonly head: BundleHead;
  /** The SHA-256 of the manifest in hex. The manifest has the digests of all payloads. */
  readonly digest: string;
  readonly #payloadsAt: number;
  readonly #size: number;
  #manifest: Manifest | undefined;

  constructor(path: string, head: BundleHead, payloadsAt: number, size: number) {
    this.path = path;
    this.head = head;
    this.digest = createHash('sha256').update(head.manifestText).digest('hex');
    this.#payloadsAt = payloadsAt;
    this.#size = size;
  }

  /** The manifest. Throws an `Error` if it is malformed or does not match the file's length. */
  get manifest(): Manifest {
    this.#manifest ??= this.#parse();
    return this.#manifest;
  }

  /** The pack of a data set by its manifest name; undefined if there is none. */
  pack(name: string): Pack | undefined {
    const { sets, sequence } = this.manifest;
    const index = sets.findIndex(set => set.name === name);
    const manifest = sets[index];
    if (manifest === undefined) return undefined;
    const position = this.#payloadsAt + sumOfBytes(sets.slice(0, index));
    return { manifest, sequence, load: () => this.#payload(manifest, position) };
  }

  /** Rejects with an `Error` if a payload's SHA-256 does not match. */
  async verifyPayloads(): Promise<void> {
    for (const { name } of this.manifest.sets) await this.pack(name)!.load(); // it is listed
  }

  #parse(): Manifest {
    const manifest = parseChecked(Manifest, this.head.manifestText, 'The manifest');
    const names = manifest.sets.map(({ name }) => name);
    const repeated = names.find((name, index) => names.indexOf(name) < index);
    if (repeated !== undefined) throw new Error(`The manifest lists ${quoted(repeated)} twice`);
    const expected = this.#payloadsAt + sumOfBytes(manifest.sets);
    if (this.#size !== expected)
      throw new Error(`it has ${this.#size} bytes; its manifest requires ${expected}`);
    return manifest;
  }

  async #payload({ name, bytes: length, sha256 }: DataSetManifest, position: number): Promise<Uint8Array> {
    const { file: opened } = await openPrivateFile(this.path, MAX_BUNDLE_BYTES);
    await using file = opened;
    const hasher = new Bun.CryptoHasher('sha256');
    const bytes = await readAt(file, position, length, slice => hasher.update(slice));
    if (hasher.digest('hex') !== sha256)
      throw new Error(`its ${name} is damaged: the SHA-256 is not that of its manifest`);
    return bytes;
  }
}

function sumOfBytes(sets: Manifest['sets']): number {
  return sets.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Keys of which `threshold` must sign. The file contains no secrets. */
export const KeySetSchema = exactObject({
  /** Successors have a higher version, so that replaced key sets are not accepted again. */
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  threshold: Type.Integer({ minimum: 1, maximum: 32 }),
  /** Ed25519 public keys. */
  keys: Type.Array(Bytes32, { maxItems: 32, uniqueItems: true }),
  /** Keys that no longer count, in any set. */
  revoked: Type.Optional(Type.Array(Bytes32, { maxItems: 1024 })),
});
export type KeySet = Static<typeof KeySetSchema>;

const Signature = exactObject({ key: Bytes32, signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }) });
export type Signature = Static<typeof Signature>;
const SignatureList = Type.Array(Signature, { maxItems: 64 });

/** A bundle's signatures, and the chain of key sets from the roots to the set that signed it. */
export const Signatures = exactObject({
  /** Each is signed by the preceding key set; `keys` is the signed text. */
  successions: Type.Array(
    exactObject({ keys: Type.String({ maxLength: 4096 }), signatures: SignatureList }),
    { maxItems: 64 },
  ),
  signatures: SignatureList,
});
export type Signatures = Static<typeof Signatures>;
