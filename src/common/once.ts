/** Returns a function that calls `make` on the first call, and returns its result on every call. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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
