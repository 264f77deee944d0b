import type { Coverage } from '../../../src/holidays/holiday_pack.ts';
import { countryOf, SNAPSHOT_YEAR, yearOf } from '../dates.ts';
import type { CountryNames, Label, NameKind, SourceDay } from '../types.ts';
import { parseDecisionFile } from './decision_file.ts';

function withoutNames(labels: ReadonlyMap<string, Label>) {
  return {
    kinds: new Map<string, NameKind>(),
    substitutes: new Map<string, string | null>(),
    libraryNames: new Map<string, string>(),
    labels,
  };
}

/** Adds `NAME` or `NAME = LIBRARY NAME`; false if the name is known. */
function addName({ kinds, libraryNames }: ReturnType<typeof withoutNames>, entry: string, kind: NameKind) {
  const [name, libraryName] = entry.split(' = ') as [string, string | undefined];
  if (kinds.has(name)) return false;
  kinds.set(name, kind);
  if (libraryName !== undefined) libraryNames.set(name, libraryName);
  return true;
}

const LINE =
  /^(?:label (?<label>estimated|substitute|dated)|(?<kind>law|yearly|once)|substitute (?<pattern>.+?)): (?<list>.+)$/;

/** Parses `names.txt`, which describes itself, by country. Throws an `Error` with the number of a line that it rejects. */
export function parseNames(text?: string): (code: string) => CountryNames {
  const labels = new Map<string, Label>();
  const countries = new Map<string, ReturnType<typeof withoutNames>>();
  parseDecisionFile('names.txt', text, ({ code, text: content, isHeading }) => {
    if (isHeading) {
      countries.set(code, withoutNames(labels));
      return;
    }
    const { label, kind, pattern, list } = LINE.exec(content)?.groups ?? {};
    const country = countries.get(code);
    if (list === undefined || (country === undefined) !== (label !== undefined)) {
      throw new Error(`cannot parse '${content}'`);
    }
    for (const entry of list.split(' | ')) {
      if (label !== undefined) labels.set(entry, label as Label);
      else if (pattern !== undefined) {
        const name = entry === '*' ? pattern : pattern.replace('*', () => entry);
        if (country!.substitutes.has(name)) throw new Error(`'${name}' is decided twice`);
        country!.substitutes.set(name, entry === '*' ? null : entry);
      } else if (!addName(country!, entry, kind as NameKind)) throw new Error(`'${entry}' is decided twice`);
    }
  });
  return code => countries.get(countryOf(code)) ?? withoutNames(labels);
}

/** What a name is; a substitute is what its holiday is. Undefined for a name that is not decided. */
export function kindOf(name: string, { kinds, substitutes }: CountryNames): NameKind | undefined {
  const holiday = substitutes.get(name);
  return kinds.get(name) ?? (holiday === undefined ? undefined : (kinds.get(holiday ?? '') ?? 'law'));
}

/** The text in parentheses at the end of a name, with `0` for each digit, and the name without it. */
export function splitLabel(name: string): { readonly label: string; readonly stem: string } | null {
  const match = /\s*[（(]([^（()）]*)[）)]$/.exec(name);
  return match && { label: match[1]!.replace(/\d/g, '0'), stem: name.slice(0, match.index) };
}

/**
 * Whether announcements or sightings in the year of a day are missing from the table. Before the year of the snapshot the
 * sources have them, even if not marked as such.
 */
export function isOpen({ dayNumber }: SourceDay, { announcedThrough }: Coverage): boolean {
  return yearOf(dayNumber) > (announcedThrough ?? SNAPSHOT_YEAR - 1);
}

/** Marks substitutes, and as `estimated` holidays whose announcement or moon sighting is still to come. */
export function withStatus(
  holidays: readonly SourceDay[],
  coverage: Coverage,
  names: CountryNames,
): SourceDay[] {
  const follows = ({ name, status }: SourceDay) => status === 'announced' || kindOf(name, names) === 'yearly';
  return holidays.map(day => ({
    ...day,
    status: isOpen(day, coverage) && follows(day) ? 'estimated' : day.status,
    isSubstitute: day.isSubstitute || names.substitutes.has(day.name),
  }));
}
