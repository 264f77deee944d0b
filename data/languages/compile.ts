/** Compiles `languages.pack` and its manifest from CLDR: `bun data/languages/compile.ts`. The result is committed. */
import { deflateRawSync } from 'node:zlib';
import { IN_DATES, LISTS } from '../../src/text/language_pack.ts';
import type { TimeNames } from '../../src/text/languages.ts';
import { EMPTY_TAG } from '../../src/text/place_names.ts';
import { writeArtifact } from '../artifact.ts';
import { entriesByTag, localesOfCldr, RELEASE, readCldr } from './cldr.ts';
import { type PlaceTable, placeNames } from './place_names.ts';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = Array.from({ length: 12 }, (_, index) => `${index + 1}`);
const HALVES_OF_DAY = ['am', 'pm'];
/** The month names of a locale without any of its own. */
const ROOT_MONTH = 'M01';

type Widths = Readonly<Record<'abbreviated' | 'wide', Readonly<Record<string, string>>>>;
type Forms = Readonly<Record<'format' | 'stand-alone', Widths>>;
type Gregorian = Readonly<Record<'months' | 'days' | 'dayPeriods', Forms>>;

/** A language under all its tags, in lower case; null for tags that CLDR lists without names. */
export interface LanguageEntry {
  readonly tags: readonly string[];
  readonly names: TimeNames | null;
}

/** The names in every CLDR language, each under all its tags; null for tags without names. */
export function languagesOfCldr(): LanguageEntry[] {
  const namesByTag = new Map(localesOfCldr().map(tag => [tag, namesOf(tag)]));
  return entriesByTag(namesByTag, names => JSON.stringify(names)).map(({ tags, value }) => ({
    tags,
    names: value,
  }));
}

function namesOf(tag: string): TimeNames | null {
  const { main } = readCldr<{
    main: Readonly<Record<string, { dates: { calendars: { gregorian: Gregorian } } }>>;
  }>(`cldr-dates-full/main/${tag}/ca-gregorian.json`);
  const { months, days, dayPeriods } = main[tag]!.dates.calendars.gregorian;
  if (months.format.wide['1'] === ROOT_MONTH) return null;
  const inOrder = (names: Readonly<Record<string, string>>, keys: readonly string[]) =>
    keys.map(key => names[key]!);
  return {
    weekdaysShort: inOrder(days.format.abbreviated, WEEKDAYS),
    weekdaysFull: inOrder(days.format.wide, WEEKDAYS),
    monthsShort: inOrder(months.format.abbreviated, MONTHS),
    monthsFull: inOrder(months.format.wide, MONTHS),
    halvesOfDay: inOrder(dayPeriods.format.abbreviated, HALVES_OF_DAY),
    loneWeekdaysShort: inOrder(days['stand-alone'].abbreviated, WEEKDAYS),
    loneWeekdaysFull: inOrder(days['stand-alone'].wide, WEEKDAYS),
    loneMonthsFull: inOrder(months['stand-alone'].wide, MONTHS),
  };
}

/** Encodes a pack, sorted by tag. Throws an `Error` for a name with a separator. */
export function encodeLanguagePack(entries: readonly LanguageEntry[], places: PlaceTable): Uint8Array {
  const lines = entries.map(({ tags, names }) =>
    [tags.join(' '), ...(names ? listsOf(names) : [])].join('\t'),
  );
  return Buffer.from([...lines.sort(), ...linesOfPlaces(places), ''].join('\n'));
}

/** The codes, and a line for each set of names, sorted by tag. */
function linesOfPlaces({ entries, sameAs }: PlaceTable): string[] {
  const codes = [...new Set(entries.flatMap(({ names }) => [...names.keys()]))].sort();
  const withSame = codes.map(code => [
    code,
    ...[...sameAs.keys()].filter(other => sameAs.get(other) === code),
  ]);
  const lines = entries.map(({ tags, names }) => {
    const text = codes.map(code => (names.has(code) ? joined([names.get(code)!]) : '')).join('|');
    return `${tags.join(' ')}\t${deflateRawSync(text, { level: 9 }).toString('base64')}`;
  });
  return [withSame.map(same => same.join('=')).join('|'), ...lines.sort()].map(line => EMPTY_TAG + line);
}

function listsOf(names: TimeNames): string[] {
  const texts = new Map(LISTS.map(list => [list, joined(names[list])]));
  return LISTS.map(list => {
    const inDates = IN_DATES[list];
    const text = texts.get(list)!;
    return inDates !== undefined && texts.get(inDates) === text ? '' : text;
  });
}

function joined(names: readonly string[]): string {
  const separated = names.find(name => name === '' || /[\t\n|]/.test(name));
  if (separated !== undefined) throw new Error(`${JSON.stringify(separated)} cannot be in a pack`);
  return names.join('|');
}

if (import.meta.main) {
  const pack = encodeLanguagePack(languagesOfCldr(), placeNames());
  const { version, bytes } = await writeArtifact(new URL('./', import.meta.url), 'languages.pack', pack, {
    name: 'languages',
    ...RELEASE,
    source:
      'Unicode CLDR, https://cldr.unicode.org, by npm cldr-dates-full, cldr-localenames-full, cldr-subdivisions-full and cldr-core 48.2.0, with the names of data/languages/subdivisions.txt',
    licence: 'Unicode-3.0',
    attribution: 'Names of weekdays, months, countries and subdivisions © Unicode, Inc., CLDR',
  });
  console.log(`languages.pack: CLDR ${version}, ${bytes} bytes`);
}
