import type { MonthlyCount } from '../usage.ts';

/**
 * A value in a Redis hash shared by several machines: `REVISION JSON`. The revision increases with every change in the hash, even
 * if Redis has lost its data, since it is never below the time in milliseconds. Of two values with the same name, the one with
 * the higher revision is valid. A removed item remains as a value that marks it as removed.
 */
export type SharedValue = string;

/** The values of a hash by name. */
export type SharedValues = ReadonlyMap<string, SharedValue>;

/** The values of a hash at a revision. */
export interface ValuesAtRevision {
  readonly revision: string;
  readonly values: SharedValues;
}

/** A hash of values in a store shared by several machines. Methods reject like those of a `SharedStore`. */
export interface SharedHash {
  /** All values if their revision is not the given one, else null. */
  newerThan(revision: string): Promise<ValuesAtRevision | null>;
  /** Stores those values that are newer than the current ones. */
  restore(values: SharedValues): Promise<void>;
}

/** The hashes: API keys by id, plans by name, public signing keys by `kid`. */
export type HashName = 'keys' | 'plans' | 'signing-keys';

/** A store of such hashes and of usage totals. */
export interface SharedValueStore {
  /** How many connections it has had. */
  readonly connections: number;
  hash(name: HashName): SharedHash;
  /** Raises usage to totals that were seen before if it is lower because the store has lost data. */
  raiseUsage(totals: readonly MonthlyCount[]): Promise<void>;
}

/** The revision of a value; 0 for none. */
export function revisionOf(value: SharedValue | undefined): number {
  return value === undefined ? 0 : Number(value.slice(0, value.indexOf(' ')));
}

/** The JSON of a value, parsed. */
export function parseValue(value: SharedValue): unknown {
  return JSON.parse(value.slice(value.indexOf(' ') + 1));
}
