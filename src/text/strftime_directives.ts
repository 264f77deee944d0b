import { dayNumberOf, isoWeekOf } from '../common/civil.ts';
import { TWO_DIGITS, yearText } from '../common/digits.ts';
import type { Moment } from '../common/moment.ts';
import { MONTHS_FULL, MONTHS_SHORT, WEEKDAYS_FULL, WEEKDAYS_SHORT } from './names.ts';

/** The flag that says how to fill to the width: with spaces, not at all, or with zeros; '' is the directive's own way. */
export type Pad = '' | '_' | '-' | '0';

/** A directive with its flags, as written in a pattern. */
export interface Directive {
  readonly letter: string;
  readonly pad: Pad;
  /** `^` */
  readonly upper: boolean;
  /** `#` */
  readonly opposite: boolean;
  /** −1 where none is given. */
  readonly width: number;
  /** Colons before `z`. */
  readonly colons: number;
}

/** Writes one directive. */
export type Piece = (moment: Moment) => string;

interface NumberRule {
  /** The width where none is given. */
  readonly digits: number;
  readonly pad: '0' | '_';
  readonly value: (moment: Moment) => number;
  /** Written with a minus; the value's own sign where it is missing. Needed since a century can be −0. */
  readonly negative?: (moment: Moment) => boolean;
}

const NUMBERS = new Map<string, NumberRule>([
  // Years before 0 as GNU `date` has them: the digits of the positive year; only %C, %G and %Y have the minus.
  ['C', { digits: 2, pad: '0', value: m => Math.floor(Math.abs(m.year) / 100), negative: m => m.year < 0 }],
  ['Y', { digits: 4, pad: '0', value: m => m.year }],
  ['y', { digits: 2, pad: '0', value: m => Math.abs(m.year) % 100 }],
  ['G', { digits: 4, pad: '0', value: m => isoWeekOf(m.dayNumber).year }],
  ['g', { digits: 2, pad: '0', value: m => Math.abs(isoWeekOf(m.dayNumber).year) % 100 }],
  ['V', { digits: 2, pad: '0', value: m => isoWeekOf(m.dayNumber).week }],
  ['U', { digits: 2, pad: '0', value: m => Math.floor((dayOfYear(m) - m.weekday + 7) / 7) }],
  ['W', { digits: 2, pad: '0', value: m => Math.floor((dayOfYear(m) - ((m.weekday + 6) % 7) + 7) / 7) }],
  ['j', { digits: 3, pad: '0', value: m => dayOfYear(m) + 1 }],
  ['m', { digits: 2, pad: '0', value: m => m.month }],
  ['d', { digits: 2, pad: '0', value: m => m.day }],
  ['e', { digits: 2, pad: '_', value: m => m.day }],
  ['u', { digits: 1, pad: '0', value: m => m.weekday || 7 }],
  ['w', { digits: 1, pad: '0', value: m => m.weekday }],
  ['H', { digits: 2, pad: '0', value: m => m.hour }],
  ['k', { digits: 2, pad: '_', value: m => m.hour }],
  ['I', { digits: 2, pad: '0', value: hour12 }],
  ['l', { digits: 2, pad: '_', value: hour12 }],
  ['M', { digits: 2, pad: '0', value: m => m.minute }],
  ['S', { digits: 2, pad: '0', value: m => m.second }],
  ['s', { digits: 1, pad: '0', value: m => Math.floor(m.epochMs / 1000) }],
]);

const TEXTS = new Map<string, Piece>([
  ['a', m => WEEKDAYS_SHORT[m.weekday]!],
  ['A', m => WEEKDAYS_FULL[m.weekday]!],
  ['b', m => MONTHS_SHORT[m.month - 1]!],
  ['B', m => MONTHS_FULL[m.month - 1]!],
  ['h', m => MONTHS_SHORT[m.month - 1]!],
  ['p', amOrPm],
  ['P', m => amOrPm(m).toLowerCase()],
  ['Z', m => m.abbreviation],
  ['n', () => '\n'],
  ['t', () => '\t'],
  ['R', m => `${TWO_DIGITS[m.hour]}:${TWO_DIGITS[m.minute]}`],
  ['T', clock],
  ['X', clock],
  ['r', m => `${TWO_DIGITS[hour12(m)]}:${TWO_DIGITS[m.minute]}:${TWO_DIGITS[m.second]} ${amOrPm(m)}`],
  // `date` leaves these two to glibc, whose years have no padding in %c and count up before 0 in %x.
  [
    'c',
    m => `${WEEKDAYS_SHORT[m.weekday]} ${MONTHS_SHORT[m.month - 1]} ${spacedDay(m)} ${clock(m)} ${m.year}`,
  ],
  ['x', m => `${TWO_DIGITS[m.month]}/${TWO_DIGITS[m.day]}/${TWO_DIGITS[((m.year % 100) + 100) % 100]}`],
]);

/** The piece that writes a directive, or undefined where there is no such directive. */
export function pieceOf(directive: Directive): Piece | undefined {
  const { letter, pad, width } = directive;
  const number = NUMBERS.get(letter);
  if (number !== undefined) return numberPiece(number, pad, width);
  const text = TEXTS.get(letter);
  if (text !== undefined) return filled(cased(text, directive), pad, width);
  if (letter === 'D') return filled(cased(americanDate(pad), directive), pad, width);
  if (letter === 'F') return filled(isoDate(pad, width), pad, width);
  if (letter === 'z') return offsetPiece(directive);
  if (letter === 'N' || letter === 'f') return fractionPiece(letter, pad, width);
  return undefined;
}

function numberPiece(rule: NumberRule, pad: Pad, width: number): Piece {
  const { value, negative, digits } = rule;
  const zeros = (pad || rule.pad) === '0' && width < 0;
  // What nearly every pattern is made of needs no arithmetic.
  if (zeros && digits === 2 && negative === undefined) return moment => TWO_DIGITS[value(moment)]!;
  const padded: Piece = moment => {
    const number = value(moment);
    const minus = negative === undefined ? number < 0 : negative(moment);
    return fill(minus ? '-' : '', String(Math.abs(number)), pad || rule.pad, width < 0 ? digits : width);
  };
  if (!zeros || digits !== 4) return padded;
  return moment => {
    const year = value(moment);
    return year >= 0 && year <= 9999 ? yearText(year) : padded(moment);
  };
}

/** A number filled to its width: spaces stand before the sign, zeros behind it. */
function fill(sign: string, digits: string, pad: Pad, width: number): string {
  const missing = width - sign.length - digits.length;
  if (pad === '-' || missing <= 0) return sign + digits;
  return pad === '_' ? ' '.repeat(missing) + sign + digits : sign + '0'.repeat(missing) + digits;
}

/** Text filled to its width from the left, with zeros only where the flag asks for them. */
function filled(text: Piece, pad: Pad, width: number): Piece {
  if (width <= 0 || pad === '-') return text;
  return moment => text(moment).padStart(width, pad === '0' ? '0' : ' ');
}

/** `^` is upper case; `#` upper case for names, lower for %p and %Z, nothing for the rest; %P is always lower. */
function cased(text: Piece, { letter, upper, opposite }: Directive): Piece {
  if (letter === 'P') return text;
  if (opposite && (letter === 'p' || letter === 'Z')) return moment => text(moment).toLowerCase();
  if (upper || (opposite && 'aAbBh'.includes(letter))) return moment => text(moment).toUpperCase();
  return text;
}

/** `%D`: a padding flag acts on the year alone. */
function americanDate(pad: Pad): Piece {
  const year = numberPiece(NUMBERS.get('y')!, pad, -1);
  return moment => `${TWO_DIGITS[moment.month]}/${TWO_DIGITS[moment.day]}/${year(moment)}`;
}

/** `%F`: flag and width act on the year; without either, a year of more than four digits has a plus. */
function isoDate(pad: Pad, width: number): Piece {
  const plain = pad === '' && width < 0;
  const year = numberPiece(NUMBERS.get('Y')!, pad, plain ? -1 : Math.max(0, width - 6));
  return moment => {
    const plus = plain && moment.year > 9999 ? '+' : '';
    return `${plus}${year(moment)}-${TWO_DIGITS[moment.month]}-${TWO_DIGITS[moment.day]}`;
  };
}

/** `%z` `%:z` `%::z`: one number with colons inside, so that a flag can take its leading zeros. */
function offsetPiece({ pad, width, colons }: Directive): Piece {
  const fullWidth = width < 0 ? [5, 6, 9][colons]! : width;
  return ({ offsetSeconds }) => {
    const digits = offsetDigits(Math.abs(offsetSeconds), colons);
    return fill(offsetSeconds < 0 ? '-' : '+', digits, pad, fullWidth);
  };
}

function offsetDigits(seconds: number, colons: number): string {
  const hour = Math.floor(seconds / 3600);
  const minute = Math.floor(seconds / 60) % 60;
  if (colons === 0) return String(hour * 100 + minute);
  const text = `${hour}:${TWO_DIGITS[minute]}`;
  return colons === 1 ? text : `${text}:${TWO_DIGITS[seconds % 60]}`;
}

/**
 * `%N` and `%f`: the width is the number of digits. `_` and `-` drop trailing zeros, `_` for spaces; but `%-N` has nine
 * digits, since GNU `date` means the digits of its clock by it.
 */
function fractionPiece(letter: string, pad: Pad, width: number): Piece {
  const digits = width > 0 ? width : letter === 'f' ? 6 : 9;
  const dropsZeros = pad === '_' || (pad === '-' && (width > 0 || letter === 'f'));
  return ({ millisecond }) => {
    const milliseconds = TWO_DIGITS[Math.floor(millisecond / 10)]! + (millisecond % 10);
    const kept = milliseconds.slice(0, digits);
    if (!dropsZeros) return kept.padEnd(digits, '0');
    let end = kept.length;
    while (end > 1 && kept[end - 1] === '0') end--;
    return kept.slice(0, end).padEnd(pad === '_' ? digits : 0);
  };
}

function clock(moment: Moment): string {
  return `${TWO_DIGITS[moment.hour]}:${TWO_DIGITS[moment.minute]}:${TWO_DIGITS[moment.second]}`;
}

function amOrPm(moment: Moment): string {
  return moment.hour < 12 ? 'AM' : 'PM';
}

function spacedDay(moment: Moment): string {
  return moment.day < 10 ? ` ${moment.day}` : String(moment.day);
}

function hour12(moment: Moment): number {
  return moment.hour % 12 || 12;
}

/** Days since January 1. */
function dayOfYear(moment: Moment): number {
  return moment.dayNumber - dayNumberOf(moment.year, 1, 1);
}
