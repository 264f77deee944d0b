/** The range of days in a set: `firstDay <= day < endDay`, as days since 1970-01-01. */
export interface DayBounds {
  readonly firstDay: number;
  readonly endDay: number;
}

/** Days since 1970-01-01 within bounds, one bit each: 131 years take 6 KB. Days outside the bounds are ignored. */
export class DaySet {
  readonly bounds: DayBounds;
  readonly #words: Uint32Array;

  constructor(bounds: DayBounds, days: readonly number[] = []) {
    this.bounds = bounds;
    this.#words = new Uint32Array(Math.ceil((bounds.endDay - bounds.firstDay) / 32));
    this.addAll(days);
  }

  /** The union of sets with the same bounds. */
  static union(sets: readonly DaySet[]): DaySet {
    const union = new DaySet(sets[0]?.bounds ?? { firstDay: 0, endDay: 0 });
    for (const set of sets)
      for (let word = 0; word < set.#words.length; word++) union.#words[word]! |= set.#words[word]!;
    return union;
  }

  has(day: number): boolean {
    const index = day - this.bounds.firstDay;
    return ((this.#words[index >>> 5]! >>> (index & 31)) & 1) === 1; // a missing word counts as 0
  }

  add(day: number): void {
    if (day >= this.bounds.endDay) return; // before the first day there is no word to set
    const index = day - this.bounds.firstDay;
    this.#words[index >>> 5]! |= 1 << (index & 31);
  }

  addAll(days: readonly number[]): void {
    for (let index = 0; index < days.length; index++) this.add(days[index]!);
  }

  /** The days that are not in a set with the same bounds. */
  without(other: DaySet): DaySet {
    const rest = new DaySet(this.bounds);
    const [words, own, others] = [rest.#words, this.#words, other.#words];
    for (let word = 0; word < words.length; word++) words[word] = own[word]! & ~others[word]!;
    return rest;
  }

  /** One bit per day from the first day on, 32 per word. */
  get words(): Readonly<Uint32Array> {
    return this.#words;
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
