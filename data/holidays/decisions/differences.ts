import { parseValuesByName, type ValuesByName } from './decision_file.ts';

/** Parses `differences.txt`, which describes itself: what decides each difference, a text or `lead`. */
export function parseDifferences(text?: string): ValuesByName {
  return parseValuesByName('differences.txt', text, /^(?<names>.+?) = (?<value>.+)$/);
}
