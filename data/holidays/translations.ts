import { data, type LibraryRule, type Place } from 'date-holidays/data';
import { nameLanguageOf, primaryLanguage } from '../../src/holidays/name_language.ts';
import type { SourceDay } from './source_calendar.ts';

/** Names of a holiday by language. */
type Names = ReadonlyMap<string, string>;

/** The names of a country's days in further languages, by their names in the table. */
export type Translations = ReadonlyMap<string, Names>;

/** The days of a calendar, in the table and in date-holidays, which may have only the calendar above it. */
export interface TranslatedCalendar {
  readonly holidays: readonly SourceDay[];
  readonly library: readonly SourceDay[];
}

/** Official languages in which the library has some names although it does not list them for the country. */
const FURTHER_LANGUAGES: Readonly<Record<string, readonly string[]>> = { ES: ['ca', 'eu', 'gl'], FI: ['sv'] };

/**
 * The names of the days of a country, in the languages that date-holidays lists for it. The names of the table are mostly those of
 * python-holidays. Each is translated as the library's holiday of that name in any language, or else as the one on the same days, or
 * of the same English name.
 */
export function translationsOf(country: string, calendars: readonly TranslatedCalendar[]): Translations {
  const place = data.holidays[country];
  if (place === undefined) return new Map();
  const byText = namesByText(place);
  const languages = languagesOf(country, place);
  const found = namesByName(calendars, byText);
  return new Map(
    [...found].flatMap(([name, names]) => {
      const translated = inLanguages(name, names, languages, nameLanguageOf(country));
      return translated.size === 0 ? [] : [[name, translated] as const];
    }),
  );
}

/** The library's names of each name of the table. */
function namesByName(
  calendars: readonly TranslatedCalendar[],
  byText: ReadonlyMap<string, Names>,
): ReadonlyMap<string, Names> {
  const votesOf = new Map<string, Votes>();
  const substitutes = new Set<string>();
  for (const { holidays, library } of calendars) {
    const libraryDays = daysByName(library);
    for (const [name, days] of daysByName(holidays)) {
      if (days.isSubstitute) substitutes.add(name);
      const names = namesOf(name, days, libraryDays, byText);
      if (names === undefined) continue;
      const votes = votesOf.get(name) ?? new Map();
      votesOf.set(name, votes.set(names, (votes.get(names) ?? 0) + days.dayNumbers.size));
    }
  }
  const found = new Map([...votesOf].map(([name, votes]) => [name, mostVoted(votes)]));
  for (const name of substitutes.difference(found)) {
    const original = found.get(name.replace(/ \([^()]*\)$/, ''));
    if (original !== undefined) found.set(name, asSubstitute(original));
  }
  return found;
}

/** By what names a name was translated in the calendars of a country, with the number of days. */
type Votes = Map<Names, number>;

function mostVoted(votes: Votes): Names {
  return [...votes].reduce((best, vote) => (vote[1] > best[1] ? vote : best))[0];
}

/** What is written for a name: without English, which the table has apart, and without the language that the name is in. */
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
  const labels = data.names['substitutes']!.name; // the library's own use of it
  return new Map(
    [...names].flatMap(([language, text]) => {
      const label = labels[language];
      return label === undefined ? [] : [[language, `${text} (${label})`] as const];
    }),
  );
}

interface DaysOfName {
  readonly isSubstitute: boolean;
  readonly nameEn: string | null;
  readonly dayNumbers: ReadonlySet<number>;
}

function daysByName(days: readonly SourceDay[]): Map<string, DaysOfName> {
  const byName = Map.groupBy(days, ({ name }) => name);
  return new Map(
    [...byName].map(([name, named]) => [
      name,
      {
        isSubstitute: named.every(({ isSubstitute }) => isSubstitute),
        nameEn: named.find(({ nameEn }) => nameEn !== null)?.nameEn ?? null,
        dayNumbers: new Set(named.map(({ dayNumber }) => dayNumber)),
      },
    ]),
  );
}

function namesOf(
  name: string,
  { nameEn, dayNumbers }: DaysOfName,
  library: ReadonlyMap<string, DaysOfName>,
  byText: ReadonlyMap<string, Names>,
): Names | undefined {
  const ofName = byText.get(name);
  if (ofName !== undefined) return ofName;
  const [sameDays] = [...library]
    .filter(([, other]) => areSameDays(dayNumbers, other.dayNumbers))
    .flatMap(([other]) => byText.get(other) ?? []);
  return sameDays ?? byText.get(nameEn ?? '');
}

/** Enough days for it to be no accident. */
const MIN_DAYS = 5;
const MIN_SHARE = 0.8;

/** Whether most of the days of two holidays are the same, in the years that both have. */
function areSameDays(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  const shared = [...one].filter(day => other.has(day));
  if (shared.length < MIN_DAYS) return false;
  const [first, last] = [Math.min(...shared), Math.max(...shared)];
  return [one, other].every(days => {
    const within = [...days].filter(day => day >= first && day <= last);
    return shared.length >= MIN_SHARE * within.length;
  });
}
