/** The keywords that begin a zone and a link; `tzdata.zi` abbreviates them. */
const ZONE = new Set(['Z', 'Zone']);
const LINK = new Set(['L', 'Link']);

/** Parses the names in a source of tzdata: `# version 2026f` (null if missing), `Z name …`, `L target name` (by name). */
export function readZoneNames(zi: string) {
  const zones: string[] = [];
  const links = new Map<string, string>();
  for (const [kind, first, second] of rows(zi, /[ \t]+/)) {
    if (kind === undefined || first === undefined) continue;
    if (ZONE.has(kind)) zones.push(first);
    if (LINK.has(kind) && second !== undefined) links.set(second, first);
  }
  return { version: /^# version (\S+)$/m.exec(zi)?.[1] ?? null, zones, links };
}

/** Parses `zone.tab`: each zone's name and its ISO 3166 country code. */
export function readZoneTab(tab: string): Map<string, string> {
  return columns(tab, 2, 0);
}

/** Parses `iso3166.tab`: each country code's English name. */
export function readCountryNames(tab: string): Map<string, string> {
  return columns(tab, 0, 1);
}

/** Two columns of a table, counted from 0. */
function columns(tab: string, keyColumn: number, valueColumn: number): Map<string, string> {
  const values = new Map<string, string>();
  for (const { [keyColumn]: key, [valueColumn]: value } of rows(tab, /\t/))
    if (key !== undefined && value !== undefined) values.set(key, value);
  return values;
}

function* rows(text: string, separator: RegExp): Generator<string[]> {
  for (const line of text.split(/\r?\n/))
    if (line !== '' && !line.startsWith('#')) yield line.split(separator);
}
