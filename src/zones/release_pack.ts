import { decompressZstd } from '../common/zlib.ts';
import type { ZoneSource } from './zone_pack.ts';

/** A tzdata release: its version and publication date. */
export interface Release {
  /** `2024a` */
  readonly version: string;
  /** `YYYY-MM-DD` */
  readonly released: string;
}

/** The index of a pack, in JSON. */
export interface ReleaseIndex {
  /** The lengths of the TZif files, by name and then by release: similar ones follow each other. */
  readonly files: readonly number[];
  /** Oldest first. */
  readonly releases: readonly (Release & {
    /** Each name of a TZif file, and its index in `files`. */
    readonly files: Difference<number>;
    readonly links: Difference<string>;
    readonly countryOfZone: Difference<string>;
    readonly countryNames: Difference<string>;
  })[];
}

/** The difference between two maps; lists of pairs rather than objects, which are unsafe for names such as `__proto__`. */
export interface Difference<Value> {
  readonly set: readonly (readonly [name: string, value: Value])[];
  readonly removed: readonly string[];
}

export const RELEASE_MAGIC = 'MRELEA1\n';
const LENGTH_BYTES = 4;
/** Limit for a decompressed pack; 56 releases have 1.3 MB. */
const MAX_BYTES = 32_000_000;

/** A decoded pack. */
export interface ReleasePack {
  /** Oldest first. */
  readonly releases: readonly Release[];
  /** The zones of a release by position; equal TZif files share the same array in all releases. */
  sourceOf(position: number): ZoneSource;
}

/**
 * Decodes a pack of several tzdata releases, with each distinct TZif file once, and for each release its differences from the
 * previous one:
 *
 *      0  "MRELEA1\n"       magic and version of this layout
 *      8  zstd frame:
 *           0  u32, big-endian   length of the index
 *           4  index             JSON in UTF-8, see ReleaseIndex
 *           …  TZif files        concatenated, with the lengths in the index
 *
 * Decompression does not block. Rejects with an `Error` if the pack is truncated or not one.
 */
export async function decodeReleasePack(pack: Uint8Array): Promise<ReleasePack> {
  if (Buffer.from(pack.subarray(0, RELEASE_MAGIC.length)).toString('latin1') !== RELEASE_MAGIC)
    throw new Error('Not a pack of releases');
  const bytes = await decompressZstd(pack.subarray(RELEASE_MAGIC.length), MAX_BYTES);
  const filesAt = LENGTH_BYTES + bytes.readUInt32BE();
  const { files: lengths, releases } = JSON.parse(
    bytes.toString('utf8', LENGTH_BYTES, filesAt),
  ) as ReleaseIndex;
  let at = filesAt;
  const files = lengths.map(length => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  if (at !== bytes.length) throw new Error('The pack of releases is truncated or has trailing bytes');
  return {
    releases: releases.map(({ version, released }) => ({ version, released })),
    sourceOf(position) {
      const steps = releases.slice(0, position + 1);
      const numbers = applied(steps.map(step => step.files));
      return {
        version: releases[position]!.version,
        files: new Map([...numbers].map(([name, number]) => [name, files[number]!])),
        links: applied(steps.map(step => step.links)),
        countryOfZone: applied(steps.map(step => step.countryOfZone)),
        countryNames: applied(steps.map(step => step.countryNames)),
      };
    },
  };
}

function applied<Value>(differences: readonly Difference<Value>[]): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const { set, removed } of differences) {
    for (const name of removed) values.delete(name);
    for (const [name, value] of set) values.set(name, value);
  }
  return values;
}
