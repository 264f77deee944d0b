import { once } from '../common/caching.ts';

/** The names of weekdays (Sunday is at index 0), months (January is at index 0) and halves of the day in a language. */
export interface TimeNames {
  /** For use within dates: CLDR's "format" form. */
  readonly weekdaysShort: readonly string[];
  readonly weekdaysFull: readonly string[];
  readonly monthsShort: readonly string[];
  readonly monthsFull: readonly string[];
  readonly halvesOfDay: readonly string[];
  /** Used by themselves: CLDR's "stand-alone" form. */
  readonly loneWeekdaysShort: readonly string[];
  readonly loneWeekdaysFull: readonly string[];
  readonly loneMonthsFull: readonly string[];
}

// English names as in the C locale.

/** `Sunday` … `Saturday`; Sunday is at index 0, as `Moment.weekday` counts. */
export const WEEKDAYS_FULL: readonly string[] =
  'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** `Sun` … `Sat`. */
export const WEEKDAYS_SHORT: readonly string[] = WEEKDAYS_FULL.map(name => name.slice(0, 3));

/** `January` … `December`; month 1 is at index 0. */
export const MONTHS_FULL: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');

/** `Jan` … `Dec`; month 1 is at index 0. */
export const MONTHS_SHORT: readonly string[] = MONTHS_FULL.map(name => name.slice(0, 3));

export const ENGLISH_NAMES: TimeNames = {
  weekdaysShort: WEEKDAYS_SHORT,
  weekdaysFull: WEEKDAYS_FULL,
  monthsShort: MONTHS_SHORT,
  monthsFull: MONTHS_FULL,
  halvesOfDay: ['AM', 'PM'],
  loneWeekdaysShort: WEEKDAYS_SHORT,
  loneWeekdaysFull: WEEKDAYS_FULL,
  loneMonthsFull: MONTHS_FULL,
};

/**
 * The lists of an entry in a pack, which is a text with a line for each entry:
 *
 *     fi fi-fi fin⇥su|ma|…⇥sunnuntaina|…⇥tammik.|…⇥tammikuuta|…⇥ap.|ip.⇥⇥sunnuntai|…⇥tammikuu|…
 *
 * The tags, then the lists in this order; a stand-alone list is empty if it equals the list for use in dates. The line of tags
 * without names has no lists.
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

/** Weekday and month names in the languages of CLDR. */
export class Languages {
  /** The line of each tag, null for one without names. */
  readonly #linesByTag: () => ReadonlyMap<string, string | null>;
  /** The names by line; at most as many as there are lines. */
  readonly #names = new Map<string, TimeNames>();

  constructor(pack: Uint8Array) {
    this.#linesByTag = once(() => linesByTag(new TextDecoder().decode(pack)));
  }

  /**
   * The names for a case-insensitive BCP 47 tag, by lookup as in RFC 4647 §3.4: `de-at-1996` finds `de-AT`, and `de-XX` finds
   * `de`. Undefined for a malformed tag, and for a language without names.
   */
  namesOf(tag: string): TimeNames | undefined {
    const folded = tag.toLowerCase();
    if (tag.length > MAX_TAG_LENGTH || !TAG.test(folded)) return undefined;
    const line = this.#lineOf(folded);
    if (!line) return undefined;
    const known = this.#names.get(line);
    if (known !== undefined) return known;
    const names = namesOfLine(line);
    this.#names.set(line, names);
    return names;
  }

  #lineOf(tag: string): string | null | undefined {
    const line = this.#linesByTag().get(tag);
    const end = tag.lastIndexOf('-');
    if (line !== undefined || end === -1) return line;
    const isAfterSingleton = tag[end - 2] === '-';
    return this.#lineOf(tag.slice(0, isAfterSingleton ? end - 2 : end));
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
