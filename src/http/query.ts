import { quoted, ServiceError, unreadable } from '../common/service_error.ts';

/** The longest query string that is read, in characters as received. */
export const MAX_QUERY_LENGTH = 8192;

/** As many names of ignored parameters are told. */
const MAX_IGNORED_NAMES = 20;

/** A query string longer than is read; it answers 414. */
export class QueryTooLong extends ServiceError {
  constructor(length: number) {
    super(
      'INVALID_PARAMETER',
      `The query string has ${length} characters, and at most ${MAX_QUERY_LENGTH} are read`,
    );
  }
}

/** Why a parameter that was supplied has no value. */
type Problem = 'given twice' | 'not UTF-8';

/**
 * The query parameters of one request, as a route knows them.
 *
 * A fault in a parameter is told when the parameter is read, so that routes report the first bad one in the order
 * of their tables; whether one was supplied at all can be asked at any time.
 */
export class Query {
  // Two short arrays in place of a Map, which takes longer to make than all look-ups in it.
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  /** The lengths of the names that were supplied, a bit each: most of those that are asked for have another. */
  #lengths = 0;
  #problems: Map<string, Problem> | undefined;
  #ignored: string[] | undefined;

  /**
   * Reads `search`, the part of a URL behind the `?`.
   * `%` without two hex digits stands for itself, `+` for a space; white space is kept.
   */
  constructor(search: string, known: ReadonlySet<string>) {
    // Most have nothing to decode, which is seen once for all.
    const decode = search.includes('%') || search.includes('+') ? decodeComponent : asItStands;
    let start = 0;
    while (start < search.length) {
      let end = search.indexOf('&', start);
      if (end === -1) end = search.length;
      if (end > start) this.#read(search, start, end, known, decode);
      start = end + 1;
    }
  }

  /** Names that the route does not know, in the order of the request, each once, the first twenty. */
  get ignored(): readonly string[] {
    return this.#ignored ?? NONE;
  }

  /** Reads what stands from `start` to `end`, a name and perhaps a value. */
  #read(search: string, start: number, end: number, known: ReadonlySet<string>, decode: Decode): void {
    const equals = search.indexOf('=', start);
    const hasValue = equals !== -1 && equals < end;
    const rawName = search.slice(start, hasValue ? equals : end);
    const name = decode(rawName) ?? rawName;
    if (!known.has(name)) {
      this.#ignore(name);
      return;
    }
    const value = hasValue ? decode(search.slice(equals + 1, end)) : '';
    const index = this.#indexOf(name);
    if (index !== -1) this.#mark(name, 'given twice');
    else if (value === undefined) this.#mark(name, 'not UTF-8');
    if (index === -1) this.#add(name, value ?? '');
    else this.#values[index] = value ?? '';
  }

  #add(name: string, value: string): void {
    this.#names.push(name);
    this.#values.push(value);
    this.#lengths |= 1 << name.length;
  }

  #ignore(name: string): void {
    this.#ignored ??= [];
    const isNew = name !== '' && this.#ignored.length < MAX_IGNORED_NAMES && !this.#ignored.includes(name);
    if (isNew) this.#ignored.push(name);
  }

  /** Where a parameter stands among those supplied, −1 where it was not. */
  #indexOf(name: string): number {
    return (this.#lengths & (1 << name.length)) === 0 ? -1 : this.#names.indexOf(name);
  }

  #mark(name: string, problem: Problem): void {
    this.#problems ??= new Map();
    this.#problems.set(name, problem);
  }

  /** Whether a parameter was supplied, be it well or badly. */
  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  /** The value of a parameter, `undefined` without one; `INVALID_PARAMETER` where it is empty or cannot be read. */
  get(name: string): string | undefined {
    const index = this.#indexOf(name);
    if (index === -1) return undefined;
    this.rejectProblem(name);
    const value = this.#values[index]!;
    if (value === '') throw unreadable(name, 'it has no value');
    return value;
  }

  /** Whether a boolean flag is on: its value is exactly `true`. Any other value is off, without an error. */
  flag(name: string): boolean {
    const index = this.#indexOf(name);
    if (index === -1) return false;
    this.rejectProblem(name);
    return this.#values[index] === 'true';
  }

  /** Like {@link flag}, for the moment when only presence counts and faults are not yet told. */
  hasFlag(name: string): boolean {
    const index = this.#indexOf(name);
    return index !== -1 && this.#values[index] === 'true';
  }

  /** Tells a fault of a parameter that nobody read because another one decided. */
  rejectUnreadProblems(): void {
    if (this.#problems === undefined) return;
    for (const name of this.#problems.keys()) this.rejectProblem(name);
  }

  /** Tells a fault of one parameter, if it has any. */
  rejectProblem(name: string): void {
    if (this.#problems === undefined) return;
    const problem = this.#problems.get(name);
    if (problem === 'given twice') throw unreadable(name, 'it is given more than once');
    if (problem === 'not UTF-8')
      throw unreadable(name, 'its percent-escapes are not UTF-8; a percent sign is written %25');
  }
}

const NONE: readonly string[] = [];

/** Decodes a name or value of a query; `undefined` if the bytes that its escapes stand for are not UTF-8. */
type Decode = (text: string) => string | undefined;

function asItStands(text: string): string {
  return text;
}

function decodeComponent(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    return undefined;
  }
}

/** `AMBIGUOUS_TARGET` when more than one of a set of alternatives was supplied. */
export function rejectSeveral(supplied: readonly string[], what: string): void {
  if (supplied.length < 2) return;
  const names = supplied.map(quoted);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  throw new ServiceError('AMBIGUOUS_TARGET', `${list} are given together: ${what}`);
}
