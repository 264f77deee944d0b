import { readFileSync } from 'node:fs';

/** An error that names a line of a decision file: `calendars.txt:12: ` and a message. */
export type Fault = (message: string) => Error;

/** The weekdays in decisions, in the order of `weekdayOf`. */
export const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The text of a file in `decisions/`: `names.txt`. */
export function readDecisionFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/**
 * Parses a decision file, or another text for it, into one section for each heading `[DE-BY]`, by code. Comments and empty lines
 * are skipped; a line that begins with two spaces continues the one before. Throws an `Error` with the number of the line for
 * a second section of a calendar, and for whatever the parsers throw.
 */
export function parseDecisionFile<Section>(
  file: string,
  text: string | undefined,
  newSection: () => Section,
  parseLine: (section: Section, line: string, fault: Fault) => void,
  parsePreamble: (line: string) => void = rejectPreamble,
): Map<string, Section> {
  const sections = new Map<string, Section>();
  let section: Section | undefined;
  for (const { line, number } of joinedLines(text ?? readDecisionFile(file))) {
    const fault: Fault = message => new Error(`${file}:${number}: ${message}`);
    const [, heading] = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(line) ?? [];
    if (heading !== undefined) {
      if (sections.has(heading)) throw fault(`${line} is already above`);
      section = newSection();
      sections.set(heading, section);
      continue;
    }
    try {
      if (section === undefined) parsePreamble(line);
      else parseLine(section, line, fault);
    } catch (error) {
      throw fault((error as Error).message);
    }
  }
  return sections;
}

function rejectPreamble(): never {
  throw new Error('no [calendar] above this line');
}

/** Lines with those that continue them, and the number of the first. */
function* joinedLines(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let number = 1;
  for (const lines of text.split(/\n(?! {2}\S)/)) {
    const line = lines.replaceAll(/\n +/g, ' ');
    if (!/^(#|$)/.test(line)) yield { line, number };
    number += lines.split('\n').length;
  }
}

/** The error for a line, or a part of one, that has no known form. */
export function cannotParse(text: string): Error {
  return new Error(`cannot parse '${text}'`);
}

/** Sets the decision on a name. Throws an `Error` if there is one already. */
export function decide<Decision>(decisions: Map<string, Decision>, name: string, decision: Decision): void {
  if (decisions.has(name)) throw new Error(`'${name}' is decided twice`);
  decisions.set(name, decision);
}

/** By calendar, then by name of the holiday. */
export type ValuesByName = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Parses a decision file whose lines match a pattern with the groups `names`, separated by ` | `, and `value`. */
export function parseValuesByName(file: string, text: string | undefined, pattern: RegExp): ValuesByName {
  return parseDecisionFile(
    file,
    text,
    () => new Map<string, string>(),
    (values, line) => {
      const { names, value } = pattern.exec(line)?.groups ?? {};
      if (names === undefined) throw cannotParse(line);
      for (const name of names.split(' | ')) decide(values, name, value!);
    },
  );
}
