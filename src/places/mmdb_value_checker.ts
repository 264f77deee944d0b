/** No record of a location comes near these: they bound what a look-up may cost. */
const MAX_LEVELS = 15;
const MAX_VALUES = 4095;

/** The data types of the format by number; those above 7 are written in a second byte. */
const POINTER = 1;
const STRING = 2;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;

/** How many bytes a value of a type of fixed or bounded size may have. */
const SIZES: ReadonlyMap<number, readonly [number, number]> = new Map([
  [3, [8, 8]], // double
  [5, [0, 2]], // uint16
  [6, [0, 4]], // uint32
  [8, [0, 4]], // int32
  [9, [0, 8]], // uint64
  [10, [0, 16]], // uint128
  [15, [4, 4]], // float
]);

/** What is added to a pointer by the number of its bytes, 1–4. */
const POINTER_BASES = [0, 2048, 526_336, 0];

/**
 * Checks values of an MMDB file before a reader sees them: that each lies within its section, has a size that its type
 * can have, and that reading it with all it points to stays small. Every value is measured once, however many point to
 * it, so that the work is bounded by the size of the file.
 */
export class MmdbValueChecker {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  /** By position: 0 for not measured, else the levels of a value × 4096 + the number of values in it. */
  readonly #measures: Uint16Array;
  #position = 0;

  /** The section from `start` to `end` of the file; pointers count from its start. */
  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#measures = new Uint16Array(end - start);
  }

  /** Whether the value at an offset into the section was found good before. */
  knows(offset: number): boolean {
    return this.#measures[offset] !== 0;
  }

  /** Checks the value at an offset into the section, and what it points to. @throws Error */
  check(offset: number): void {
    this.#measureAt(this.#start + offset, 0);
  }

  /** Measures the value at a position, from memory where it can; leaves `#position` anywhere. */
  #measureAt(position: number, level: number): number {
    const known = this.#measures[position - this.#start];
    if (known) return known;
    this.#position = position;
    const measure = this.#measure(level);
    this.#measures[position - this.#start] = measure;
    return measure;
  }

  /** Measures the value at `#position` and moves behind it. */
  #measure(level: number): number {
    if (level > MAX_LEVELS) throw this.#bad('is nested too deeply');
    const control = this.#byte();
    if (control >> 5 === POINTER) {
      const target = this.#pointer(control);
      const behind = this.#position;
      const measure = this.#measureAt(target, level + 1);
      this.#position = behind;
      return this.#wrapped(measure);
    }
    const type = control >> 5 || this.#byte() + 7;
    const size = this.#size(control & 31);
    if (type === MAP || type === ARRAY) return this.#container(type, size, level);
    this.#scalar(type, size);
    return 4096 + 1;
  }

  /** Measures the elements of an array, or the keys and values of a map. */
  #container(type: number, size: number, level: number): number {
    let deepest = 4096 + 1;
    let values = 1;
    const count = type === MAP ? size * 2 : size;
    for (let index = 0; index < count; index++) {
      if (type === MAP && index % 2 === 0) this.#expectKey();
      const measure = this.#measure(level + 1);
      if (measure > deepest) deepest = measure;
      values += measure % 4096;
      if (values > MAX_VALUES) throw this.#bad('holds too many values');
    }
    return this.#wrapped((deepest >> 12) * 4096 + values);
  }

  /** The measure of what holds the deepest of these. */
  #wrapped(measure: number): number {
    if (measure >> 12 >= MAX_LEVELS) throw this.#bad('is nested too deeply');
    return measure + 4096;
  }

  /** A map's key is a string, or a pointer to one. */
  #expectKey(): void {
    const before = this.#position;
    let control = this.#byte();
    if (control >> 5 === POINTER) {
      this.#position = this.#pointer(control);
      control = this.#byte();
    }
    if (control >> 5 !== STRING) throw this.#bad('has a map key that is not text');
    this.#position = before;
  }

  #scalar(type: number, size: number): void {
    if (type === BOOLEAN) {
      if (size > 1) throw this.#bad('has a truth value other than 0 and 1');
      return;
    }
    const [least, most] = SIZES.get(type) ?? (type === STRING || type === 4 ? [0, Infinity] : [1, 0]);
    if (size < least || size > most) throw this.#bad(`has a value of type ${type} and size ${size}`);
    this.#position += size;
    if (this.#position > this.#end) throw this.#bad('reaches beyond the end of its section');
  }

  /** The position that a pointer names: `001SSVVV` and S + 1 more bytes. */
  #pointer(control: number): number {
    const more = (control >> 3) & 3;
    let value = more === 3 ? 0 : control & 7;
    for (let count = 0; count <= more; count++) value = value * 256 + this.#byte();
    const target = this.#start + POINTER_BASES[more]! + value;
    if (target >= this.#end) throw this.#bad('points beyond the end of its section');
    return target;
  }

  /** The size of a value: five bits, or 29, 285 or 65,821 and the next one, two or three bytes. */
  #size(bits: number): number {
    if (bits < 29) return bits;
    if (bits === 29) return 29 + this.#byte();
    if (bits === 30) return 285 + this.#byte() * 256 + this.#byte();
    return 65_821 + this.#byte() * 65_536 + this.#byte() * 256 + this.#byte();
  }

  #byte(): number {
    if (this.#position >= this.#end) throw this.#bad('reaches beyond the end of its section');
    return this.#bytes[this.#position++]!;
  }

  #bad(what: string): Error {
    return new Error(`a value before byte ${this.#position} ${what}`);
  }
}
