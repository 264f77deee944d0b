import { parseValuesByName, type ValuesByName, WEEKDAYS } from './decision_file.ts';

const WEEKDAY = `(?:${WEEKDAYS.join('|')})[+-]\\d`;
const LINE = new RegExp(`^(?<value>none|${WEEKDAY}(?: ${WEEKDAY})*): (?<names>.+)$`);

/** Parses `substitution.txt`, which describes itself: `Sun+1 Sat-1` or `none` for each holiday. */
export function parseSubstitution(text?: string): ValuesByName {
  return parseValuesByName('substitution.txt', text, LINE);
}
