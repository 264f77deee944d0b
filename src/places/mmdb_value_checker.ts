/**
 * What reading a value costs, in one number: the levels that it is nested in itself times `LEVEL`, plus its weight, which
 * is one for each value in it and one for every 16 bytes of text. No record of a location comes near the limits.
 */
const LEVEL = 4096;
const MAX_LEVELS = 15;
const MAX_WEIGHT = LEVEL - 1;
const BYTES_PER_WEIGHT = 16;

/** The data types of the format by number; those above 7 are written in a second byte. */
const POINTER = 1;
const STRING = 2;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;

/** The least and the largest size of a value of each type that has no others in it. */
const SIZES: ReadonlyMap<number, readonly [number, number]> = new Map([
  [STRING, [0, Number.POSITIVE_INFINITY]],
  [3, [8, 8]], // double
  [4, [0, Number.POSITIVE_INFINITY]], // bytes
  [5, [0, 2]], // uint16
  [6, [0, 4]], // uint32
  [8, [0, 4]], // int32
  [9, [0, 8]], // uint64
  [10, [0, 16]], // uint128
  [BOOLEAN, [0, 1]], // its size is its value
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
  /** The cost of a value by its position in the section; 0 where none was measured. */
  readonly #costs: Uint16Array;
  #position = 0;

  /** The section from `start` to `end` of the file; pointers count from its start. */
  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#costs = new Uint16Array(end - start);
  }

  /** Whether the value at an offset into the section was found good before. */
  knows(offset: number): boolean {
    return this.#costs[offset] !== 0;
  }

  /** Checks the value at an offset into the section, and what it points to. @throws Error */
  check(offset: number): void {
    this.#costAt(this.#start + offset, 0);
  }

  /** The cost of the value at a position, from memory where it can be; leaves `#position` anywhere. */
  #costAt(position: number, level: number): number {
    const known = this.#costs[position - this.#start];
    if (known) return known;
    this.#position = position;
    const cost = this.#cost(level);
    this.#costs[position - this.#start] = cost;
    return cost;
  }

  /** The cost of the value at `#position`; moves behind it. */
  #cost(level: number): number {
    if (level > MAX_LEVELS) throw this.#bad('is nested too deeply');
    const control = this.#byte();
    if (control >> 5 === POINTER) {
      const target = this.#pointer(control);
      const behind = this.#position;
      const cost = this.#costAt(target, level + 1);
      this.#position = behind;
      return this.#wrapped(cost);
    }
    const type = control >> 5 || this.#extendedType();
    const size = this.#size(control & 31);
    if (type === MAP || type === ARRAY) return this.#container(type, size, level);
    return this.#scalar(type, size);
  }

  /** Measures the elements of an array, or the keys and values of a map. */
  #container(type: number, size: number, level: number): number {
    let levels = 0;
    let weight = 1;
    const count = type === MAP ? size * 2 : size;
    for (let index = 0; index < count; index++) {
      if (type === MAP && index % 2 === 0) this.#expectKey();
      const cost = this.#cost(level + 1);
      levels = Math.max(levels, Math.floor(cost / LEVEL));
      weight += cost % LEVEL;
      if (weight > MAX_WEIGHT) throw this.#bad('holds too much');
    }
    return this.#wrapped(levels * LEVEL + weight);
  }

  /** The cost of what holds or points to something of a cost. */
  #wrapped(cost: number): number {
    if (cost + LEVEL > MAX_LEVELS * LEVEL + MAX_WEIGHT) throw this.#bad('is nested too deeply');
    return cost + LEVEL;
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

  #scalar(type: number, size: number): number {
    const [least, most] = SIZES.get(type) ?? [1, 0];
    if (size < least || size > most) throw this.#bad(`has type ${type} and size ${size}`);
    if (type !== BOOLEAN) this.#position += size;
    if (this.#position > this.#end) throw this.#bad('reaches beyond the end of its section');
    const weight = 1 + Math.floor(size / BYTES_PER_WEIGHT);
    if (weight > MAX_WEIGHT) throw this.#bad('is too long');
    return LEVEL + weight;
  }

  /** A type above 7, which is written less 7 in a byte of its own. */
  #extendedType(): number {
    const type = this.#byte() + 7;
    if (type === 7) throw this.#bad('has a type that is written as none is');
    return type;
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
