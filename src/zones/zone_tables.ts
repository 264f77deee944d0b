/** Readers of tzdata's text files: `tzdata.zi`, `zone.tab`, `iso3166.tab`. */

/** The names that `tzdata.zi` defines. */
export interface ZoneNames {
  /** `2026f`; null where the file does not say. */
  readonly version: string | null;
  readonly zones: readonly string[];
  /** Each Link's name and what it points to. */
  readonly links: ReadonlyMap<string, string>;
}

/** Reads the names of `tzdata.zi`: `# version 2026f`, `Z name …`, `L target name`. */
export function readZoneNames(zi: string): ZoneNames {
  const zones: string[] = [];
  const links = new Map<string, string>();
  for (const [kind, first, second] of rows(zi, / +/)) {
    if (kind === 'Z' && first !== undefined) zones.push(first);
    if (kind === 'L' && first !== undefined && second !== undefined) links.set(second, first);
  }
  return { version: /^# version (\S+)$/m.exec(zi)?.[1] ?? null, zones, links };
}

/** Reads `zone.tab`: each zone's name and its ISO 3166 country code. */
export function readZoneTab(tab: string): Map<string, string> {
  const countryOfZone = new Map<string, string>();
  for (const [country, , name] of rows(tab, /\t/)) {
    if (country !== undefined && name !== undefined) countryOfZone.set(name, country);
  }
  return countryOfZone;
}

/** Reads `iso3166.tab`: each country code's English name. */
export function readCountryNames(tab: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [code, name] of rows(tab, /\t/)) {
    if (code !== undefined && name !== undefined) names.set(code, name);
  }
  return names;
}

function* rows(text: string, separator: RegExp): Generator<string[]> {
  for (const line of text.split(/\r?\n/)) {
    if (line !== '' && !line.startsWith('#')) yield line.split(separator);
  }
}
