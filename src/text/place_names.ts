/**
 * The names of countries and subdivisions at the end of a pack of languages, in lines with an empty tag, which older versions
 * ignore:
 *
 *     ⇥AD|AE|…|AX=FI-01|…|GB-SCT
 *     ⇥de de-de deu⇥VVfNcuM2En4V…
 *
 * The codes (ISO 3166-1 alpha-2, ISO 3166-2), with those that have the same name; then a line for each set of names, with all its
 * tags, and `Andorra|Vereinigte Arabische Emirate|…|Schottland` in base64 of raw deflate. A name is empty if it is unknown. Each
 * set is compressed by itself, because decompressing the names of all languages at once, 1 MB, would take 50 ms.
 */
import { BoundedCache, once } from '../common/caching.ts';
import { inflateRaw } from '../common/zlib.ts';

/** Begins the lines with names of places. */
export const EMPTY_TAG = '\t';
/** The maximum length of the names in a language; they have up to 11 KB. */
const MAX_BYTES = 100_000;
/** Languages of which the names are cached, of 20 KB each; at most twice as many. */
const CACHED_LANGUAGES = 8;

const TAB = 0x09;
const LINE_BREAK = 0x0a;

type Names = ReadonlyMap<string, string>;

/** The lines of a pack for weekdays and months, and those for places, which older packs lack. */
export function splitLanguagePack(pack: Uint8Array): { lines: Buffer; places: Buffer } {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.length);
  const lineBreak = bytes.indexOf(`\n${EMPTY_TAG}`);
  const start = lineBreak === -1 ? bytes.length : lineBreak + 1;
  return { lines: bytes.subarray(0, start), places: bytes.subarray(start) };
}

/** The names of places by language; indexed on first use, and inflated for the languages that are asked for. */
export class PlaceNames {
  /** The lines for places, which are ASCII. */
  readonly #lines: Buffer;
  readonly #index: () => PlaceIndex;
  /** By the start of the compressed names. */
  readonly #names = new BoundedCache<number, Names>(CACHED_LANGUAGES);

  constructor(lines: Buffer) {
    this.#lines = lines;
    this.#index = once(() => indexOf(lines));
  }

  /** The known names by code, for a tag in lower case; undefined if it has none of its own. Throws an `Error` if they are damaged. */
  namesOf(tag: string): Names | undefined {
    const { codes, starts } = this.#index();
    const start = starts.get(tag);
    if (start === undefined) return undefined;
    return this.#names.getOrInsertComputed(start, () => {
      try {
        return namesAt(start, this.#lines, codes);
      } catch (error) {
        throw new Error(`The names of places in '${tag}' are damaged`, { cause: error });
      }
    });
  }
}

interface PlaceIndex {
  /** The codes of each name, separated by `=`. */
  readonly codes: readonly string[];
  /** Where the compressed names start, by tag. */
  readonly starts: ReadonlyMap<string, number>;
}

function indexOf(lines: Buffer): PlaceIndex {
  const starts = new Map<string, number>();
  const codesEnd = endOfLine(lines, 0);
  for (let lineStart = codesEnd + 1; lineStart < lines.length; ) {
    const tagsStart = lineStart + EMPTY_TAG.length;
    const tagsEnd = lines.indexOf(TAB, tagsStart);
    for (const tag of lines.toString('latin1', tagsStart, tagsEnd).split(' ')) starts.set(tag, tagsEnd + 1);
    lineStart = endOfLine(lines, tagsEnd) + 1;
  }
  return { codes: lines.toString('latin1', EMPTY_TAG.length, codesEnd).split('|'), starts };
}

/** The known names by code, inflated. Throws an `Error` if they are damaged. */
function namesAt(start: number, lines: Buffer, codes: PlaceIndex['codes']): Names {
  const deflated = Buffer.from(lines.toString('latin1', start, endOfLine(lines, start)), 'base64');
  const names = inflateRaw(deflated, MAX_BYTES).toString().split('|');
  if (names.length !== codes.length) throw new Error(`${names.length} names for ${codes.length} codes`);
  const byCode = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (name !== '') for (const code of codes[index]!.split('=')) byCode.set(code, name); // as many as names
  }
  return byCode;
}

function endOfLine(lines: Buffer, start: number): number {
  const end = lines.indexOf(LINE_BREAK, start);
  return end === -1 ? lines.length : end;
}
