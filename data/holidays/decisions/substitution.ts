import { parseValuesByName, type ValuesByName } from './decision_file.ts';

/** Parses `substitution.txt`, which describes itself: `Sun+1 Sat-1` or `none` for each holiday. */
export function parseSubstitution(text?: string): ValuesByName {
  return parseValuesByName(
    'substitution.txt',
    text,
    /^(?<value>none|(?:[A-Z][a-z]{2}[+-]\d ?)+): (?<names>.+)$/,
  );
}
