import { quoted, ServiceError, unreadable } from '../common/errors.ts';

/** An invalid request with a more specific status than 400. */
export class InvalidRequest extends ServiceError {
  readonly status: 413 | 414 | 415;

  constructor(status: 413 | 414 | 415, message: string) {
    super('INVALID_PARAMETER', message);
    this.status = status;
  }
}

/** Reads a JSON body as text. Throws with status 415 for any other content type, and with 413 above `maxBytes`. */
export async function readJsonText(request: Request, maxBytes: number): Promise<string> {
  const contentType = request.headers.get('Content-Type') ?? '';
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new InvalidRequest(415, `The Content-Type is ${quoted(contentType)}; it must be application/json`);
  }
  const text = await readBody(request, maxBytes);
  if (text === null) throw new InvalidRequest(413, `The body exceeds the maximum of ${maxBytes} bytes`);
  return text;
}

/** Parses a JSON body. Throws `INVALID_PARAMETER` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_PARAMETER', 'The body is not JSON');
  }
}

/** Reads a body as text; null above `maxBytes`, without buffering more than that. */
export async function readBody(request: Request, maxBytes: number): Promise<string | null> {
  if (Number(request.headers.get('Content-Length')) > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null; // leaving the loop cancels the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The maximum length of a query string, in characters as received. */
export const MAX_QUERY_LENGTH = 8192;

/** The maximum number of ignored parameters that are reported. */
const MAX_IGNORED_NAMES = 20;

/** A parameter that a route knows. */
interface KnownParameter {
  readonly name: string;
  /** Set in {@link Query.bits} if the parameter is supplied. */
  readonly bits: number;
}

/** Values by name, each found where its name is part of a longer text, without copying it. */
export class NameTable<Value extends { readonly name: string }> {
  readonly #byLength: (Value[] | undefined)[] = [];

  constructor(values: Iterable<Value>) {
    for (const value of values) {
      this.#byLength[value.name.length] ??= [];
      this.#byLength[value.name.length]!.push(value);
    }
  }

  /** The value whose name equals the text from `start` to before `end`. */
  find(text: string, start: number, end: number): Value | undefined {
    for (const value of this.#byLength[end - start] ?? NONE) if (isAt(text, start, value.name)) return value;
    return undefined;
  }
}

/** Whether `text` contains `part` at `start`; for a few characters this is faster than the native `startsWith`. */
export function isAt(text: string, start: number, part: string): boolean {
  for (let index = 0; index < part.length; index++) {
    if (text.charCodeAt(start + index) !== part.charCodeAt(index)) return false;
  }
  return true;
}

/** The parameters that a route knows. */
export class ParameterNames extends NameTable<KnownParameter> {
  readonly all: readonly string[];

  constructor(names: readonly string[], bitsOf: (name: string) => number = () => 0) {
    super(names.map(name => ({ name, bits: bitsOf(name) })));
    this.all = names;
  }
}

const NON_ASCII_ESCAPE = /%[89A-Fa-f]/;

/** Why a supplied parameter has no value. */
type Problem = 'given twice' | 'not UTF-8';

/**
 * The query parameters of one request. A malformed parameter is reported when it is decoded, so routes report the first one in
 * the order of their declaration.
 */
export class Query {
  // Two short arrays: constructing a Map takes longer than all look-ups.
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #problems: Map<string, Problem> | undefined;
  #ignored: string[] | undefined;
  #nonAsciiNames = 0;
  #bits = 0;

  /**
   * Parses the part of a URL after the `?`, which begins at `start`.
   * `%` without two hex digits is literal, `+` is a space; white space is significant.
   */
  constructor(url: string, known: ParameterNames, start = 0) {
    let pairAt = start;
    let equalsAt = -1;
    let decode: Decode = verbatim;
    for (let at = start; at <= url.length; at++) {
      const code = at === url.length ? AMPERSAND : url.charCodeAt(at);
      if (code === PERCENT || code === PLUS) decode = decodeComponent;
      else if (code === EQUALS && equalsAt === -1) equalsAt = at;
      else if (code === AMPERSAND) {
        if (at > pairAt) this.#parsePair(url, pairAt, equalsAt === -1 ? at : equalsAt, at, known, decode);
        pairAt = at + 1;
        equalsAt = -1;
        decode = verbatim;
      }
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

  /** Parses a name, which ends before `nameEnd`, and an optional value. */
  #parsePair(
    url: string,
    start: number,
    nameEnd: number,
    end: number,
    known: ParameterNames,
    decode: Decode,
  ): void {
    const found =
      known.find(url, start, nameEnd) ?? this.#findDecoded(url.slice(start, nameEnd), known, decode);
    if (found === undefined) return;
    const { name, bits } = found;
    if (this.has(name)) {
      this.#mark(name, 'given twice'); // without decoding: a thousand malformed values would be a thousand exceptions
      return;
    }
    const value = nameEnd === end ? '' : decode(url.slice(nameEnd + 1, end));
    if (value === undefined) this.#mark(name, 'not UTF-8');
    this.#names.push(name);
    this.#values.push(value ?? '');
    this.#bits |= bits;
  }

  /** Decodes a name that is not known as written, since it may have escapes. */
  #findDecoded(written: string, known: ParameterNames, decode: Decode): KnownParameter | undefined {
    // Known names are ASCII. Only the first few others are decoded: thousands of exceptions would take milliseconds.
    if (NON_ASCII_ESCAPE.test(written) && this.#nonAsciiNames++ >= MAX_IGNORED_NAMES) return undefined;
    const name = decode(written) ?? written;
    const found = known.find(name, 0, name.length);
    if (found === undefined) this.#ignore(name);
    return found;
  }

  #ignore(name: string): void {
    this.#ignored ??= [];
    const isNew = name !== '' && this.#ignored.length < MAX_IGNORED_NAMES && !this.#ignored.includes(name);
    if (isNew) this.#ignored.push(name);
  }

  /** The index of a parameter among those supplied, −1 if it was not. */
  #indexOf(name: string): number {
    const names = this.#names; // a few; under load the native `indexOf` took about 2 % more of a request
    for (let index = 0; index < names.length; index++) if (names[index] === name) return index;
    return -1;
  }

  #mark(name: string, problem: Problem): void {
    this.#problems ??= new Map();
    this.#problems.set(name, problem);
  }

  /** Whether a parameter was supplied, well-formed or not. */
  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  /** The value of a parameter, `undefined` if it was not supplied. Throws `INVALID_PARAMETER` if it is empty or malformed. */
  get(name: string): string | undefined {
    const index = this.#indexOf(name);
    if (index === -1) return undefined;
    const value = this.#values[index]!;
    if (value !== '' && this.#problems === undefined) return value;
    const problem = this.problemOf(name);
    if (problem !== undefined) throw problem;
    return value;
  }

  /** The error for a supplied parameter that has no value or is malformed. */
  problemOf(name: string): ServiceError | undefined {
    return (
      this.#malformed(name) ?? (this.peek(name) === '' ? unreadable(name, 'it has no value') : undefined)
    );
  }

  /** The value of a parameter as it was supplied, malformed or not; '' if it was not. */
  peek(name: string): string {
    const index = this.#indexOf(name);
    return index === -1 ? '' : this.#values[index]!;
  }

  /** Whether a boolean flag is on: its value is exactly `true`. Any other value is off, without an error. */
  flag(name: string): boolean {
    const index = this.#indexOf(name);
    if (index === -1) return false;
    this.rejectProblem(name);
    return this.#values[index] === 'true';
  }

  /** Like {@link flag}, but ignores malformed parameters instead of throwing. */
  hasFlag(name: string): boolean {
    const index = this.#indexOf(name);
    return index !== -1 && this.#values[index] === 'true';
  }

  /** Throws for malformed parameters that were never decoded. */
  rejectRemainingProblems(): void {
    if (this.#problems === undefined) return;
    for (const name of this.#problems.keys()) this.rejectProblem(name);
  }

  /** Throws if a parameter is malformed. */
  rejectProblem(name: string): void {
    const error = this.#problems && this.#malformed(name);
    if (error !== undefined) throw error;
  }

  #malformed(name: string): ServiceError | undefined {
    switch (this.#problems?.get(name)) {
      case 'given twice':
        return unreadable(name, 'it is given more than once');
      case 'not UTF-8':
        return unreadable(name, 'its percent-escapes are not UTF-8; a percent sign is written %25');
      default:
        return undefined;
    }
  }
}

const NONE: readonly never[] = [];

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const EQUALS = 0x3d;

/** Decodes a name or value; `undefined` if its escapes are not UTF-8. */
type Decode = (text: string) => string | undefined;

function verbatim(text: string): string {
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

/** Throws `AMBIGUOUS_TARGET` if more than one of several alternatives was supplied. */
export function rejectSeveral(supplied: readonly string[], what: string): void {
  if (supplied.length < 2) return;
  const names = supplied.map(quoted);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  throw new ServiceError('AMBIGUOUS_TARGET', `${list} are given together: ${what}`, {
    parameter: supplied[1],
  });
}

/** Parses the query of a URL; throws `INVALID_PARAMETER` with status 414 if it is too long. */
export function parseQuery(url: string, known: ParameterNames): Query {
  const mark = url.indexOf('?');
  const start = mark === -1 ? url.length : mark + 1;
  if (url.length - start <= MAX_QUERY_LENGTH) return new Query(url, known, start);
  throw new InvalidRequest(
    414,
    `The query string has ${url.length - start} characters; the maximum is ${MAX_QUERY_LENGTH}`,
  );
}
