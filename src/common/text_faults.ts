import { errorsIn, messageOf, systemReason, throwAll } from './errors.ts';

/** A fault at a position in a text; lines and columns count from 1. The reason has no trailing period. */
export class TextFault extends Error {
  readonly line: number;
  readonly column: number;
  readonly reason: string;

  constructor(line: number, column: number, reason: string) {
    super(`line ${line}, column ${column}: ${reason}`);
    this.line = line;
    this.column = column;
    this.reason = reason;
  }

  /** `FILE:LINE:COLUMN: reason`. */
  in(path: string): string {
    return `${path}:${this.line}:${this.column}: ${this.reason}`;
  }
}

/** The faults of a file, one line each: `FILE:LINE:COLUMN: reason` for a {@link TextFault}, else `subject: reason`. */
export function faultsOfFile(thrown: unknown, path: string, subject: string): string[] {
  return errorsIn(thrown).map(error =>
    error instanceof TextFault ? error.in(path) : `${subject}: ${systemReason(error)}`,
  );
}

/** Calls a function that reads a file. Throws an `Error` with its fault, or an `AggregateError` with all. */
export function readingFile<Value>(path: string, subject: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    return throwAll(faultsOfFile(thrown, path, subject).map(fault => new Error(fault)));
  }
}

/**
 * Parses a text of one entry per line. `parse` returns what identifies the entry and its value, or null for a line without
 * one; it throws a {@link TextFault}, or any other error for a fault at the beginning of the entry. `what` names an entry.
 * @throws {TextFault} or an `AggregateError` of all; the second entry with an identity is a fault
 */
export function parseLines<Value>(
  text: string,
  what: string,
  parse: (line: string, lineNumber: number) => readonly [identity: string, value: Value] | null,
): Value[] {
  const values: Value[] = [];
  const faults: unknown[] = [];
  const lineNumbers = new Map<string, number>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    try {
      const parsed = parse(line, index + 1);
      if (parsed === null) continue;
      const [identity, value] = parsed;
      const earlier = lineNumbers.get(identity);
      if (earlier !== undefined) throw new Error(`this ${what} is already on line ${earlier}`);
      lineNumbers.set(identity, index + 1);
      values.push(value);
    } catch (error) {
      const atStart = () => new TextFault(index + 1, line.search(/\S/) + 1, messageOf(error));
      faults.push(error instanceof TextFault ? error : atStart());
    }
  }
  return faults.length === 0 ? values : throwAll(faults);
}
