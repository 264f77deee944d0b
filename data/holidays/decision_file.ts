import { readFileSync } from 'node:fs';

/** A line of a decision file, below the calendar that it is about. */
export interface DecisionLine {
  /** The code in the last `[DE-BY]` above; empty if there is none. */
  readonly code: string;
  readonly text: string;
  readonly number: number;
  /** `calendars.txt:12: ` and a message, as an error. */
  fault(message: string): Error;
}

/** A decision file in source form: `decisions/names.txt`. */
export function readDecisionFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** The lines of a decision file, or of another text for it, with its `[DE-BY]` headings, without comments and empty lines. */
export function* decisionLines(
  file: string,
  text = readDecisionFile(file),
): Generator<DecisionLine & { isHeading: boolean }> {
  let code = '';
  for (const [index, line] of text.split('\n').entries()) {
    if (/^(#|$)/.test(line)) continue;
    const [, heading] = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(line) ?? [];
    code = heading ?? code;
    const number = index + 1;
    const fault = (message: string) => new Error(`${file.replace('decisions/', '')}:${number}: ${message}`);
    yield { code, text: line, number, fault, isHeading: heading !== undefined };
  }
}
