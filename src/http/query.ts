import { quoted, ServiceError, unreadable } from '../common/errors.ts';
import { listed } from '../common/words.ts';
import { InvalidRequest } from './invalid_request.ts';

/** The maximum length of a query string, in characters as received. */
export const MAX_QUERY_LENGTH = 8192;

/** The maximum number of ignored parameters that are reported. */
const MAX_IGNORED_NAMES = 20;

/** The parameters that a route knows, by name. */
export type KnownParameters = ReadonlyMap<string, KnownParameter>;

/** A parameter that a route knows. */
interface KnownParameter {
  readonly name: string;
  /** Set in {@link Query.bits} if the parameter is supplied. */
  readonly bits: number;
}

const NON_ASCII_ESCAPE = /%[89A-Fa-f]/;

const MALFORMED = {
  'given twice': 'it is given more than once',
  'not UTF-8': 'its percent-escapes are not UTF-8; a percent sign is written %25',
};

/**
 * The query parameters of one request. A malformed parameter is reported when it is decoded, so routes report the first one in
 * the order of their declaration.
 */
export class Query {
  // Two short arrays: constructing a Map takes longer than all look-ups.
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  /** Why supplied parameters have no value. */
  #problems: Map<string, keyof typeof MALFORMED> | undefined;
  #ignored: string[] | undefined;
  #nonAsciiNames = 0;
  #bits = 0;

  /**
   * Parses the part of a URL after the `?`, which begins at `start`.
   * `%` without two hex digits is literal, `+` is a space; white space is significant.
   */
  constructor(url: string, known: KnownParameters, start = 0) {
    for (let at = start; at < url.length; ) {
      const next = url.indexOf('&', at);
      const end = next === -1 ? url.length : next;
      if (end > at) this.#parsePair(url.slice(at, end), known);
      at = end + 1;
    }
  }

  /** The bits of all supplied parameters. */
  get bits(): number {
    return this.#bits;
  }

  /** The names of the parameters that were supplied, well-formed or not, in the order of the request. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Names that the route does not know, in the order of the request, without duplicates, at most twenty. */
  get ignored(): readonly string[] {
    return this.#ignored ?? NONE;
  }

  /** Parses a name and an optional value. */
  #parsePair(pair: string, known: KnownParameters): void {
    const equals = pair.indexOf('=');
    const written = equals === -1 ? pair : pair.slice(0, equals);
    const parameter = known.get(written) ?? this.#withEscapes(written, known);
    if (parameter === undefined) return;
    const { name, bits } = parameter; // the same string for every query, which is compared by identity
    if (this.has(name)) {
      this.#mark(name, 'given twice'); // without decoding: a thousand malformed values would be a thousand exceptions
      return;
    }
    const value = equals === -1 ? '' : unescaped(pair.slice(equals + 1));
    if (value === undefined) this.#mark(name, 'not UTF-8');
    this.#names.push(name);
    this.#values.push(value ?? '');
    this.#bits |= bits;
  }

  /** The known parameter whose name was written with escapes; undefined for other names. */
  #withEscapes(written: string, known: KnownParameters): KnownParameter | undefined {
    // Known names are ASCII. Only the first few others are decoded: thousands of exceptions would take milliseconds.
    if (NON_ASCII_ESCAPE.test(written) && this.#nonAsciiNames++ >= MAX_IGNORED_NAMES) return undefined;
    const name = unescaped(written) ?? written;
    const parameter = known.get(name);
    if (parameter === undefined) this.#ignore(name);
    return parameter;
  }

  #ignore(name: string): void {
    this.#ignored ??= [];
    const isNew = name !== '' && this.#ignored.length < MAX_IGNORED_NAMES && !this.#ignored.includes(name);
    if (isNew) this.#ignored.push(name);
  }

  #mark(name: string, problem: keyof typeof MALFORMED): void {
    this.#problems ??= new Map();
    this.#problems.set(name, problem);
  }

  /** Whether a parameter was supplied, well-formed or not. */
  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /** The value of a parameter, `undefined` if it was not supplied. Throws `INVALID_PARAMETER` if it is empty or malformed. */
  get(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    if (index === -1) return undefined;
    const value = this.#values[index]!;
    if (value !== '' && this.#problems === undefined) return value;
    const problem = this.problemOf(name);
    if (problem !== undefined) throw problem;
    return value;
  }

  /** The value of a parameter as it was supplied, malformed or not; '' if it was not. */
  peek(name: string): string {
    const index = this.#names.indexOf(name);
    return index === -1 ? '' : this.#values[index]!;
  }

  /** Whether a boolean flag is on: its value is exactly `true`. Any other value is off. Throws only if it is malformed. */
  flag(name: string): boolean {
    this.rejectProblem(name);
    return this.hasFlag(name);
  }

  /** Like {@link flag}, but ignores malformed parameters instead of throwing. */
  hasFlag(name: string): boolean {
    return this.peek(name) === 'true';
  }

  /** The error for a supplied parameter that has no value or is malformed. */
  problemOf(name: string): ServiceError | undefined {
    return (
      this.#malformed(name) ?? (this.peek(name) === '' ? unreadable(name, 'it has no value') : undefined)
    );
  }

  /** Throws for malformed parameters that were never decoded. */
  rejectRemainingProblems(): void {
    for (const name of this.#problems?.keys() ?? NONE) this.rejectProblem(name);
  }

  /** Throws if a parameter is malformed. */
  rejectProblem(name: string): void {
    const error = this.#malformed(name);
    if (error !== undefined) throw error;
  }

  #malformed(name: string): ServiceError | undefined {
    const problem = this.#problems?.get(name);
    return problem && unreadable(name, MALFORMED[problem]);
  }
}

const NONE: readonly never[] = [];

/** A name or value without escapes; `undefined` if they are not UTF-8. */
function unescaped(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    return undefined;
  }
}

/** Throws `AMBIGUOUS_TARGET` if more than one of several alternatives was supplied. */
export function rejectSeveral(supplied: readonly string[], what: string): void {
  if (supplied.length < 2) return;
  const message = `${listed(supplied.map(quoted), 'and')} are given together: ${what}`;
  throw new ServiceError('AMBIGUOUS_TARGET', message, { parameter: supplied[1] });
}

/** Parses the query of a URL; throws `INVALID_PARAMETER` with status 414 if it is too long. */
export function parseQuery(url: string, known: KnownParameters): Query {
  const mark = url.indexOf('?');
  const start = mark === -1 ? url.length : mark + 1;
  if (url.length - start <= MAX_QUERY_LENGTH) return new Query(url, known, start);
  throw new InvalidRequest(
    414,
    `The query string has ${url.length - start} characters; the maximum is ${MAX_QUERY_LENGTH}`,
  );
}
