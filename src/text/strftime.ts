import { BoundedCache } from '../common/bounded_cache.ts';
import type { Moment } from '../common/moment.ts';
import { quoted, type ServiceError, unreadable } from '../common/service_error.ts';
import { DIRECTIVES, type Modifiers, type Pad, type Piece } from './strftime_directives.ts';

/** A compiled strftime pattern. */
export interface Strftime {
  /** @throws ServiceError `INVALID_PARAMETER` where the text would be longer than 4 KiB. */
  format(moment: Moment): string;
}

const MAX_PATTERN_CHARACTERS = 256;
const MAX_RESULT_BYTES = 4096;

/**
 * Compiles a strftime pattern of C and POSIX with the extensions of GNU `date` (C locale, English):
 * `%[flags][width][E|O]directive`, flags `_ - 0 ^ #`, and `%f` for six digits of a second's fraction.
 * @throws ServiceError `INVALID_PARAMETER` naming the unknown directive and its position, or the limit exceeded.
 */
export function compileStrftime(pattern: string, parameter: string): Strftime {
  if (pattern === '') throw unreadable(parameter, "'' is empty: a strftime pattern is wanted, like %Y-%m-%d");
  if (pattern.length > MAX_PATTERN_CHARACTERS && countCharacters(pattern) > MAX_PATTERN_CHARACTERS) {
    throw unreadable(parameter, `a pattern has at most ${MAX_PATTERN_CHARACTERS} characters`);
  }
  const { pieces, minimumBytes, extraBytes } = parsePattern(pattern, parameter);
  if (minimumBytes > MAX_RESULT_BYTES) throw tooLong(pattern, parameter);
  return {
    format(moment) {
      let text = '';
      for (const piece of pieces) text += piece(moment);
      if (text.length + extraBytes > MAX_RESULT_BYTES) throw tooLong(pattern, parameter);
      return text;
    },
  };
}

interface Parts {
  readonly pieces: readonly Piece[];
  /** Bytes of the literal text and the widths, the minimum at any moment. */
  readonly minimumBytes: number;
  /** Bytes that the literal text has in UTF-8 beyond its UTF-16 units; all other output is ASCII. */
  readonly extraBytes: number;
}

function parsePattern(pattern: string, parameter: string): Parts {
  const pieces: Piece[] = [];
  let literals = '';
  let widths = 0;
  const addLiteral = (literal: string) => {
    if (literal !== '') pieces.push(() => literal);
    literals += literal;
  };
  let at = 0;
  for (let percent = pattern.indexOf('%'); percent >= 0; percent = pattern.indexOf('%', at)) {
    const doubled = pattern[percent + 1] === '%';
    addLiteral(pattern.slice(at, doubled ? percent + 1 : percent));
    at = percent + 2;
    if (doubled) continue;
    const { name, modifiers, end } = parseDirective(pattern, percent);
    const directive = DIRECTIVES.get(name);
    if (directive === undefined) throw unknownDirective(pattern, percent, end, parameter);
    pieces.push(directive.compile(modifiers));
    if (modifiers.pad !== '-') widths += Math.max(0, modifiers.width);
    at = end;
  }
  addLiteral(pattern.slice(at));
  const extraBytes = extraUtf8Bytes(literals);
  return { pieces, minimumBytes: literals.length + extraBytes + widths, extraBytes };
}

interface WrittenDirective {
  /** The letter with the colons before it. */
  readonly name: string;
  readonly modifiers: Modifiers;
  /** Index after the letter. */
  readonly end: number;
}

/** Parses the directive whose percent sign is at `percent`. */
function parseDirective(pattern: string, percent: number): WrittenDirective {
  let at = percent + 1;
  let pad: Pad = '';
  let upper = false;
  let opposite = false;
  for (; '_-0^#'.includes(pattern[at] ?? 'x'); at++) {
    const flag = pattern[at];
    if (flag === '^') upper = true;
    else if (flag === '#') opposite = true;
    else pad = flag as Pad;
  }
  const widthStart = at;
  while (isDigit(pattern[at])) at++;
  const width = at === widthStart ? -1 : Number(pattern.slice(widthStart, at));
  if (pattern[at] === 'E' || pattern[at] === 'O') at++;
  const colonStart = at;
  while (at < colonStart + 2 && pattern[at] === ':') at++;
  const colons = pattern.slice(colonStart, at);
  const letter = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  return { name: colons + letter, modifiers: { pad, upper, opposite, width }, end: at + letter.length };
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function unknownDirective(pattern: string, percent: number, end: number, parameter: string): ServiceError {
  const written = pattern.slice(percent, end);
  const position = `at character ${countCharacters(pattern.slice(0, percent)) + 1}`;
  if (written === '%')
    return unreadable(parameter, `'%' ${position} stands alone: write %% for a percent sign`);
  const what = end > pattern.length ? 'ends before its letter' : 'is not a strftime directive';
  return unreadable(parameter, `${quoted(written)} ${position} ${what}`);
}

function tooLong(pattern: string, parameter: string): ServiceError {
  return unreadable(parameter, `${quoted(pattern)} would write more than ${MAX_RESULT_BYTES} bytes`);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A code unit of UTF-16 takes one to three bytes of UTF-8, each half of a surrogate pair two. */
function extraUtf8Bytes(text: string): number {
  let extra = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const surrogate = unit >= 0xd800 && unit <= 0xdfff;
    extra += unit < 0x80 ? 0 : unit < 0x800 || surrogate ? 1 : 2;
  }
  return extra;
}

const compiled = /* @__PURE__ */ new BoundedCache<string, Strftime>(256);

/**
 * `compileStrftime` with an LRU cache. The message of a result that is too long names the `parameter` that compiled the
 * pattern first.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function strftimeOf(pattern: string, parameter: string): Strftime {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const strftime = compileStrftime(pattern, parameter);
  compiled.set(pattern, strftime);
  return strftime;
}
