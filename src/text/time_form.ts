import { civilDateOf, weekdayOf } from '../common/civil.ts';
import { formatOffset } from '../common/iso_text.ts';
import type { Target } from '../operations/target.ts';
import { AsciiSheet, ascii, fourLetters } from './ascii_sheet.ts';
import { MONTHS_FULL, MONTHS_SHORT, WEEKDAYS_FULL, WEEKDAYS_SHORT } from './names.ts';

/**
 * The JSON of a time payload as a form: what depends on the place and its offset alone is printed, the instant is filled
 * into the blanks. To fill one in takes less than 1 µs where building the payload and writing it takes 2 to 3.
 *
 * Before the printed part there is room for the two numbers, which are written backwards from there; behind it for the
 * texts that vary in length:
 *
 *     | {"unix":1776274247,"unix_ms":1776274247123 | ,"utc":"YYYY-MM-DDTHH:MM:SSZ","iso_local":"YYYY-MM-DDTHH:MM:SS-04:00",
 *       "rfc2822":"Www, DD Mmm YYYY HH:MM:SS -0400","human":" | April 15, 2026, 1:30 PM | America/New_York | ","day_number":4,
 *       "day_short":"Wed","day_full":"Wednesday","timezone": | "America/New_York"} |
 */
export class TimeForm {
  readonly #sheet = new AsciiSheet(SHEET_LENGTH);
  readonly #offsetSeconds: number;
  readonly #utcAt: number;
  /** Where the local time stands; −1 without one. */
  readonly #localAt: number;
  readonly #rfc2822At: number;
  readonly #humanAt: number;
  readonly #zoneText: Uint8Array;
  readonly #timezone: Uint8Array;
  /** What the blanks behind the numbers are filled in with, and where it ends. */
  #epochSeconds = Number.NaN;
  #end = 0;
  /** What stands around the milliseconds, taken off when a second is asked for again; '' before. */
  #beforeMs = '';
  #afterMs = '';

  /** The form of a target while its clocks are at an offset; its texts are such as {@link canBePrinted}. */
  constructor({ hasLocalTime, zoneText, timezone }: Target, offsetSeconds: number) {
    const offset = formatOffset(offsetSeconds);
    const isoLocal = hasLocalTime ? `"YYYY-MM-DDTHH:MM:SS${offset}"` : 'null';
    const rfc2822 = `Www, DD Mmm YYYY HH:MM:SS ${offset.slice(0, 3)}${offset.slice(4, 6)}`;
    const printed = `,"utc":"YYYY-MM-DDTHH:MM:SSZ","iso_local":${isoLocal},"rfc2822":"${rfc2822}","human":"`;
    this.#offsetSeconds = offsetSeconds;
    this.#utcAt = PRINTED_AT + printed.indexOf('YYYY');
    this.#localAt = hasLocalTime ? PRINTED_AT + printed.indexOf(isoLocal) + 1 : -1;
    this.#rfc2822At = PRINTED_AT + printed.indexOf('Www');
    this.#humanAt = this.#sheet.put(PRINTED_AT, ascii(printed));
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
    if (epochSeconds === this.#epochSeconds) return this.#withinSecond(epochMs);
    this.#end = this.#fillSecond(epochSeconds);
    this.#epochSeconds = epochSeconds;
    this.#beforeMs = '';
    const msAt = this.#sheet.putNumberBefore(PRINTED_AT, epochMs);
    return this.#sheet.text(this.#putUnixBefore(msAt), this.#end);
  }

  /** The same for one in the second that is filled in: only the milliseconds change, so the rest is taken off once. */
  #withinSecond(epochMs: number): string {
    if (this.#beforeMs === '') {
      this.#beforeMs = this.#sheet.text(this.#putUnixBefore(PRINTED_AT), PRINTED_AT);
      this.#afterMs = this.#sheet.text(PRINTED_AT, this.#end);
    }
    return this.#beforeMs + epochMs + this.#afterMs;
  }

  /** Writes `unix`, and the name of `unix_ms`, before the place where that begins; gives the place where the text begins. */
  #putUnixBefore(msAt: number): number {
    const secondsEnd = this.#sheet.putBefore(msAt, UNIX_MS);
    return this.#sheet.putBefore(this.#sheet.putNumberBefore(secondsEnd, this.#epochSeconds), UNIX);
  }

  /** Fills in all blanks behind the numbers; gives the place where the text ends. */
  #fillSecond(epochSeconds: number): number {
    const sheet = this.#sheet;
    const utcDay = Math.floor(epochSeconds / SECONDS_PER_DAY);
    const utcDate = civilDateOf(utcDay);
    putDate(sheet, this.#utcAt, utcDate.year, utcDate.month, utcDate.day);
    putTime(sheet, this.#utcAt + DATE_LENGTH, epochSeconds - utcDay * SECONDS_PER_DAY);

    const localSeconds = epochSeconds + this.#offsetSeconds;
    const localDay = Math.floor(localSeconds / SECONDS_PER_DAY);
    const { year, month, day } = localDay === utcDay ? utcDate : civilDateOf(localDay);
    const secondOfDay = localSeconds - localDay * SECONDS_PER_DAY;
    const weekday = weekdayOf(localDay);
    if (this.#localAt !== -1) {
      putDate(sheet, this.#localAt, year, month, day);
      putTime(sheet, this.#localAt + DATE_LENGTH, secondOfDay);
    }
    putRfc2822Date(sheet, this.#rfc2822At, weekday, year, month, day);
    putTime(sheet, this.#rfc2822At + RFC_2822_DATE_LENGTH, secondOfDay);
    const zoneAt = putHuman(sheet, this.#humanAt, year, month, day, secondOfDay);
    const membersAt = sheet.put(zoneAt, this.#zoneText);
    return sheet.put(sheet.put(membersAt, WEEKDAY_MEMBERS[weekday]!), this.#timezone);
  }
}

/** Whether the texts of a target are such as JSON shows as they are, and fit on a form: those of tzdata are. */
export function canBePrinted({ zoneText }: Target): boolean {
  return /^[A-Za-z0-9_+:/-]{1,64}$/.test(zoneText);
}

const SECONDS_PER_DAY = 86_400;
const FIRST_SECOND = -62_167_219_200; // 0000-01-01T00:00:00
const LAST_SECOND = 253_402_300_799; // 9999-12-31T23:59:59

/** A form with the longest name of a zone that can be printed takes 419. */
const SHEET_LENGTH = 448;
/** Where the printed part begins: behind room for two numbers of at most 16 characters, and their names. */
const PRINTED_AT = 64;
const DATE_LENGTH = 'YYYY-MM-DDT'.length;
const RFC_2822_DATE_LENGTH = 'Www, DD Mmm YYYY '.length;

const COMMA = 44;
const SPACE = 32;
const COLON = 58;

const UNIX = ascii('{"unix":');
const UNIX_MS = ascii(',"unix_ms":');
const MONTHS = MONTHS_FULL.map(name => ascii(`${name} `));
const AM = fourLetters(' AM ');
const PM = fourLetters(' PM ');
const WEEKDAY_MEMBERS = WEEKDAYS_FULL.map((full, weekday) =>
  ascii(
    `","day_number":${weekday + 1},"day_short":"${WEEKDAYS_SHORT[weekday]}","day_full":"${full}","timezone":`,
  ),
);
const WEEKDAYS_OF_RFC_2822 = Uint32Array.from(WEEKDAYS_SHORT, name => fourLetters(`${name},`));
const MONTHS_OF_RFC_2822 = Uint32Array.from(MONTHS_SHORT, name => fourLetters(`${name} `));

/** Fills in a `YYYY`. */
function putYear(sheet: AsciiSheet, at: number, year: number): void {
  const century = (year / 100) | 0;
  sheet.putPair(at, century);
  sheet.putPair(at + 2, year - century * 100);
}

/** Fills in a `YYYY-MM-DD`. */
function putDate(sheet: AsciiSheet, at: number, year: number, month: number, day: number): void {
  putYear(sheet, at, year);
  sheet.putPair(at + 5, month);
  sheet.putPair(at + 8, day);
}

/** Fills in an `HH:MM:SS`. */
function putTime(sheet: AsciiSheet, at: number, secondOfDay: number): void {
  const minuteOfDay = (secondOfDay / 60) | 0;
  const hour = (minuteOfDay / 60) | 0;
  sheet.putPair(at, hour);
  sheet.putPair(at + 3, minuteOfDay - hour * 60);
  sheet.putPair(at + 6, secondOfDay - minuteOfDay * 60);
}

/** Fills in a `Www, DD Mmm YYYY`. */
function putRfc2822Date(
  sheet: AsciiSheet,
  at: number,
  weekday: number,
  year: number,
  month: number,
  day: number,
): void {
  sheet.putFour(at, WEEKDAYS_OF_RFC_2822[weekday]!);
  sheet.putPair(at + 5, day);
  sheet.putFour(at + 8, MONTHS_OF_RFC_2822[month - 1]!);
  putYear(sheet, at + 12, year);
}

/** Writes `April 15, 2026, 1:30 PM ` from a place on; gives the place behind it. */
function putHuman(
  sheet: AsciiSheet,
  start: number,
  year: number,
  month: number,
  day: number,
  secondOfDay: number,
): number {
  const minuteOfDay = (secondOfDay / 60) | 0;
  const hour = (minuteOfDay / 60) | 0;
  let at = sheet.putShort(sheet.put(start, MONTHS[month - 1]!), day);
  sheet.putCode(at, COMMA);
  sheet.putCode(at + 1, SPACE);
  putYear(sheet, at + 2, year);
  sheet.putCode(at + 6, COMMA);
  sheet.putCode(at + 7, SPACE);
  at = sheet.putShort(at + 8, hour % 12 || 12);
  sheet.putCode(at, COLON);
  sheet.putPair(at + 1, minuteOfDay - hour * 60);
  sheet.putFour(at + 3, hour < 12 ? AM : PM);
  return at + 7;
}
