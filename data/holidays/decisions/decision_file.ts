import { readFileSync } from 'node:fs';

/** A line of a decision file, below the calendar that it is about. */
export interface DecisionLine {
  /** The code in the last `[DE-BY]` above; empty if there is none. */
  readonly code: string;
  readonly text: string;
  readonly isHeading: boolean;
  /** `calendars.txt:12: ` and a message, as an error. */
  fault(message: string): Error;
}

/** The text of a file in `decisions/`: `names.txt`. */
export function readDecisionFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/**
 * Parses a decision file, or another text for it, line by line without comments and empty lines. A line that begins with two
 * spaces continues the one before; a heading `[DE-BY]` occurs once. An error that `parse` throws gets the number of the line.
 */
export function parseDecisionFile(
  file: string,
  text: string | undefined,
  parse: (line: DecisionLine) => void,
): void {
  const codes = new Set<string>();
  let code = '';
  let nextNumber = 1;
  for (const lines of (text ?? readDecisionFile(file)).split(/\n(?! {2}\S)/)) {
    const number = nextNumber;
    nextNumber += lines.split('\n').length;
    const line = lines.replaceAll(/\n +/g, ' ');
    if (/^(#|$)/.test(line)) continue;
    const [, heading] = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(line) ?? [];
    code = heading ?? code;
    const fault = (message: string) => new Error(`${file}:${number}: ${message}`);
    if (heading !== undefined && codes.has(heading)) throw fault(`${line} is already above`);
    codes.add(code);
    try {
      parse({ code, text: line, fault, isHeading: heading !== undefined });
    } catch (error) {
      throw fault((error as Error).message);
    }
  }
}

/**
 * Parses a decision file of lines with `names`, separated by ` | `, and one `value` for them: by calendar and name. Throws an
 * `Error` with the number of a line that does not match, or has a name of an earlier one.
 */
export function parseValuesByName(file: string, text: string | undefined, pattern: RegExp): ValuesByName {
  const values = new Map<string, Map<string, string>>();
  parseDecisionFile(file, text, ({ code, text: content, isHeading }) => {
    if (isHeading) values.set(code, new Map());
    else {
      const { names, value } = pattern.exec(content)?.groups ?? {};
      const ofCalendar = values.get(code);
      if (ofCalendar === undefined || names === undefined) throw new Error(`cannot parse '${content}'`);
      for (const name of names.split(' | ')) {
        if (ofCalendar.has(name)) throw new Error(`'${name}' is decided twice`);
        ofCalendar.set(name, value!);
      }
    }
  });
  return values;
}

/** By calendar, then by name of the holiday. */
export type ValuesByName = ReadonlyMap<string, ReadonlyMap<string, string>>;
