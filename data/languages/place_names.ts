import { readFileSync } from 'node:fs';
import { once } from '../../src/common/caching.ts';
import { entriesByTag, localesOfCldr, readAliases, readCldr, readIfPresent } from './cldr.ts';

/** The names of countries and subdivisions in a language, under all its tags in lower case. */
export interface PlaceEntry {
  readonly tags: readonly string[];
  /** By code; without unknown ones. */
  readonly names: ReadonlyMap<string, string>;
}

/** The names of all places in all languages. */
export interface PlaceTable {
  readonly entries: readonly PlaceEntry[];
  /** The codes that have the names of another one. */
  readonly sameAs: ReadonlyMap<string, string>;
}

type Territories = Readonly<Record<string, string>>;

/** Codes for groups of countries, for unknown ones and for tests. */
const NO_PLACES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];
/** Countries of which the short name is an abbreviation in most languages, such as `EE. UU.` */
const ABBREVIATED = ['GB', 'US'];

/** The names of countries in all languages of CLDR, and those of subdivisions other than the English ones. */
export function placeNames(): PlaceTable {
  const own = readSubdivisions();
  const byTag = new Map(
    localesOfCldr().flatMap(tag => {
      const countries = countriesIn(tag);
      if (countries.size === 0) return [];
      const subdivisions = lineageOf(tag).flatMap(locale =>
        locale === 'en' ? [] : [...subdivisionsIn(locale), ...(own.names.get(locale) ?? [])],
      );
      return [[tag, new Map([...countries, ...subdivisions])] as const];
    }),
  );
  const entries = entriesByTag(byTag, names => JSON.stringify([...names]));
  return { entries: entries.map(({ tags, value }) => ({ tags, names: value })), sameAs: own.sameAs };
}

/** A locale and those that it inherits from, the most general one first: `no`, `nb`. */
function lineageOf(tag: string): string[] {
  const hyphen = tag.lastIndexOf('-');
  const parent = parentLocales()[tag] ?? (hyphen === -1 ? 'root' : tag.slice(0, hyphen));
  return parent === 'root' ? [tag] : [...lineageOf(parent), tag];
}

const parentLocales = once(
  () =>
    readCldr<{ supplemental: { parentLocales: { parentLocale: Readonly<Record<string, string>> } } }>(
      'cldr-core/supplemental/parentLocales.json',
    ).supplemental.parentLocales.parentLocale,
);

/** The English name of a country or subdivision; undefined for other codes. */
export function englishPlaceName(code: string): string | undefined {
  const { own, countries, subdivisions } = english();
  return (
    own.names.get('en')?.get(code) ?? countries.get(own.sameAs.get(code) ?? code) ?? subdivisions.get(code)
  );
}

const english = once(() => ({
  own: readSubdivisions(),
  countries: countriesIn('en'),
  subdivisions: subdivisionsIn('en'),
}));

/** The countries in the language of a locale; the short form where there is one (`Hong Kong`). Empty without names. */
function countriesIn(tag: string): Map<string, string> {
  const content = readIfPresent<{
    main: Readonly<Record<string, { localeDisplayNames: { territories: Territories } }>>;
  }>(`cldr-localenames-full/main/${tag}/territories.json`);
  const territories = content?.main[tag]?.localeDisplayNames.territories ?? {};
  const isEnglish = tag.split('-', 1)[0] === 'en';
  return new Map(
    Object.keys(territories)
      .filter(code => /^[A-Z]{2}$/.test(code) && !NO_PLACES.includes(code))
      .filter(code => territories[code] !== code) // the name in CLDR's root
      .map(code => {
        const short = isEnglish || !ABBREVIATED.includes(code) ? territories[`${code}-alt-short`] : undefined;
        return [code, short ?? territories[code]!];
      }),
  );
}

/** The subdivisions in the language of a locale, by ISO 3166-2 code: in English all, in most others only those of the United Kingdom. */
function subdivisionsIn(locale: string): Map<string, string> {
  const content = readIfPresent<{ subdivisions: { localeDisplayNames: { subdivisions: Territories } } }>(
    `cldr-subdivisions-full/subdivisions/${locale}/${locale.replaceAll('-', '_')}.json`,
  );
  const names = content?.subdivisions.localeDisplayNames.subdivisions ?? {};
  return new Map(Object.entries(names).map(([code, name]) => [isoCodeOf(code), name]));
}

/** `DE-BY` for CLDR's `deby`. */
function isoCodeOf(code: string): string {
  return `${code.slice(0, 2)}-${code.slice(2)}`.toUpperCase();
}

interface Subdivisions {
  /** By language, then by code. */
  readonly names: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Countries by the code of a subdivision with their names. */
  readonly sameAs: ReadonlyMap<string, string>;
}

const FILE = new URL('subdivisions.txt', import.meta.url);

/** Parses `subdivisions.txt`, which describes itself. Throws an `Error` for a line that it rejects, or a second name. */
export function readSubdivisions(text = readFileSync(FILE, 'utf8')): Subdivisions {
  const names = new Map<string, Map<string, string>>();
  const sameAs = new Map(
    Object.entries(readAliases().subdivisionAlias)
      .filter(([, { _replacement: country }]) => /^[A-Z]{2}$/.test(country))
      .map(([code, { _replacement: country }]) => [isoCodeOf(code), country]),
  );
  for (const line of text.replaceAll('\n  ', ' ').split('\n')) {
    if (/^(#|$)/.test(line)) continue;
    const [, code, country, listed] =
      /^([A-Z]{2}-\S.*?) (?:= ([A-Z]{2})|([a-z]{2,3} \S.*))$/.exec(line) ?? [];
    if (code === undefined) throw new Error(`subdivisions.txt: ${line}`);
    if (country !== undefined) sameAs.set(code, country);
    for (const part of listed?.split('; ') ?? []) {
      const [, language, name] = /^([a-z]{2,3}) (\S[^|;]*)$/.exec(part) ?? [];
      if (language === undefined) throw new Error(`subdivisions.txt: ${line}`);
      const ofLanguage = names.get(language) ?? new Map<string, string>();
      if (ofLanguage.has(code)) throw new Error(`subdivisions.txt has two names of ${code} in ${language}`);
      names.set(language, ofLanguage.set(code, name!));
    }
  }
  return { names, sameAs };
}
