/** A growing byte buffer with the number formats of our compiled files. */
export class ByteWriter {
  #buffer = new Uint8Array(256);
  #length = 0;

  /** The number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** The bytes written so far: a view that is valid until the next write. */
  toBytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#buffer.set(values, this.#length);
    this.#length += values.length;
  }

  /** A 32-bit integer, 0…2³²−1, little-endian. */
  uint32le(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 0xff);
  }

  /** A big-endian integer of `size` bytes; `size` is at most 6. */
  uintBe(value: number, size: number): void {
    for (let place = size - 1; place >= 0; place--) this.byte(Math.floor(value / 256 ** place) % 256);
  }

  /** A LEB128 varint, 0…2³¹−1. */
  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** A zigzag varint, −2³⁰…2³⁰−1: 0, −1, 1, −2, 2 … are 0, 1, 2, 3, 4 … */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + size));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}
