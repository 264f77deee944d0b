/** Returns a function that calls `make` on the first call, and returns its result on every call. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Like {@link once} for a value that may be a promise: when it has resolved, the function returns the value itself, and when it has
 * been rejected, it calls `make` again.
 */
export function onceSettled<Value>(make: () => Value | Promise<Value>): () => Value | Promise<Value> {
  let made: { readonly value: Value | Promise<Value> } | undefined;
  const settle = (settled: typeof made) => {
    made = settled;
  };
  return () => {
    if (made !== undefined) return made.value;
    const value = make();
    made = { value };
    if (value instanceof Promise)
      value.then(
        resolved => settle({ value: resolved }),
        () => settle(undefined),
      );
    return value;
  };
}

/** Applies a function to a value, or to what a promise resolves to: Bun drops requests pipelined behind a promise of a response. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/**
 * Returns a function that runs `work`, never twice at the same time. All calls during a run share one more run after it, since
 * its inputs may have changed after the current run read them. `work` must not reject.
 */
export function coalesced<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let latest: Promise<unknown> = Promise.resolve();
  let queued: Promise<Value> | undefined;
  return () => {
    queued ??= latest.then(() => {
      queued = undefined;
      return work();
    });
    latest = queued;
    return queued;
  };
}

/**
 * An approximate LRU cache, for keys that clients choose: it holds at most `2 × limit` entries and evicts those not used
 * recently. Two generations instead of a linked list: a hit in the young one costs one look-up.
 */
export class BoundedCache<Key, Value> {
  readonly #limit: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) {
      this.#old.delete(key);
      this.set(key, older);
    }
    return older;
  }

  /** The cached value of a key; if there is none, the result of `compute`, which is then cached. */
  getOrInsertComputed(key: Key, compute: () => Value): Value {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = compute();
    this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#limit) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
