import { isAscii } from 'node:buffer';
import { type Static, Type } from '@sinclair/typebox';
import { type CivilDate, civilDateOf, SECONDS_PER_DAY, weekdayOf } from '../common/civil.ts';
import { COLON, formatOffset, LETTER_T, TimeWriter, utf8 } from '../common/iso_text.ts';
import { encode, type Json, type JsonElements, nullable, objectSchema } from '../common/json.ts';
import { Moment } from '../common/moment.ts';
import { MONTHS_FULL, MONTHS_SHORT, type TimeNames, WEEKDAYS_FULL, WEEKDAYS_SHORT } from './languages.ts';

/** The payload of `current`, `convert` and `add`, and the base of the payloads of `calendar`, `dst` and `timezone`. */
export const TimePayload = objectSchema(
  'TimePayload',
  'An instant, and the local time in a place at that instant.',
  {
    unix: Type.Integer({ description: 'Seconds since 1970-01-01T00:00:00Z, rounded toward the past.' }),
    unix_ms: Type.Integer({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' }),
    utc: Type.String({
      format: 'date-time',
      description: 'ISO 8601 time in UTC, to the second; as in RFC 3339 for the years 0 to 9999.',
    }),
    iso_local: nullable(
      Type.String(),
      'ISO 8601 local time with its offset; null when no selector was given.',
    ),
    rfc2822: Type.String({ description: 'RFC 2822 local time.' }),
    human: Type.String({ description: 'Human-readable; not meant to be parsed.' }),
    day_number: Type.Integer({ minimum: 1, maximum: 7, description: 'Weekday: 1 is Sunday, 7 Saturday.' }),
    day_short: Type.String({ description: 'Weekday, abbreviated.' }),
    day_full: Type.String({ description: 'Weekday.' }),
    timezone: nullable(
      Type.String(),
      'Canonical IANA name; null for an offset and when no selector was given.',
    ),
    formatted: Type.Optional(
      Type.String({ description: 'The local time in the requested `format`, if any.' }),
    ),
  },
);
export type TimePayload = Static<typeof TimePayload>;

/** The properties of a place that a time payload depends on. */
export interface TimePayloadTarget {
  /** `timezone` of the payload: the canonical name, `UTC` for `utc=true`; null for an offset or no place. */
  readonly timezone: string | null;
  /** The text for the zone at the end of `human`. */
  readonly zoneText: string;
  /** Whether `iso_local` is set; otherwise it is null. */
  readonly hasLocalTime: boolean;
  /** The zone, which fully determines the texts above; null for an offset or no place. */
  readonly zone: object | null;
  periodAt(epochSeconds: number): { readonly offsetSeconds: number; readonly abbreviation: string };
}

export function momentAt(epochMs: number, target: TimePayloadTarget): Moment {
  const { offsetSeconds, abbreviation } = target.periodAt(Math.floor(epochMs / 1000));
  return new Moment(epochMs, offsetSeconds, abbreviation);
}

/** The time payload of an instant in a target as JSON. `epochMs` is an integer within ±8.64e15. */
export function timePayloadJson(epochMs: number, target: TimePayloadTarget): Json<TimePayload> {
  const epochSeconds = Math.floor(epochMs / 1000);
  const { offsetSeconds } = target.periodAt(epochSeconds);
  return writerOf(target, offsetSeconds).payload(epochMs, epochSeconds) as Json<TimePayload>;
}

/**
 * The time payloads of instants in a target, as elements of an array. This takes half as long as creating them one by one, since
 * no string is created for each.
 */
export function timePayloadElements(
  instants: readonly number[],
  target: TimePayloadTarget,
): JsonElements<TimePayload> {
  let elements = '';
  let at = 0;
  let writer: TimePayloadWriter | undefined;
  for (const epochMs of instants) {
    const epochSeconds = Math.floor(epochMs / 1000);
    const { offsetSeconds } = target.periodAt(epochSeconds);
    if (writer?.offsetSeconds !== offsetSeconds) writer = writerOf(target, offsetSeconds);
    if (at + writer.capacity >= LIST.length) {
      elements += LIST.toString(writer.encoding, 0, at);
      at = 0;
    }
    if (at > 0 || elements !== '') {
      LIST[at] = COMMA;
      at++;
    }
    at = writer.copyPayload(epochMs, epochSeconds, LIST, at);
  }
  return (elements + LIST.toString(writer?.encoding, 0, at)) as JsonElements<TimePayload>;
}

/** Like {@link timePayloadJson}, with the names of weekday and month in another language. */
export function translatedPayloadJson(
  epochMs: number,
  target: TimePayloadTarget,
  names: TimeNames,
): Json<TimePayload> {
  const payload = JSON.parse(timePayloadJson(epochMs, target)) as TimePayload;
  const { month, weekday } = momentAt(epochMs, target);
  return encode({
    ...payload,
    human: names.loneMonthsFull[month - 1]! + payload.human.slice(MONTHS_FULL[month - 1]!.length),
    day_short: names.loneWeekdaysShort[weekday]!,
    day_full: names.loneWeekdaysFull[weekday]!,
  });
}

/**
 * Writers by zone, or by target if it has none, and by offset in seconds, of which a zone has only a few. They live as long as
 * their key. Named and located targets are created for each request, but those in the same zone share its writers.
 */
const writersOf = new WeakMap<object, Map<number, TimePayloadWriter>>();

function writerOf(target: TimePayloadTarget, offsetSeconds: number): TimePayloadWriter {
  const key = target.zone ?? target;
  const writers = writersOf.get(key);
  const known = writers?.get(offsetSeconds);
  if (known !== undefined) return known;
  const writer = new TimePayloadWriter(target, offsetSeconds);
  writersOf.set(key, (writers ?? new Map<number, TimePayloadWriter>()).set(offsetSeconds, writer));
  return writer;
}

/** Four ASCII characters as {@link TimeWriter.four} takes them. */
const four = (text: string): number => Buffer.from(text).readUInt32BE();

/**
 * Writes the payloads of a target at one offset. What a payload has in common with the previous one is reused: everything in the
 * same millisecond (a busy server gets many requests for the current time in one), everything but the integers in the same second,
 * the dates on the same day.
 */
class TimePayloadWriter extends TimeWriter {
  readonly encoding: 'latin1' | 'utf8';
  readonly offsetSeconds: number;
  readonly #hasLocalTime: boolean;
  /** The text after the time of day in `utc`, `iso_local` and `rfc2822`. */
  readonly #afterUtc: Uint8Array;
  readonly #afterLocal: Uint8Array;
  readonly #afterRfc2822: Uint8Array;
  readonly #zoneText: Uint8Array;
  readonly #timezone: Uint8Array;
  /** The dates written, as days since 1970-01-01, and the positions of the times of day after them. */
  #utcDay = Number.NaN;
  #localDay = Number.NaN;
  #weekday = 0;
  #utcTime = 0;
  #localTime = 0;
  #rfc2822Time = 0;
  #humanTime = 0;
  /** The latest payload and its instant. */
  #epochMs = Number.NaN;
  #payload = '';
  /** The second written and the end of its payload. */
  #epochSeconds = Number.NaN;
  #end = 0;
  /** The payload from `utc` on; '' unless the second has been requested again. */
  #fromUtc = '';

  constructor({ hasLocalTime, zoneText, timezone }: TimePayloadTarget, offsetSeconds: number) {
    const zoneBytes = utf8(JSON.stringify(zoneText).slice(1, -1));
    const timezoneBytes = utf8(`${JSON.stringify(timezone)}}`);
    super(CAPACITY + zoneBytes.length + timezoneBytes.length);
    this.encoding = isAscii(zoneBytes) && isAscii(timezoneBytes) ? 'latin1' : 'utf8';
    this.offsetSeconds = offsetSeconds;
    this.#hasLocalTime = hasLocalTime;
    this.#zoneText = zoneBytes;
    this.#timezone = timezoneBytes;
    const offset = formatOffset(offsetSeconds);
    this.#afterUtc = utf8(hasLocalTime ? 'Z","iso_local":"' : 'Z","iso_local":null,"rfc2822":"');
    this.#afterLocal = utf8(`${offset}","rfc2822":"`);
    // RFC 2822 §3.3 does not allow seconds in offsets: they are omitted, as by `date -R`.
    this.#afterRfc2822 = utf8(` ${offset.slice(0, 3)}${offset.slice(4, 6)}","human":"`);
    this.literal(UTC_START - UTC.length, UTC);
  }

  payload(epochMs: number, epochSeconds: number): string {
    if (epochMs === this.#epochMs) return this.#payload;
    if (epochSeconds === this.#epochSeconds) this.#payload = this.#inSameSecond(epochMs, epochSeconds);
    else {
      this.#writeSecond(epochSeconds);
      this.#payload = this.text(this.#writeIntegers(epochMs, epochSeconds), this.#end, this.encoding);
    }
    this.#epochMs = epochMs;
    return this.#payload;
  }

  /** Copies a payload to a position in a list of payloads; returns the position after it. */
  copyPayload(epochMs: number, epochSeconds: number, list: Buffer, at: number): number {
    if (epochSeconds !== this.#epochSeconds) this.#writeSecond(epochSeconds);
    return at + this.copyTo(list, at, this.#writeIntegers(epochMs, epochSeconds), this.#end);
  }

  /** Writes the members before `utc`; returns their start. */
  #writeIntegers(epochMs: number, epochSeconds: number): number {
    const unixMs = this.#literalBefore(this.integerBefore(UTC_START - UTC.length, epochMs), UNIX_MS);
    return this.#literalBefore(this.integerBefore(unixMs, epochSeconds), UNIX);
  }

  /** The payload in the same second, as for most requests for the current time: only the integers differ. */
  #inSameSecond(epochMs: number, epochSeconds: number): string {
    this.#fromUtc ||= this.text(UTC_START - UTC.length, this.#end, this.encoding);
    return `{"unix":${epochSeconds},"unix_ms":${epochMs}${this.#fromUtc}`;
  }

  #literalBefore(end: number, text: Uint8Array): number {
    this.literal(end - text.length, text);
    return end - text.length;
  }

  /** Writes all members from `utc` on. */
  #writeSecond(epochSeconds: number): void {
    const utcDay = Math.floor(epochSeconds / SECONDS_PER_DAY);
    const localSeconds = epochSeconds + this.offsetSeconds;
    const localDay = Math.floor(localSeconds / SECONDS_PER_DAY);
    if (utcDay !== this.#utcDay || localDay !== this.#localDay) this.#writeDay(utcDay, localDay);
    const secondOfDay = localSeconds - localDay * SECONDS_PER_DAY;
    this.time(this.#utcTime, epochSeconds - utcDay * SECONDS_PER_DAY);
    if (this.#hasLocalTime) this.time(this.#localTime, secondOfDay);
    this.time(this.#rfc2822Time, secondOfDay);
    const zone = this.literal(this.#halfDayTime(this.#humanTime, secondOfDay), this.#zoneText);
    this.#end = this.literal(this.literal(zone, WEEKDAY_MEMBERS[this.#weekday]!), this.#timezone);
    this.#epochSeconds = epochSeconds;
    this.#fromUtc = '';
  }

  /** Writes all dates and the text after their times of day, up to the time of day in `human`. */
  #writeDay(utcDay: number, localDay: number): void {
    const utcDate = civilDateOf(utcDay);
    const date = localDay === utcDay ? utcDate : civilDateOf(localDay);
    this.#weekday = weekdayOf(localDay);
    this.#utcTime = this.code(this.date(UTC_START, utcDate), LETTER_T);
    let at = this.literal(this.#utcTime + TIME_LENGTH, this.#afterUtc);
    if (this.#hasLocalTime) {
      this.#localTime = this.code(this.date(at, date), LETTER_T);
      at = this.literal(this.#localTime + TIME_LENGTH, this.#afterLocal);
    }
    this.#rfc2822Time = this.#rfc2822Date(at, date);
    this.#humanTime = this.#humanDate(
      this.literal(this.#rfc2822Time + TIME_LENGTH, this.#afterRfc2822),
      date,
    );
    this.#utcDay = utcDay;
    this.#localDay = localDay;
  }

  /** `Wed, 15 Apr 2026 ` */
  #rfc2822Date(start: number, { year, month, day }: CivilDate): number {
    const at = this.code(this.four(start, RFC2822_WEEKDAYS[this.#weekday]!), SPACE);
    this.code(this.pair(at, day), SPACE);
    return this.code(this.year(this.four(at + 3, RFC2822_MONTHS[month - 1]!), year), SPACE);
  }

  /** `April 15, 2026, ` */
  #humanDate(start: number, { year, month, day }: CivilDate): number {
    let at = this.short(this.literal(start, HUMAN_MONTHS[month - 1]!), day);
    at = this.year(this.code(this.code(at, COMMA), SPACE), year);
    return this.code(this.code(at, COMMA), SPACE);
  }

  /** `1:30 PM ` */
  #halfDayTime(start: number, secondOfDay: number): number {
    const minuteOfDay = (secondOfDay / 60) | 0;
    const hour = (minuteOfDay / 60) | 0;
    const at = this.code(this.short(start, hour % 12 || 12), COLON);
    return this.four(this.pair(at, minuteOfDay - hour * 60), hour < 12 ? AM : PM);
  }
}

const SPACE = 32;
const COMMA = 44;
const TIME_LENGTH = 'HH:MM:SS'.length;

/** The buffer for the payloads of a list, about a hundred at a time. */
const LIST = Buffer.alloc(32_768);
/** At least the size of the longest payload without the texts of its target: 286 bytes on a Wednesday in September −271821. */
const CAPACITY = 288;
const UNIX = utf8('{"unix":');
const UNIX_MS = utf8(',"unix_ms":');
const UTC = utf8(',"utc":"');
/** The position of the date in `utc`, regardless of the length of the integers, which are written backwards from there. */
const UTC_START = '{"unix":-8640000000000,"unix_ms":-8640000000000000,"utc":"'.length;
const RFC2822_WEEKDAYS = WEEKDAYS_SHORT.map(weekday => four(`${weekday},`));
const RFC2822_MONTHS = MONTHS_SHORT.map(month => four(`${month} `));
const HUMAN_MONTHS = MONTHS_FULL.map(month => utf8(`${month} `));
const AM = four(' AM ');
const PM = four(' PM ');
const WEEKDAY_MEMBERS = WEEKDAYS_FULL.map((full, weekday) =>
  utf8(
    `","day_number":${weekday + 1},"day_short":"${WEEKDAYS_SHORT[weekday]}","day_full":"${full}","timezone":`,
  ),
);
