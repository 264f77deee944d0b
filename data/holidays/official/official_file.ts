import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { dayNumberOfIso, isWithin, TABLE_YEARS } from '../dates.ts';

/** A file to import. */
export interface OfficialFile {
  readonly path: string;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

/** The days off of a calendar in a year by an official file: all of them, with substitutes and one-off days. */
export interface OfficialYear {
  readonly calendar: string;
  readonly year: number;
  /** Dates, `2026-12-25`, in order. */
  readonly off: readonly string[];
  /** The weekend days that are worked; null if the file does not say. */
  readonly worked: readonly string[] | null;
  /** What the file is, with its address. */
  readonly title: string;
}

export interface Imported {
  readonly years: readonly OfficialYear[];
  /** What the file has and evidence.txt does not take, a line each. */
  readonly skipped: readonly string[];
}

/** Reads files of one format. Returns null for other files, and throws an `Error` for one of its format that it cannot read. */
export type Importer = (file: OfficialFile) => Imported | null;

/** Reads a file with the importer that recognises it. Throws an `Error` with its path if there is none, or it is malformed. */
export function importFile(path: string, bytes: Uint8Array, importers: readonly Importer[]): Imported {
  try {
    const text = decode(bytes);
    const file: OfficialFile = { path, text, json: /^\s*[{[]/.test(text) ? JSON.parse(text) : undefined };
    for (const importer of importers) {
      const imported = importer(file);
      if (imported === null) continue;
      if (imported.years.length + imported.skipped.length === 0) throw new Error('it has no days');
      return imported;
    }
    throw new Error('none of the importers knows its format');
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

/** The text of a file in UTF-8, or in Shift_JIS, as Japan publishes it. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('shift_jis', { fatal: true }).decode(bytes);
  }
}

/** A value of a schema. Throws an `Error` that names the place where it has another form. */
export function checked<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  const error = Value.Errors(schema, value).First();
  if (error !== undefined) throw new Error(`${error.path}: ${error.message}`);
  return value as Static<Schema>;
}

/** The rows of a CSV file without quotes, and without the row of titles. Throws an `Error` with the line of a row of another length. */
export function rowsOf(text: string): string[][] {
  const [titles, ...rows] = text
    .trimEnd()
    .split(/\r?\n/)
    .map(row => row.split(','));
  const wrong = rows.findIndex(row => row.length !== titles!.length);
  if (wrong !== -1)
    throw new Error(`line ${wrong + 2}: '${rows[wrong]}' does not have ${titles!.length} columns`);
  return rows;
}

/** Dates in any order, by year. Those outside the years of the table are dropped. Throws an `Error` for what is no date. */
export function yearsOf(calendar: string, dates: Iterable<string>, title: string): OfficialYear[] {
  const within = [...new Set(dates)].filter(date => isWithin(dayNumberOfIso(date), TABLE_YEARS)).sort();
  return [...Map.groupBy(within, date => Number(date.slice(0, 4)))].map(([year, off]) => ({
    calendar,
    year,
    off,
    worked: null,
    title,
  }));
}
