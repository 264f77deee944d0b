import { civilDateOf, weekdayOf } from '../common/civil.ts';
import { formatOffset } from '../common/iso_text.ts';
import type { Target } from '../operations/target.ts';
import { MONTHS_FULL, MONTHS_SHORT, WEEKDAYS_FULL, WEEKDAYS_SHORT } from '../text/names.ts';

/**
 * The JSON of a time payload as a form: what depends on the place and its offset alone is printed, the instant is filled
 * into the blanks. To fill one in takes 0.5 µs where building the payload and writing it takes 2, and it leaves nothing
 * behind but the text.
 *
 * A form is filled in in one buffer that all share, between a margin for the two numbers, which stand before its printed
 * part and are written backwards from there, and the texts behind it, which vary in length:
 *
 *     | {"unix":1776274247,"unix_ms":1776274247123 | ,"utc":"YYYY-MM-DDTHH:MM:SSZ","iso_local":"YYYY-MM-DDTHH:MM:SS-04:00",
 *       "rfc2822":"Www, DD Mmm YYYY HH:MM:SS -0400","human":" | April 15, 2026, 1:30 PM | America/New_York | ","day_number":4,
 *       "day_short":"Wed","day_full":"Wednesday","timezone": | "America/New_York"} |
 */
export class TimeForm {
  readonly #offsetSeconds: number;
  readonly #printed: Uint8Array;
  readonly #utcAt: number;
  /** Where the local time stands; −1 without one. */
  readonly #localAt: number;
  readonly #rfc2822At: number;
  readonly #zoneText: Uint8Array;
  readonly #timezone: Uint8Array;

  /** The form of a target while its clocks are at an offset; its texts are such as {@link canBePrinted}. */
  constructor({ hasLocalTime, zoneText, timezone }: Target, offsetSeconds: number) {
    const offset = formatOffset(offsetSeconds);
    const isoLocal = hasLocalTime ? `"YYYY-MM-DDTHH:MM:SS${offset}"` : 'null';
    const rfc2822 = `Www, DD Mmm YYYY HH:MM:SS ${offset.slice(0, 3)}${offset.slice(4, 6)}`;
    const printed = `,"utc":"YYYY-MM-DDTHH:MM:SSZ","iso_local":${isoLocal},"rfc2822":"${rfc2822}","human":"`;
    this.#offsetSeconds = offsetSeconds;
    this.#printed = ascii(printed);
    this.#utcAt = PRINTED_AT + printed.indexOf('YYYY');
    this.#localAt = hasLocalTime ? PRINTED_AT + printed.indexOf(isoLocal) + 1 : -1;
    this.#rfc2822At = PRINTED_AT + printed.indexOf('Www');
    this.#zoneText = ascii(zoneText);
    this.#timezone = ascii(`${JSON.stringify(timezone)}}`);
  }

  /** Whether a form has blanks for an instant: its year is one of 0000–9999, in UTC and on the clocks of the place. */
  takes(epochSeconds: number): boolean {
    const localSeconds = epochSeconds + this.#offsetSeconds;
    return (
      Math.min(epochSeconds, localSeconds) >= FIRST_SECOND &&
      Math.max(epochSeconds, localSeconds) <= LAST_SECOND
    );
  }

  /** The JSON of an instant that the form {@link takes}. */
  fill(epochMs: number): string {
    const epochSeconds = Math.floor(epochMs / 1000);
    buffer.set(this.#printed, PRINTED_AT);
    const start = putNumbers(epochSeconds, epochMs);
    const utcDay = Math.floor(epochSeconds / SECONDS_PER_DAY);
    const utcDate = civilDateOf(utcDay);
    const secondOfDay = epochSeconds - utcDay * SECONDS_PER_DAY;
    putDate(this.#utcAt, utcDate.year, utcDate.month, utcDate.day);
    putTime(this.#utcAt + DATE_LENGTH, secondOfDay);

    const localSeconds = epochSeconds + this.#offsetSeconds;
    const localDay = Math.floor(localSeconds / SECONDS_PER_DAY);
    const { year, month, day } = localDay === utcDay ? utcDate : civilDateOf(localDay);
    const localSecondOfDay = localSeconds - localDay * SECONDS_PER_DAY;
    const weekday = weekdayOf(localDay);
    if (this.#localAt !== -1) {
      putDate(this.#localAt, year, month, day);
      putTime(this.#localAt + DATE_LENGTH, localSecondOfDay);
    }
    putRfc2822Date(this.#rfc2822At, weekday, year, month, day);
    putTime(this.#rfc2822At + RFC_2822_DATE_LENGTH, localSecondOfDay);
    let end = PRINTED_AT + this.#printed.length;
    end = putHuman(end, year, month, day, localSecondOfDay);
    end = put(end, this.#zoneText);
    end = put(end, WEEKDAY_MEMBERS[weekday]!);
    end = put(end, this.#timezone);
    return buffer.toString('latin1', start, end);
  }
}

/** Whether the texts of a target are such as JSON shows as they are, and leave room for the rest: those of tzdata are. */
export function canBePrinted({ zoneText }: Target): boolean {
  return /^[A-Za-z0-9_+:/-]{1,128}$/.test(zoneText);
}

const SECONDS_PER_DAY = 86_400;
const FIRST_SECOND = -62_167_219_200; // 0000-01-01T00:00:00
const LAST_SECOND = 253_402_300_799; // 9999-12-31T23:59:59

const buffer = Buffer.alloc(1024);
const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
/** Where the printed part begins: behind room for two numbers of at most 16 characters, and their names. */
const PRINTED_AT = 64;
const DATE_LENGTH = 'YYYY-MM-DDT'.length;
const RFC_2822_DATE_LENGTH = 'Www, DD Mmm YYYY '.length;

const ZERO = 48;
const MINUS = 45;
const COMMA = 44;
const SPACE = 32;
const COLON = 58;

const UNIX = ascii('{"unix":');
const UNIX_MS = ascii(',"unix_ms":');
const MONTHS = MONTHS_FULL.map(name => ascii(`${name} `));
const AM = ascii(' AM ');
const PM = ascii(' PM ');
const WEEKDAY_MEMBERS = WEEKDAYS_FULL.map((full, weekday) =>
  ascii(
    `","day_number":${weekday + 1},"day_short":"${WEEKDAYS_SHORT[weekday]}","day_full":"${full}","timezone":`,
  ),
);
// Two digits, or three letters and what follows them, go into the buffer as one number: in a third of the time.
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, number) =>
  new DataView(ascii(String(number).padStart(2, '0')).buffer).getUint16(0),
);
const WEEKDAYS = Uint32Array.from(WEEKDAYS_SHORT, name => fourLetters(`${name},`));
const MONTHS_OF_RFC_2822 = Uint32Array.from(MONTHS_SHORT, name => fourLetters(`${name} `));

function ascii(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, character => character.charCodeAt(0));
}

function fourLetters(text: string): number {
  return new DataView(ascii(text).buffer).getUint32(0);
}

/** Each `put…` writes at a place of the buffer; those of no fixed length give the place behind what they wrote. */
function put(at: number, bytes: Uint8Array): number {
  const { length } = bytes;
  if (length > LONGEST_LOOPED) buffer.set(bytes, at);
  else for (let index = 0; index < length; index++) buffer[at + index] = bytes[index]!;
  return at + length;
}

/** To call `set` takes as long as to copy so many bytes one by one. */
const LONGEST_LOOPED = 24;

/** Writes a number of 0 to 99 in two digits. */
function putPair(at: number, number: number): void {
  view.setUint16(at, TWO_DIGITS[number]!);
}

/** Writes a number of 0 to 99 without a leading zero. */
function putShort(at: number, number: number): number {
  if (number >= 10) {
    putPair(at, number);
    return at + 2;
  }
  buffer[at] = ZERO + number;
  return at + 1;
}

function putYear(at: number, year: number): void {
  const century = (year / 100) | 0;
  putPair(at, century);
  putPair(at + 2, year - century * 100);
}

/** Fills in a `YYYY-MM-DD`. */
function putDate(at: number, year: number, month: number, day: number): void {
  putYear(at, year);
  putPair(at + 5, month);
  putPair(at + 8, day);
}

/** Fills in an `HH:MM:SS`. */
function putTime(at: number, secondOfDay: number): void {
  const minuteOfDay = (secondOfDay / 60) | 0;
  const hour = (minuteOfDay / 60) | 0;
  putPair(at, hour);
  putPair(at + 3, minuteOfDay - hour * 60);
  putPair(at + 6, secondOfDay - minuteOfDay * 60);
}

/** Fills in a `Www, DD Mmm YYYY`. */
function putRfc2822Date(at: number, weekday: number, year: number, month: number, day: number): void {
  view.setUint32(at, WEEKDAYS[weekday]!);
  putPair(at + 5, day);
  view.setUint32(at + 8, MONTHS_OF_RFC_2822[month - 1]!);
  putYear(at + 12, year);
}

/** Writes `April 15, 2026, 1:30 PM ` from a place on; gives the place behind it. */
function putHuman(start: number, year: number, month: number, day: number, secondOfDay: number): number {
  const minuteOfDay = (secondOfDay / 60) | 0;
  const hour = (minuteOfDay / 60) | 0;
  let at = putShort(put(start, MONTHS[month - 1]!), day);
  buffer[at] = COMMA;
  buffer[at + 1] = SPACE;
  putYear(at + 2, year);
  buffer[at + 6] = COMMA;
  buffer[at + 7] = SPACE;
  at = putShort(at + 8, hour % 12 || 12);
  buffer[at] = COLON;
  putPair(at + 1, minuteOfDay - hour * 60);
  return put(at + 3, hour < 12 ? AM : PM);
}

/** Writes `unix` and `unix_ms` before the printed part; gives the place where they begin. */
function putNumbers(epochSeconds: number, epochMs: number): number {
  const msAt = putBefore(putNumberBefore(PRINTED_AT, epochMs), UNIX_MS);
  return putBefore(putNumberBefore(msAt, epochSeconds), UNIX);
}

function putBefore(end: number, bytes: Uint8Array): number {
  const start = end - bytes.length;
  put(start, bytes);
  return start;
}

/** Writes a whole number so that it ends at a place; gives the place where it begins. */
function putNumberBefore(end: number, number: number): number {
  const magnitude = Math.abs(number);
  const millions = Math.floor(magnitude / 1e6);
  const rest = magnitude - millions * 1e6;
  const at =
    millions === 0 ? putIntegerBefore(end, rest) : putIntegerBefore(putSixBefore(end, rest), millions);
  if (number >= 0) return at;
  buffer[at - 1] = MINUS;
  return at - 1;
}

/** The same for one from 0 to 2³¹ − 1, without a leading zero. */
function putIntegerBefore(end: number, integer: number): number {
  let at = end;
  let rest = integer;
  while (rest >= 10) {
    const hundreds = (rest / 100) | 0;
    at -= 2;
    putPair(at, rest - hundreds * 100);
    rest = hundreds;
  }
  if (rest > 0 || at === end) buffer[--at] = ZERO + rest;
  return at;
}

/** The same for one below a million, in six digits. */
function putSixBefore(end: number, integer: number): number {
  const hundreds = (integer / 100) | 0;
  const tenThousands = (integer / 10_000) | 0;
  putPair(end - 2, integer - hundreds * 100);
  putPair(end - 4, hundreds - tenThousands * 100);
  putPair(end - 6, tenThousands);
  return end - 6;
}
