import type { PlacePack } from './place_pack.ts';

/** A name refers to its largest place if that has this many times the population of the next one, or if all are in one zone. */
const DOMINANCE = 10;

/** The population of the place of a row; 0 if unknown. */
export function populationOf(row: number, { weights }: PlacePack): number {
  return weights[row]! >>> 1;
}

/** Collects the largest places among rows, one class at a time. */
export class LargestPlaces {
  readonly #pack: PlacePack;
  readonly #limit: number;
  /** The regions whose places are collected; null for all. */
  readonly #regions: ReadonlySet<number> | null;
  /** Largest first within each class, at most `limit`. */
  readonly rows: number[] = [];
  /** Where the rows of the current class begin. */
  #classStart = 0;

  constructor(pack: PlacePack, limit: number, regions: ReadonlySet<number> | null) {
    this.#pack = pack;
    this.#limit = limit;
    this.#regions = regions;
  }

  get isFull(): boolean {
    return this.rows.length >= this.#limit;
  }

  /** Begins the next class: rows added from now on follow those added before. */
  nextClass(): void {
    this.#classStart = this.rows.length;
  }

  add({ start, end }: { readonly start: number; readonly end: number }): void {
    if (this.#classStart === this.#limit) return;
    const { weights, regionOfRow } = this.#pack;
    let exceededWeight = this.#exceededWeight;
    for (let row = start; row < end; row++) {
      if (weights[row]! <= exceededWeight) continue;
      if (this.#regions !== null && !this.#regions.has(regionOfRow[row]!)) continue;
      this.#insert(row);
      exceededWeight = this.#exceededWeight;
    }
  }

  /** The weight that a row must exceed. */
  get #exceededWeight(): number {
    return this.isFull ? this.#pack.weights[this.rows.at(-1)!]! : -1;
  }

  /** A place has a row for each of its names; the first and heaviest one counts. */
  #insert(row: number): void {
    const known = this.#indexOfPlace(row);
    if (known !== -1 && (known < this.#classStart || !this.#isLarger(row, this.rows[known]!))) return;
    let at = known;
    if (known === -1) at = this.isFull ? this.#limit - 1 : this.rows.length;
    // Replaces the row at `at` and moves up from there.
    for (; at > this.#classStart && this.#isLarger(row, this.rows[at - 1]!); at--)
      this.rows[at] = this.rows[at - 1]!;
    this.rows[at] = row;
  }

  /** The index of a row of the same place, −1 if there is none; `findIndex` takes half as long again. */
  #indexOfPlace(row: number): number {
    for (let index = 0; index < this.rows.length; index++)
      if (this.#isSamePlace(row, this.rows[index]!)) return index;
    return -1;
  }

  #isLarger(row: number, other: number): boolean {
    return this.#pack.weights[row]! > this.#pack.weights[other]!;
  }

  #isSamePlace(row: number, other: number): boolean {
    const { latitudes, longitudes, regionOfRow, weights } = this.#pack;
    return (
      latitudes[row] === latitudes[other] &&
      longitudes[row] === longitudes[other] &&
      regionOfRow[row] === regionOfRow[other] &&
      weights[row]! >>> 1 === weights[other]! >>> 1
    );
  }

  /** Whether the first place is by far the largest. */
  get isFirstDominant(): boolean {
    const [largest, next] = this.rows;
    if (largest === undefined || next === undefined) return true;
    const population = populationOf(largest, this.#pack);
    return population > 0 && population >= DOMINANCE * populationOf(next, this.#pack);
  }
}
