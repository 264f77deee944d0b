import { parse, TomlError } from 'smol-toml';
import { errorsIn, throwAll } from './errors.ts';
import { TextFault } from './text_faults.ts';

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A positive integer with one of the units `s m h d w`, in milliseconds; NaN for other text. */
export function durationMs(text: string, units: string): number {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([a-z])$/.exec(text) ?? [];
  return units.includes(unit) ? Number(count) * (MS_PER_UNIT[unit] ?? Number.NaN) : Number.NaN;
}

/** `90d`, `12h` or `2w` in milliseconds, or `0`. Throws an `Error` for other text. */
export function parseDuration(text: string): number {
  const ms = text === '0' ? 0 : durationMs(text, 'smhdw');
  if (Number.isNaN(ms)) throw new Error(`'${text}' is not a duration such as 12h, 90d or 2w, nor 0`);
  return ms;
}

/** The given text if it is a date of the Gregorian calendar, `YYYY-MM-DD`. Throws an `Error` for any other. */
export function requireDate(text: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text))
    throw new Error(`'${text}' is not a date such as 2026-10-27`);
  return text;
}

/**
 * Parses TOML 1.0. Throws a {@link TextFault} with a one-line reason, which does not quote the text, since it may contain
 * secrets.
 */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
    throw new TextFault(error.line, error.column, reason);
  }
}

/** The keys that lead to a value in parsed TOML. */
type TomlPath = readonly string[];

/** A fault of a value in parsed TOML, or of its key. */
export class EntryFault extends Error {
  readonly path: TomlPath;
  readonly part: 'key' | 'value';

  constructor(path: TomlPath, reason: string, part: 'key' | 'value' = 'value') {
    super(reason);
    this.path = path;
    this.part = part;
  }
}

/** Parses TOML and calls `read`, whose {@link EntryFault}s become {@link TextFault}s. */
export function readToml<Value>(text: string, read: (parsed: Record<string, unknown>) => Value): Value {
  const parsed = parseToml(text);
  try {
    return read(parsed);
  } catch (thrown) {
    const placed = tomlFaults(text);
    return throwAll(errorsIn(thrown).map(error => (error instanceof EntryFault ? placed(error) : error)));
  }
}

/** Returns a function that finds the position of a fault in valid TOML. */
export function tomlFaults(text: string): (fault: EntryFault) => TextFault {
  const statements = [...statementsOf(text)];
  return ({ path, part, message: reason }) => {
    let best: Statement | undefined;
    for (const next of statements) if (shared(path, next.keys) > shared(path, best?.keys ?? [])) best = next;
    if (best === undefined) return new TextFault(1, 1, reason);
    const before = part === 'key' || best.isHeader ? /^\s*/ : BEFORE_VALUE;
    return new TextFault(best.line, 1 + before.exec(best.text)![0].length, reason); // both match any statement
  };
}

/** The number of keys that two paths have in common. */
function shared(path: TomlPath, other: TomlPath): number {
  const at = path.findIndex((key, index) => key !== other[index]);
  return at === -1 ? path.length : at;
}

/** A header, or a key with its value. */
interface Statement {
  readonly text: string;
  readonly line: number;
  readonly isHeader: boolean;
  /** The path of its table or value, without the keys in an inline table with several. */
  readonly keys: TomlPath;
}

const BEFORE_VALUE = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^="'])*=\s*/;

/** Splits valid TOML into statements: lines belong together until they can be parsed. */
function* statementsOf(text: string): Generator<Statement> {
  let table: TomlPath = [];
  let statement = '';
  let line = 1;
  for (const [index, content] of text.split('\n').entries()) {
    statement += `${content}\n`;
    const keys = keysIn(statement);
    if (keys === undefined) continue;
    const isHeader = /^\s*\[/.test(statement);
    if (keys.length > 0)
      yield { text: statement, line, isHeader, keys: isHeader ? keys : [...table, ...keys] };
    if (isHeader) table = keys;
    statement = '';
    line = index + 2;
  }
}

/** The keys of the only value in TOML; undefined if it cannot be parsed. */
function keysIn(statement: string): TomlPath | undefined {
  const keys: string[] = [];
  try {
    let value: unknown = parse(statement);
    for (;;) {
      const isTable = typeof value === 'object' && !Array.isArray(value);
      const [entry, ...others] = isTable ? Object.entries(value ?? {}) : [];
      if (entry === undefined || others.length > 0) break;
      keys.push(entry[0]);
      value = entry[1];
    }
  } catch {
    return undefined;
  }
  return keys;
}
