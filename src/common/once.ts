/** Calls `make` at the first call and returns its result at every call. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Runs `work` once at a time: all calls during a run share one more run after it, since what it reads may have changed after
 * the running one read it. `work` must not reject.
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
