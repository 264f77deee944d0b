import { data, type LibraryRule, type Place } from 'date-holidays/data';
import type { Translations } from '../../../src/holidays/holiday_pack.ts';
import { nameLanguageOf, primaryLanguage } from '../../../src/holidays/name_language.ts';
import type { CountryNames } from '../decisions/names.ts';
import { SUBSTITUTE_LABELS } from './library.ts';

/** Names of a holiday by language. */
type Names = ReadonlyMap<string, string>;

/** Official languages in which the library has some names although it does not list them for the country. */
const FURTHER_LANGUAGES: Readonly<Record<string, readonly string[]>> = { ES: ['ca', 'eu', 'gl'], FI: ['sv'] };

/**
 * The translations of a country's names into the languages that date-holidays lists for it: those of the library's holiday of
 * the same name, or of the one that `names.txt` gives for it; those of a substitute are of its holiday.
 */
export function translationsOf(
  country: string,
  found: Iterable<string>,
  { substitutes, libraryNames }: CountryNames,
): Translations {
  const place = data.holidays[country];
  if (place === undefined) return new Map();
  const byText = namesByText(place);
  const languages = languagesOf(country, place);
  const namesOf = (name: string): Names | undefined => byText.get(libraryNames.get(name) ?? name);
  const namesOfSubstitute = (name: string): Names | undefined => {
    const original = namesOf(substitutes.get(name) ?? '');
    return original && asSubstitute(original);
  };
  return new Map(
    [...new Set(found)].flatMap(name => {
      const names = namesOf(name) ?? namesOfSubstitute(name) ?? new Map<string, string>();
      const translated = inLanguages(name, names, languages, nameLanguageOf(country));
      return translated.size === 0 ? [] : [[name, translated] as const];
    }),
  );
}

/** The translations to store for a name: without English, which the table has apart, and without the language that the name is in. */
function inLanguages(name: string, names: Names, languages: readonly string[], stored: string): Names {
  const isStored = names.get(stored) === name || ![...names.values()].includes(name);
  const further = languages.filter(language => language !== 'en' && !(language === stored && isStored));
  return new Map(
    further.flatMap(language => {
      const text = names.get(language);
      return text === undefined ? [] : [[language, text] as const];
    }),
  );
}

/** The languages of a country and its parts. */
function languagesOf(country: string, place: Place): string[] {
  const tags = [...placesIn(place).flatMap(({ langs = [] }) => langs), ...(FURTHER_LANGUAGES[country] ?? [])];
  return [...new Set(tags.map(languageOf))].sort();
}

/** The library's own codes of languages. */
const OTHER_LANGUAGES: Readonly<Record<string, string>> = { cz: 'cs', ge: 'ka', jp: 'ja' };

/** The BCP 47 language of a tag: `de` of `de-ch`. */
function languageOf(tag: string): string {
  return OTHER_LANGUAGES[tag] ?? primaryLanguage(tag) ?? tag;
}

function placesIn(place: Place): Place[] {
  const parts = [...Object.values(place.states ?? {}), ...Object.values(place.regions ?? {})];
  return [place, ...parts.flatMap(placesIn)];
}

/** The names of each holiday of a country by each of their texts; those of the country come before those of its parts. */
function namesByText(place: Place): Map<string, Names> {
  const byText = new Map<string, Names>();
  for (const { days = {} } of placesIn(place)) {
    for (const rule of Object.values(days)) {
      if (rule === false) continue;
      const names = namesOfRule(rule);
      for (const given of [names, asSubstitute(names)]) {
        for (const text of given.values()) if (!byText.has(text)) byText.set(text, given);
      }
    }
  }
  return byText;
}

function namesOfRule({ name = {}, _name }: LibraryRule): Names {
  const common = _name === undefined ? {} : (data.names[_name]?.name ?? {});
  const tagged = Object.entries({ ...common, ...name });
  // `de` is German, and `de-ch` how it is named in Switzerland.
  const inOrder = tagged.sort(([a], [b]) => b.length - a.length);
  return new Map(inOrder.map(([tag, text]) => [languageOf(tag), text]));
}

/** The names of the substitute of a holiday. */
function asSubstitute(names: Names): Names {
  return new Map(
    [...names].flatMap(([language, text]) => {
      const label = SUBSTITUTE_LABELS[language];
      return label === undefined ? [] : [[language, `${text} (${label})`] as const];
    }),
  );
}
