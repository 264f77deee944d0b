/** Compiles `languages.pack` and its manifest from CLDR: `bun data/languages/compile.ts`. The result is committed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { IN_DATES, LISTS, type TimeNames } from '../../src/text/languages.ts';
import { writeArtifact } from '../artifact.ts';

const { resolve } = createRequire(import.meta.url);
/** The release, and the day on which npm published its packages. */
const RELEASE = { version: '48.2', date: '2026-03-25' };

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

function json<Content>(path: string): Content {
  return JSON.parse(readFileSync(resolve(path), 'utf8')) as Content;
}

/** The names in every CLDR language, each under all its tags; null for tags without names. */
export function languagesOfCldr(): LanguageEntry[] {
  const version = json<{ version: string }>('cldr-dates-full/package.json').version;
  if (!version.startsWith(`${RELEASE.version}.`)) throw new Error(`Set RELEASE to CLDR ${version}`);
  const { availableLocales } = json<{ availableLocales: { full: string[] } }>(
    'cldr-core/availableLocales.json',
  );
  const namesByTag = new Map(availableLocales.full.map(tag => [tag, namesOf(tag)]));
  addScriptless(namesByTag);
  addAliases(namesByTag);
  const entries = Map.groupBy(namesByTag, ([, names]) => JSON.stringify(names));
  return [...entries.values()].map(sameNames => ({
    tags: sameNames.map(([tag]) => tag.toLowerCase()).sort(),
    names: sameNames[0]![1],
  }));
}

function namesOf(tag: string): TimeNames | null {
  const { main } = json<{
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

/** `zh-TW` for `zh-Hant-TW`: the language-region tags for whose likely script CLDR has names. */
function addScriptless(namesByTag: Map<string, TimeNames | null>): void {
  const { likelySubtags } = json<{ supplemental: { likelySubtags: Readonly<Record<string, string>> } }>(
    'cldr-core/supplemental/likelySubtags.json',
  ).supplemental;
  const { defaultContent } = json<{ defaultContent: string[] }>('cldr-core/defaultContent.json');
  for (const tag of [...namesByTag.keys(), ...defaultContent]) {
    const [language, script, region] = tag.split('-');
    if (region === undefined || script?.length !== 4) continue;
    const short = `${language}-${region}`;
    const names = namesByTag.get(tag) ?? namesByTag.get(`${language}-${script}`);
    if (likelySubtags[short] === tag && names !== undefined && !namesByTag.has(short)) {
      namesByTag.set(short, names);
    }
  }
}

/** Deprecated and three-letter tags: `iw` for `he`, `deu` for `de`; not those such as `i-lux`, which do not start with a language. */
function addAliases(namesByTag: Map<string, TimeNames | null>): void {
  const { languageAlias } = json<{
    supplemental: { metadata: { alias: { languageAlias: Record<string, { _replacement: string }> } } };
  }>('cldr-core/supplemental/aliases.json').supplemental.metadata.alias;
  for (const [alias, { _replacement: tag }] of Object.entries(languageAlias)) {
    const names = namesByTag.get(tag);
    if (names !== undefined && tag !== 'und' && alias[1] !== '-' && !namesByTag.has(alias))
      namesByTag.set(alias, names);
  }
}

/** Encodes a pack, sorted by tag. Throws an `Error` for a name with a separator. */
export function encodeLanguagePack(entries: readonly LanguageEntry[]): Uint8Array {
  const lines = entries.map(({ tags, names }) =>
    [tags.join(' '), ...(names ? listsOf(names) : [])].join('\t'),
  );
  return new TextEncoder().encode(`${lines.sort().join('\n')}\n`);
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
  const pack = encodeLanguagePack(languagesOfCldr());
  const { version, bytes } = await writeArtifact(new URL('./', import.meta.url), 'languages.pack', pack, {
    name: 'languages',
    ...RELEASE,
    source: 'Unicode CLDR, https://cldr.unicode.org, by npm cldr-dates-full and cldr-core 48.2.0',
    licence: 'Unicode-3.0',
    attribution: 'Names of weekdays and months © Unicode, Inc., CLDR',
  });
  console.log(`languages.pack: CLDR ${version}, ${bytes} bytes`);
}
