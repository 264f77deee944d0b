import { once } from '../common/caching.ts';
import type { TimeNames } from './languages.ts';
import { PlaceNames, splitLanguagePack } from './place_names.ts';

/**
 * The lists of an entry in a pack, which is a text with a line for each entry:
 *
 *     fi fi-fi fin⇥su|ma|…⇥sunnuntaina|…⇥tammik.|…⇥tammikuuta|…⇥ap.|ip.⇥⇥sunnuntai|…⇥tammikuu|…
 *
 * The tags, then the lists in this order; a stand-alone list is empty if it equals the list for use in dates. The line of tags
 * without names has no lists. After the lines there are names of places, see `place_names.ts`; older packs have none.
 */
export const LISTS = [
  'weekdaysShort',
  'weekdaysFull',
  'monthsShort',
  'monthsFull',
  'halvesOfDay',
  'loneWeekdaysShort',
  'loneWeekdaysFull',
  'loneMonthsFull',
] as const satisfies readonly (keyof TimeNames)[];

/** The list for use in dates that corresponds to a stand-alone one. */
export const IN_DATES: Readonly<Partial<Record<keyof TimeNames, keyof TimeNames>>> = {
  loneWeekdaysShort: 'weekdaysShort',
  loneWeekdaysFull: 'weekdaysFull',
  loneMonthsFull: 'monthsFull',
};

/** The maximum length of a tag; RFC 5646 §4.4.1 needs 35 characters. */
const MAX_TAG_LENGTH = 64;
/** A language and optional subtags: script, region, variants, extensions (RFC 5646 §2.1). */
const TAG = /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/;

/** The names of weekdays, months and places in the languages of CLDR. */
export class Languages {
  /** The line of each tag, null for one without names. */
  readonly #linesByTag: () => ReadonlyMap<string, string | null>;
  /** The names by line; at most as many as there are lines. */
  readonly #names = new Map<string, TimeNames>();
  readonly #places: () => PlaceNames;

  constructor(pack: Uint8Array) {
    const parts = once(() => splitLanguagePack(pack));
    this.#linesByTag = once(() => linesByTag(new TextDecoder().decode(parts().lines)));
    this.#places = once(() => new PlaceNames(parts().places));
  }

  /**
   * The names for a case-insensitive BCP 47 tag, by lookup as in RFC 4647 §3.4: `de-at-1996` finds `de-AT`, and `de-XX` finds
   * `de`. Undefined for a malformed tag, and for a language without names.
   */
  namesOf(tag: string): TimeNames | undefined {
    const line = lookUp(tag, folded => this.#linesByTag().get(folded));
    if (!line) return undefined;
    const known = this.#names.get(line);
    if (known !== undefined) return known;
    const names = namesOfLine(line);
    this.#names.set(line, names);
    return names;
  }

  /**
   * The names of countries and subdivisions by ISO 3166 code (`DE`, `GB-SCT`) for a tag, looked up in the same way. Without those
   * that CLDR lacks; undefined if there are none.
   */
  placeNamesOf(tag: string): ReadonlyMap<string, string> | undefined {
    return lookUp(tag, folded => this.#places().namesOf(folded));
  }
}

/** The value of the longest known prefix of a tag (RFC 4647 §3.4); undefined if there is none, or the tag is malformed. */
function lookUp<Value>(tag: string, find: (folded: string) => Value | undefined): Value | undefined {
  const folded = tag.toLowerCase();
  if (tag.length > MAX_TAG_LENGTH || !TAG.test(folded)) return undefined;
  for (let prefix = folded; ; ) {
    const found = find(prefix);
    const end = prefix.lastIndexOf('-');
    if (found !== undefined || end === -1) return found;
    const isAfterSingleton = prefix[end - 2] === '-';
    prefix = prefix.slice(0, isAfterSingleton ? end - 2 : end);
  }
}

function linesByTag(pack: string): Map<string, string | null> {
  const lines = new Map<string, string | null>();
  for (const line of pack.trimEnd().split('\n')) {
    const tagsEnd = line.indexOf('\t');
    const tags = tagsEnd === -1 ? line : line.slice(0, tagsEnd);
    for (const tag of tags.split(' ')) lines.set(tag, tagsEnd === -1 ? null : line);
  }
  return lines;
}

function namesOfLine(line: string): TimeNames {
  const [, ...texts] = line.split('\t');
  const textOf = (list: keyof TimeNames): string => texts[LISTS.indexOf(list)] || textOf(IN_DATES[list]!);
  return Object.fromEntries(LISTS.map(list => [list, textOf(list).split('|')])) as unknown as TimeNames;
}
