/**
 * Bytes that text of ASCII is written into piece by piece, at places that the caller knows, to be read as a string in the
 * end. Filled in so, a text of fifty pieces takes a third of the time of joining them, and nothing is left behind.
 * The caller sees to it that there is room.
 */
export class AsciiSheet {
  readonly #bytes: Buffer;
  readonly #view: DataView;

  /** A blank sheet for so many characters. */
  constructor(length: number) {
    this.#bytes = Buffer.alloc(length);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, length);
  }

  /** What stands from `start` to before `end`. */
  text(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }

  /** Puts a text at a place; gives the place behind it. */
  put(at: number, text: Uint8Array): number {
    const { length } = text;
    if (length > LONGEST_LOOPED) this.#bytes.set(text, at);
    else for (let index = 0; index < length; index++) this.#bytes[at + index] = text[index]!;
    return at + length;
  }

  /** Puts a text so that it ends at a place; gives the place where it begins. */
  putBefore(end: number, text: Uint8Array): number {
    this.put(end - text.length, text);
    return end - text.length;
  }

  /** Puts one character, by its code. */
  putCode(at: number, code: number): void {
    this.#bytes[at] = code;
  }

  /** Puts four characters, as {@link fourLetters} gives them. */
  putFour(at: number, letters: number): void {
    this.#view.setUint32(at, letters);
  }

  /** Puts a number of 0 to 99 in two digits. */
  putPair(at: number, number: number): void {
    this.#view.setUint16(at, PAIRS[number]!);
  }

  /** Puts a number of 0 to 99 without a leading zero; gives the place behind it. */
  putShort(at: number, number: number): number {
    if (number < 10) this.putCode(at, ZERO + number);
    else this.putPair(at, number);
    return number < 10 ? at + 1 : at + 2;
  }

  /** Puts a whole number below 2³¹ millions so that it ends at a place; gives the place where it begins. */
  putNumberBefore(end: number, number: number): number {
    const magnitude = Math.abs(number);
    const millions = Math.floor(magnitude / 1e6);
    const rest = magnitude - millions * 1e6;
    const at =
      millions === 0
        ? this.#putDigitsBefore(end, rest)
        : this.#putDigitsBefore(this.#putSixBefore(end, rest), millions);
    if (number >= 0) return at;
    this.putCode(at - 1, MINUS);
    return at - 1;
  }

  /** The same for one of 0 to 2³¹ − 1, by integer arithmetic. */
  #putDigitsBefore(end: number, integer: number): number {
    let at = end;
    let rest = integer;
    while (rest >= 10) {
      const hundreds = (rest / 100) | 0;
      at -= 2;
      this.putPair(at, rest - hundreds * 100);
      rest = hundreds;
    }
    if (rest > 0 || at === end) this.putCode(--at, ZERO + rest);
    return at;
  }

  /** The same for one below a million, in six digits. */
  #putSixBefore(end: number, integer: number): number {
    const hundreds = (integer / 100) | 0;
    const tenThousands = (integer / 10_000) | 0;
    this.putPair(end - 2, integer - hundreds * 100);
    this.putPair(end - 4, hundreds - tenThousands * 100);
    this.putPair(end - 6, tenThousands);
    return end - 6;
  }
}

/** The bytes of a text of ASCII. */
export function ascii(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, character => character.charCodeAt(0));
}

/** Four characters as one number, which a sheet takes in one step. */
export function fourLetters(text: string): number {
  return new DataView(ascii(text).buffer).getUint32(0);
}

const ZERO = 48;
const MINUS = 45;
/** To call `set` takes as long as to copy so many bytes one by one. */
const LONGEST_LOOPED = 24;
const PAIRS = Uint16Array.from({ length: 100 }, (_, number) =>
  new DataView(ascii(String(number).padStart(2, '0')).buffer).getUint16(0),
);
