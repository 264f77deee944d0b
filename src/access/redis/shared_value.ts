import type { MonthlyCount } from '../usage.ts';

/**
 * A value of a hash in Redis that several machines share: `REVISION JSON`. The revision increases with every change in its
 * hash, also over a Redis that has lost its data, as it is never below the time in milliseconds. Of two values of the same
 * name the one with the higher revision is valid. What is removed stays as a value that says so.
 */
export type SharedValue = string;

/** The values of a hash by name. */
export type SharedValues = ReadonlyMap<string, SharedValue>;

/** The values of a hash as they were at its revision. */
export interface ValuesAtRevision {
  readonly revision: string;
  readonly values: SharedValues;
}

/** A hash of values in a store that several machines share. Methods reject as those of a `SharedStore`. */
export interface SharedHash {
  /** All values if their revision is not the given one, else null. */
  newerThan(revision: string): Promise<ValuesAtRevision | null>;
  /** Stores those values that are newer than what is there. */
  restore(values: SharedValues): Promise<void>;
}

/** The hashes: API keys by id, plans by name, public signing keys by `kid`. */
export type HashName = 'keys' | 'plans' | 'signing-keys';

/** A store of such hashes, and of totals of usage. */
export interface SharedValueStore {
  /** How many connections it has had. */
  readonly connections: number;
  hash(name: HashName): SharedHash;
  /** Raises the usage of keys to totals that were seen before, where it is lower: the store has lost some. */
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
