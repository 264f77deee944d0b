/** Lets other tasks run before long work continues, such as requests that have arrived. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/**
 * Returns a function that calls `make` on the first call, and returns its result on every call. If that is a promise, the function
 * returns the value itself when it has resolved, and calls `make` again when it has been rejected.
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
