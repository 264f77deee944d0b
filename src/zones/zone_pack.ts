import { compareText } from '../common/sorted_list.ts';

/** The contents of a `ZoneDatabase`, from a pack or a zoneinfo directory. */
export interface ZoneSource {
  /** The release of tzdata: `2026f`. */
  readonly version: string;
  /** The TZif file of every name that has its own. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The target of each alias. */
  readonly links: ReadonlyMap<string, string>;
  /** The ISO 3166 code of each zone in `zone.tab`. */
  readonly countryOfZone: ReadonlyMap<string, string>;
  /** The English name of each ISO 3166 code. */
  readonly countryNames: ReadonlyMap<string, string>;
}

/** Lists of pairs rather than objects: safe for names such as `__proto__`. */
interface PackIndex {
  readonly version: string;
  readonly files: readonly (readonly [name: string, bytes: number])[];
  readonly links: readonly (readonly [name: string, target: string])[];
  readonly countryOfZone: readonly (readonly [name: string, code: string])[];
  readonly countryNames: readonly (readonly [code: string, name: string])[];
}

const MAGIC = 'MZONES1\n';
const INDEX_AT = MAGIC.length + 4;

/**
 * Encodes all of tzdata in one file:
 *
 *      0  "MZONES1\n"       magic and version of this layout
 *      8  u32, big-endian   length of the index
 *     12  index             JSON in UTF-8, see PackIndex
 *      …  TZif files        concatenated, in the order and with the lengths of `files` in the index
 *
 * Files and links are sorted by name, so that the same data always encodes to the same bytes; the rest is in the order
 * of its table.
 */
export function encodeZonePack(source: ZoneSource): Uint8Array {
  const files = byName(source.files);
  const index: PackIndex = {
    version: source.version,
    files: files.map(([name, bytes]) => [name, bytes.length]),
    links: byName(source.links),
    countryOfZone: [...source.countryOfZone],
    countryNames: [...source.countryNames],
  };
  const indexBytes = Buffer.from(JSON.stringify(index));
  const head = Buffer.alloc(INDEX_AT);
  head.write(MAGIC);
  head.writeUInt32BE(indexBytes.length, MAGIC.length);
  return Buffer.concat([head, indexBytes, ...files.map(([, bytes]) => bytes)]);
}

/** Decodes a pack; the TZif files are views of its bytes. Throws an `Error` if it is truncated or not a pack. */
export function decodeZonePack(pack: Uint8Array): ZoneSource {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.length);
  if (bytes.length < INDEX_AT || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('Not a pack of zones');
  const filesAt = INDEX_AT + bytes.readUInt32BE(MAGIC.length);
  const index = JSON.parse(bytes.toString('utf8', INDEX_AT, filesAt)) as PackIndex;
  const files = new Map<string, Uint8Array>();
  let at = filesAt;
  for (const [name, length] of index.files) {
    files.set(name, pack.subarray(at, at + length));
    at += length;
  }
  if (at !== pack.length) throw new Error('The pack of zones is truncated or has trailing bytes');
  return {
    version: index.version,
    files,
    links: new Map(index.links),
    countryOfZone: new Map(index.countryOfZone),
    countryNames: new Map(index.countryNames),
  };
}

function byName<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}
