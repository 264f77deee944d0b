import { countryOf } from '../codes.ts';
import { cannotParse, decide, parseDecisionFile } from './decision_file.ts';

/** How the dates with a name are set: by law, by a sighting or a list of each year, or by an announcement for one date. */
export type NameKind = 'law' | 'yearly' | 'once';

/** The meaning of what python-holidays writes in parentheses after a name. */
export type Label = 'estimated' | 'substitute' | 'dated';

/** What `names.txt` decides for a country. */
export interface CountryNames {
  readonly kinds: ReadonlyMap<string, NameKind>;
  /** The holiday for which the days of a name are given; null for any. */
  readonly substitutes: ReadonlyMap<string, string | null>;
  /** The date-holidays holidays whose translations apply to names that it writes differently. */
  readonly libraryNames: ReadonlyMap<string, string>;
  /** The labels of all countries, with `0` for each digit. */
  readonly labels: ReadonlyMap<string, Label>;
}

function withoutNames(labels: ReadonlyMap<string, Label>) {
  return {
    kinds: new Map<string, NameKind>(),
    substitutes: new Map<string, string | null>(),
    libraryNames: new Map<string, string>(),
    labels,
  };
}

/** Parses `names.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseNames(text?: string): (code: string) => CountryNames {
  const labels = new Map<string, Label>();
  const countries = parseDecisionFile(
    'names.txt',
    text,
    () => withoutNames(labels),
    parseNameList,
    line => parseLabels(labels, line),
  );
  return code => countries.get(countryOf(code)) ?? withoutNames(labels);
}

function parseLabels(labels: Map<string, Label>, line: string): void {
  const [, meaning, list] = /^label (estimated|substitute|dated): (.+)$/.exec(line) ?? [];
  if (list === undefined) throw cannotParse(line);
  for (const label of list.split(' | ')) decide(labels, label, meaning as Label);
}

/** `law: NAME | NAME = LIBRARY NAME`, `substitute * (observed): NAME | *` */
function parseNameList(country: ReturnType<typeof withoutNames>, line: string): void {
  const [, kind, pattern, list] = /^(?:(law|yearly|once)|substitute (.+?)): (.+)$/.exec(line) ?? [];
  if (list === undefined) throw cannotParse(line);
  for (const entry of list.split(' | ')) {
    if (pattern !== undefined) {
      if (entry === '*') decide(country.substitutes, pattern, null);
      else
        decide(
          country.substitutes,
          pattern.replace('*', () => entry),
          entry,
        );
      continue;
    }
    const [name, libraryName] = entry.split(' = ') as [string, string | undefined];
    decide(country.kinds, name, kind as NameKind);
    if (libraryName !== undefined) country.libraryNames.set(name, libraryName);
  }
}

/** The kind of a name, which for a substitute is that of its holiday; undefined if it is not decided. */
export function kindOf(name: string, { kinds, substitutes }: CountryNames): NameKind | undefined {
  const own = kinds.get(name);
  const holiday = substitutes.get(name);
  if (own !== undefined || holiday === undefined) return own;
  return (holiday === null ? undefined : kinds.get(holiday)) ?? 'law';
}

/** The text in parentheses at the end of a name, with `0` for each digit, and the name without it. */
export function splitLabel(name: string): { readonly label: string; readonly stem: string } | null {
  const match = /\s*[（(]([^（()）]*)[）)]$/.exec(name);
  return match && { label: match[1]!.replace(/\d/g, '0'), stem: name.slice(0, match.index) };
}
