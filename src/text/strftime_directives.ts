import { dayNumberOf, isoWeekOf } from '../common/civil.ts';
import { modulo } from '../common/modulo.ts';
import type { Moment } from '../common/moment.ts';
import { MONTHS_SHORT, type TimeNames, WEEKDAYS_SHORT } from './languages.ts';

/** `00` … `99`: a lookup is faster than padding. */
const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, number) =>
  String(number).padStart(2, '0'),
);

/** The flag for padding: spaces, none or zeros; '' is the directive's own padding. */
export type Pad = '' | '_' | '-' | '0';

/** The modifiers between the percent sign and the letter. */
export interface Modifiers {
  readonly pad: Pad;
  /** `^` */
  readonly upper: boolean;
  /** `#` */
  readonly opposite: boolean;
  /** −1 if none is given. */
  readonly width: number;
}

/** Writes one directive. */
export type Piece = (moment: Moment) => string;

interface DirectiveRule {
  /** Whether it writes only digits, hyphens, colons and spaces in the years −9999 to 9999. */
  readonly isNumeric: boolean;
  /** Compiles the directive with its modifiers, in the language of the names. */
  readonly compile: (modifiers: Modifiers, names: TimeNames) => Piece;
}

interface NumberRule {
  /** The width if none is given. */
  readonly digits: number;
  readonly pad: '0' | '_';
  readonly value: (moment: Moment) => number;
  /** Whether to write a minus sign; by default if the value is negative. Needed since a century can be −0. */
  readonly isNegative?: (moment: Moment) => boolean;
}

/** A number with so many digits, padded with zeros unless `rule` says otherwise. */
function numberRule(
  digits: number,
  value: NumberRule['value'],
  rule: Partial<NumberRule> = {},
): DirectiveRule {
  const complete: NumberRule = { digits, pad: '0', value, ...rule };
  return { isNumeric: true, compile: ({ pad, width }) => numberPiece(complete, pad, width) };
}

/**
 * The effect of the flags `^` and `#`. `name`: both write upper case. `opposite`: `^` upper, `#` lower case. `plain`: `#`
 * has no effect. `fixed`: neither has.
 */
type Casing = 'name' | 'opposite' | 'plain' | 'fixed';

function textRule(piece: Piece, casing: Casing = 'plain', isNumeric = false): DirectiveRule {
  const compile = (modifiers: Modifiers) =>
    filled(cased(piece, casing, modifiers), modifiers.pad, modifiers.width);
  return { isNumeric, compile };
}

/** A name in the language of the pattern. */
function nameRule(
  nameAt: (names: TimeNames, moment: Moment) => string,
  casing: Casing = 'name',
): DirectiveRule {
  const compile = (modifiers: Modifiers, names: TimeNames) =>
    textRule(moment => nameAt(names, moment), casing).compile(modifiers, names);
  return { isNumeric: false, compile };
}

const RULES = {
  // Years before 0 as in GNU `date`: the digits of the positive year; only %C, %G and %Y have the minus.
  Y: numberRule(4, year),
  m: numberRule(2, m => m.month),
  d: numberRule(2, m => m.day),
  e: numberRule(2, m => m.day, { pad: '_' }),
  H: numberRule(2, m => m.hour),
  M: numberRule(2, m => m.minute),
  S: numberRule(2, m => m.second),
  F: { isNumeric: true, compile: isoDate },
  T: textRule(clock, 'plain', true),
  R: textRule(m => `${TWO_DIGITS[m.hour]}:${TWO_DIGITS[m.minute]}`, 'plain', true),
  z: offset(0),
  ':z': offset(1),
  '::z': offset(2),
  Z: textRule(m => m.abbreviation, 'opposite'),
  A: nameRule((names, m) => names.weekdaysFull[m.weekday]!),
  a: nameRule((names, m) => names.weekdaysShort[m.weekday]!),
  B: nameRule((names, m) => names.monthsFull[m.month - 1]!),
  b: nameRule((names, m) => names.monthsShort[m.month - 1]!),
  h: nameRule((names, m) => names.monthsShort[m.month - 1]!),
  I: numberRule(2, hour12),
  l: numberRule(2, hour12, { pad: '_' }),
  k: numberRule(2, m => m.hour, { pad: '_' }),
  p: nameRule((names, m) => names.halvesOfDay[m.hour < 12 ? 0 : 1]!, 'opposite'),
  P: textRule(m => amOrPm(m).toLowerCase(), 'fixed'),
  j: numberRule(3, m => dayOfYear(m) + 1),
  u: numberRule(1, m => m.weekday || 7),
  w: numberRule(1, m => m.weekday),
  G: numberRule(4, m => isoWeekOf(m.dayNumber).year),
  g: numberRule(2, m => Math.abs(isoWeekOf(m.dayNumber).year) % 100),
  V: numberRule(2, m => isoWeekOf(m.dayNumber).week),
  U: numberRule(2, m => weekOfYear(m, m.weekday)),
  W: numberRule(2, m => weekOfYear(m, (m.weekday + 6) % 7)),
  C: numberRule(2, m => Math.floor(Math.abs(m.year) / 100), { isNegative: m => m.year < 0 }),
  y: numberRule(2, shortYear),
  s: numberRule(1, m => Math.floor(m.epochMs / 1000)),
  f: fraction(6),
  N: fraction(9),
  // `date` leaves %c and %x to glibc, whose years have no padding in %c and count up before 0 in %x.
  c: textRule(dateAndTime),
  x: textRule(m => americanDate(m, TWO_DIGITS[modulo(m.year, 100)]!)),
  X: textRule(clock, 'plain', true),
  D: { isNumeric: false, compile: americanDateWithPaddedYear },
  r: textRule(halfDayClock),
  n: textRule(() => '\n'),
  t: textRule(() => '\t'),
} satisfies Record<string, DirectiveRule>;

/** The name of a directive: its letter, preceded by colons in `:z` and `::z`. */
export type Directive = keyof typeof RULES;

/** The rules by directive. Their meanings are in the guide (`site/guide.tsx`), since browsers load this file. */
export const DIRECTIVES: ReadonlyMap<string, DirectiveRule> = new Map(Object.entries(RULES));

function numberPiece(rule: NumberRule, pad: Pad, width: number): Piece {
  const { value, isNegative, digits } = rule;
  const zeros = (pad || rule.pad) === '0' && width < 0;
  // Used by nearly every pattern; needs no arithmetic.
  if (zeros && digits === 2 && isNegative === undefined) return moment => TWO_DIGITS[value(moment)]!;
  return moment => {
    const number = value(moment);
    if (zeros && digits === 4 && number >= 1000 && number <= 9999) return String(number);
    const minus = isNegative === undefined ? number < 0 : isNegative(moment);
    return fill(minus ? '-' : '', String(Math.abs(number)), pad || rule.pad, width < 0 ? digits : width);
  };
}

/** A number padded to its width: spaces go before the sign, zeros after it. */
function fill(sign: string, digits: string, pad: Pad, width: number): string {
  const missing = width - sign.length - digits.length;
  if (pad === '-' || missing <= 0) return sign + digits;
  return pad === '_' ? ' '.repeat(missing) + sign + digits : sign + '0'.repeat(missing) + digits;
}

/** Text padded to its width on the left, with zeros only for the flag `0`. */
function filled(text: Piece, pad: Pad, width: number): Piece {
  if (width <= 0 || pad === '-') return text;
  return moment => text(moment).padStart(width, pad === '0' ? '0' : ' ');
}

function cased(text: Piece, casing: Casing, { upper, opposite }: Modifiers): Piece {
  if (casing === 'fixed') return text;
  if (opposite && casing === 'opposite') return moment => text(moment).toLowerCase();
  if (upper || (opposite && casing === 'name')) return moment => text(moment).toUpperCase();
  return text;
}

/** `%D`: a padding flag applies only to the year. */
function americanDateWithPaddedYear({ pad, width }: Modifiers): Piece {
  const yearPiece = numberPiece({ digits: 2, pad: '0', value: shortYear }, pad, -1);
  return filled(moment => americanDate(moment, yearPiece(moment)), pad, width);
}

/** `%F`: flag and width apply to the year; without either, a year of more than four digits has a plus. */
function isoDate({ pad, width }: Modifiers): Piece {
  const plain = pad === '' && width < 0;
  const yearPiece = numberPiece(
    { digits: 4, pad: '0', value: year },
    pad,
    plain ? -1 : Math.max(0, width - 6),
  );
  const date: Piece = moment => {
    const plus = plain && moment.year > 9999 ? '+' : '';
    return `${plus}${yearPiece(moment)}-${TWO_DIGITS[moment.month]}-${TWO_DIGITS[moment.day]}`;
  };
  return filled(date, pad, width);
}

/** `%z` `%:z` `%::z`: one number with colons inside, whose leading zeros a flag can replace. */
function offset(colons: 0 | 1 | 2): DirectiveRule {
  const compile = ({ pad, width }: Modifiers): Piece => {
    const fullWidth = width < 0 ? [5, 6, 9][colons]! : width;
    return ({ offsetSeconds }) => {
      const digits = offsetDigits(Math.abs(offsetSeconds), colons);
      return fill(offsetSeconds < 0 ? '-' : '+', digits, pad, fullWidth);
    };
  };
  return { isNumeric: false, compile };
}

function offsetDigits(seconds: number, colons: number): string {
  const hour = Math.floor(seconds / 3600);
  const minute = Math.floor(seconds / 60) % 60;
  if (colons === 0) return String(hour * 100 + minute);
  const text = `${hour}:${TWO_DIGITS[minute]}`;
  return colons === 1 ? text : `${text}:${TWO_DIGITS[seconds % 60]}`;
}

/**
 * `%N` and `%f`: the width is the number of digits. `_` and `-` drop trailing zeros, `_` replacing them with spaces; but `%-N`
 * has nine digits, since in GNU `date` it means the clock's resolution.
 */
function fraction(ownDigits: 6 | 9): DirectiveRule {
  const compile = ({ pad, width }: Modifiers): Piece => {
    const digits = width > 0 ? width : ownDigits;
    const dropsZeros = pad === '_' || (pad === '-' && (width > 0 || ownDigits === 6));
    return ({ millisecond }) => fractionText(millisecond, digits, dropsZeros, pad);
  };
  return { isNumeric: true, compile };
}

function fractionText(millisecond: number, digits: number, dropsZeros: boolean, pad: Pad): string {
  const milliseconds = TWO_DIGITS[Math.floor(millisecond / 10)]! + (millisecond % 10);
  const written = milliseconds.slice(0, digits);
  if (!dropsZeros) return written.padEnd(digits, '0');
  let end = written.length;
  while (end > 1 && written[end - 1] === '0') end--;
  return written.slice(0, end).padEnd(pad === '_' ? digits : 0);
}

function year(moment: Moment): number {
  return moment.year;
}

function shortYear(moment: Moment): number {
  return Math.abs(moment.year) % 100;
}

function americanDate(moment: Moment, yearText: string): string {
  return `${TWO_DIGITS[moment.month]}/${TWO_DIGITS[moment.day]}/${yearText}`;
}

function dateAndTime(moment: Moment): string {
  const day = String(moment.day).padStart(2);
  const date = `${WEEKDAYS_SHORT[moment.weekday]} ${MONTHS_SHORT[moment.month - 1]} ${day}`;
  return `${date} ${clock(moment)} ${moment.year}`;
}

function halfDayClock(moment: Moment): string {
  const { minute, second } = moment;
  return `${TWO_DIGITS[hour12(moment)]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]} ${amOrPm(moment)}`;
}

function clock(moment: Moment): string {
  return `${TWO_DIGITS[moment.hour]}:${TWO_DIGITS[moment.minute]}:${TWO_DIGITS[moment.second]}`;
}

function amOrPm(moment: Moment): string {
  return moment.hour < 12 ? 'AM' : 'PM';
}

function hour12(moment: Moment): number {
  return moment.hour % 12 || 12;
}

/** Days since January 1. */
function dayOfYear(moment: Moment): number {
  return moment.dayNumber - dayNumberOf(moment.year, 1, 1);
}

/** The week of the year, 0 before the first whole one; `weekday` counts from the first day of a week, which is 0. */
function weekOfYear(moment: Moment, weekday: number): number {
  return Math.floor((dayOfYear(moment) - weekday + 7) / 7);
}
