/** The days that a set may have: `firstDay <= day < endDay`, as days since 1970-01-01. */
export interface DayBounds {
  readonly firstDay: number;
  readonly endDay: number;
}

/** Days since 1970-01-01 within bounds, one bit each: 131 years take 6 KB. Days out of bounds are ignored. */
export class DaySet {
  readonly bounds: DayBounds;
  readonly #words: Uint32Array;

  constructor(bounds: DayBounds, days: Iterable<number> = []) {
    this.bounds = bounds;
    this.#words = new Uint32Array(Math.ceil((bounds.endDay - bounds.firstDay) / 32));
    for (const day of days) this.add(day);
  }

  /** The days of sets with the same bounds. */
  static union(sets: readonly DaySet[]): DaySet {
    const union = new DaySet(sets[0]?.bounds ?? { firstDay: 0, endDay: 0 });
    for (const set of sets) {
      for (let word = 0; word < set.#words.length; word++) union.#words[word]! |= set.#words[word]!;
    }
    return union;
  }

  has(day: number): boolean {
    const index = day - this.bounds.firstDay;
    return ((this.#words[index >>> 5]! >>> (index & 31)) & 1) === 1; // no word counts as 0
  }

  add(day: number): void {
    if (day >= this.bounds.endDay) return; // before its first day there is no word
    const index = day - this.bounds.firstDay;
    this.#words[index >>> 5]! |= 1 << (index & 31);
  }

  delete(day: number): void {
    const index = day - this.bounds.firstDay;
    this.#words[index >>> 5]! &= ~(1 << (index & 31));
  }

  /** The days, ascending. */
  toArray(): number[] {
    const days: number[] = [];
    for (let word = 0; word < this.#words.length; word++) {
      for (let bits = this.#words[word]!; bits !== 0; bits &= bits - 1)
        days.push(this.bounds.firstDay + word * 32 + (31 - Math.clz32(bits & -bits)));
    }
    return days;
  }
}
