import { readFileSync } from 'node:fs';

/** A line of a decision file, below the calendar that it is about. */
export interface DecisionLine {
  /** The code in the last `[DE-BY]` above; empty if there is none. */
  readonly code: string;
  readonly text: string;
  /** `calendars.txt:12: ` and a message, as an error. */
  fault(message: string): Error;
}

/** The text of a file in `decisions/`: `names.txt`. */
export function readDecisionFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/**
 * The lines of a decision file, or of another text for it, with its `[DE-BY]` headings, without comments and empty lines. A line
 * that begins with two spaces continues the one before.
 */
export function* decisionLines(
  file: string,
  text = readDecisionFile(file),
): Generator<DecisionLine & { isHeading: boolean }> {
  let code = '';
  let nextNumber = 1;
  for (const lines of text.split(/\n(?! {2}\S)/)) {
    const number = nextNumber;
    nextNumber += lines.split('\n').length;
    const line = lines.replaceAll(/\n +/g, ' ');
    if (/^(#|$)/.test(line)) continue;
    const [, heading] = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(line) ?? [];
    code = heading ?? code;
    const fault = (message: string) => new Error(`${file}:${number}: ${message}`);
    yield { code, text: line, fault, isHeading: heading !== undefined };
  }
}
