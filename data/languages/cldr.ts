import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
/** The release, and the day on which npm published its packages. */
export const RELEASE = { version: '48.2', date: '2026-03-25' };

/** A file of a CLDR package: `cldr-core/defaultContent.json`. */
export function readCldr<Content>(path: string): Content {
  return JSON.parse(readFileSync(resolve(path), 'utf8')) as Content;
}

/** A file of a locale; undefined for one without. */
export function readIfPresent<Content>(path: string): Content | undefined {
  const [name, ...rest] = path.split('/');
  const file = new URL(rest.join('/'), `file://${resolve(`${name}/package.json`)}`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Content) : undefined;
}

/** The tags of all locales. Throws an `Error` if a package is not of {@link RELEASE}. */
export function localesOfCldr(): string[] {
  for (const name of ['dates', 'localenames', 'subdivisions']) {
    const { version } = readCldr<{ version: string }>(`cldr-${name}-full/package.json`);
    if (!version.startsWith(`${RELEASE.version}.`)) throw new Error(`Set RELEASE to CLDR ${version}`);
  }
  return readCldr<{ availableLocales: { full: string[] } }>('cldr-core/availableLocales.json')
    .availableLocales.full;
}

/** An entry for each distinct value of a map by tag, with all its tags and those that stand for them, in lower case. */
export function entriesByTag<Value>(
  byTag: Map<string, Value>,
  keyOf: (value: Value) => string,
): { readonly tags: readonly string[]; readonly value: Value }[] {
  addScriptless(byTag);
  addAliases(byTag);
  const entries = Map.groupBy(byTag, ([, value]) => keyOf(value));
  return [...entries.values()].map(sameValue => ({
    tags: sameValue.map(([tag]) => tag.toLowerCase()).sort(),
    value: sameValue[0]![1],
  }));
}

/** `zh-TW` for `zh-Hant-TW`: the language-region tags for whose likely script CLDR has names. */
function addScriptless<Value>(byTag: Map<string, Value>): void {
  const { likelySubtags } = readCldr<{
    supplemental: { likelySubtags: Readonly<Record<string, string>> };
  }>('cldr-core/supplemental/likelySubtags.json').supplemental;
  const { defaultContent } = readCldr<{ defaultContent: string[] }>('cldr-core/defaultContent.json');
  for (const tag of [...byTag.keys(), ...defaultContent]) {
    const [language, script, region] = tag.split('-');
    if (region === undefined || script?.length !== 4) continue;
    const short = `${language}-${region}`;
    const value = byTag.get(tag) ?? byTag.get(`${language}-${script}`);
    if (likelySubtags[short] === tag && value !== undefined && !byTag.has(short)) byTag.set(short, value);
  }
}

/** Deprecated and three-letter tags: `iw` for `he`, `deu` for `de`; not those such as `i-lux`, which do not start with a language. */
function addAliases<Value>(byTag: Map<string, Value>): void {
  const { languageAlias } = readAliases();
  for (const [alias, { _replacement: tag }] of Object.entries(languageAlias)) {
    const value = byTag.get(tag);
    if (value !== undefined && tag !== 'und' && alias[1] !== '-' && !byTag.has(alias))
      byTag.set(alias, value);
  }
}

type Aliases = Readonly<Record<string, { readonly _replacement: string }>>;

/** CLDR's replacements of tags and codes. */
export function readAliases(): Readonly<Record<'languageAlias' | 'subdivisionAlias', Aliases>> {
  return readCldr<{
    supplemental: { metadata: { alias: ReturnType<typeof readAliases> } };
  }>('cldr-core/supplemental/aliases.json').supplemental.metadata.alias;
}
