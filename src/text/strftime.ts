import { BoundedCache } from '../common/caching.ts';
import { quoted, requireLength, type ServiceError, unreadable } from '../common/errors.ts';
import type { Moment } from '../common/moment.ts';
import { ENGLISH_NAMES, type TimeNames } from './languages.ts';
import { DIRECTIVES, type Modifiers, type Pad, type Piece } from './strftime_directives.ts';

export interface Strftime {
  /** Throws `INVALID_PARAMETER` if the text would be longer than 4 KiB. */
  format(moment: Moment): string;
}

const MAX_PATTERN_CHARACTERS = 256;
const MAX_RESULT_BYTES = 4096;

/**
 * Compiles a strftime pattern as in C and POSIX with the extensions of GNU `date` (C locale, English):
 * `%[flags][width][E|O]directive`, flags `_ - 0 ^ #`, and `%f` for six digits of a second's fraction. `names` replaces the
 * output of `%a`, `%A`, `%b`, `%B`, `%h` and `%p`.
 * Throws `INVALID_PARAMETER` naming the unknown directive and its position, or the limit exceeded.
 */
export function compileStrftime(pattern: string, parameter: string, names = ENGLISH_NAMES): Strftime {
  if (pattern === '') throw unreadable(parameter, "'' is empty: expected a strftime pattern like %Y-%m-%d");
  requireLength(pattern, MAX_PATTERN_CHARACTERS, parameter, 'a pattern');
  const { pieces, minimumBytes } = parsePattern(pattern, parameter, names);
  if (minimumBytes > MAX_RESULT_BYTES) throw tooLong(pattern, parameter);
  return {
    format(moment) {
      let text = '';
      for (const piece of pieces) text += piece(moment);
      // A UTF-16 unit takes at most three bytes.
      const isTooLong = text.length * 3 > MAX_RESULT_BYTES && utf8Bytes(text) > MAX_RESULT_BYTES;
      if (isTooLong) throw tooLong(pattern, parameter);
      return text;
    },
  };
}

/** The pieces of a pattern, and the bytes of its literal text and widths, the minimum for any moment. */
function parsePattern(pattern: string, parameter: string, names: TimeNames) {
  const pieces: Piece[] = [];
  const directives = new Map<string, Piece>();
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
    const written = parseDirective(pattern, percent);
    const { name, modifiers } = written;
    const directive = DIRECTIVES.get(name);
    if (directive === undefined) throw unknownDirective(pattern, percent, written, parameter);
    const piece = directives.get(written.text) ?? directive.compile(modifiers, names);
    directives.set(written.text, piece);
    pieces.push(piece);
    if (modifiers.pad !== '-') widths += Math.max(0, modifiers.width);
    at = percent + written.text.length;
  }
  addLiteral(pattern.slice(at));
  return { pieces, minimumBytes: utf8Bytes(literals) + widths };
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Flags, width, and the name after an ignored modifier; the letter is missing at the end of a pattern. */
const DIRECTIVE = /%([_\-0^#]*)([0-9]*)[EO]?(:{0,2}(?:.|$))/suy;

/** The directive at a percent sign; its name is the letter with the colons before it. */
function parseDirective(pattern: string, percent: number) {
  DIRECTIVE.lastIndex = percent;
  const [text, flags, digits, name] = DIRECTIVE.exec(pattern) as unknown as [string, string, string, string];
  const pad = (/[_\-0](?=[\^#]*$)/.exec(flags)?.[0] ?? '') as Pad;
  const width = digits === '' ? -1 : Number(digits);
  const [upper, opposite] = [flags.includes('^'), flags.includes('#')];
  const modifiers: Modifiers = { pad, upper, opposite, width };
  return { text, name, modifiers };
}

function unknownDirective(
  pattern: string,
  percent: number,
  { text, name }: ReturnType<typeof parseDirective>,
  parameter: string,
): ServiceError {
  const position = `at character ${[...pattern.slice(0, percent)].length + 1}`;
  if (text === '%') return unreadable(parameter, `'%' ${position} stands alone: write %% for a percent sign`);
  const what = /^:{0,2}$/.test(name) ? 'ends before its letter' : 'is not a strftime directive';
  return unreadable(parameter, `${quoted(text)} ${position} ${what}`);
}

function tooLong(pattern: string, parameter: string): ServiceError {
  return unreadable(parameter, `${quoted(pattern)} would write more than ${MAX_RESULT_BYTES} bytes`);
}

/** Compiled patterns by the names that they use, and by their parameter, which error messages name. */
const compiled = /* @__PURE__ */ new BoundedCache<TimeNames, BoundedCache<string, Strftime>>(16);

/**
 * `compileStrftime` with an LRU cache. Throws `INVALID_PARAMETER`.
 */
export function strftimeOf(pattern: string, parameter: string, names = ENGLISH_NAMES): Strftime {
  const cache = compiled.getOrInsertComputed(names, () => new BoundedCache<string, Strftime>(64));
  return cache.getOrInsertComputed(`${parameter}=${pattern}`, () =>
    compileStrftime(pattern, parameter, names),
  );
}
