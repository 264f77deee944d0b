/**
 * What a query is answered with, once its parameters are read: the body for a request that is made now. `now` gives the
 * present in milliseconds since the epoch; whoever wants it asks once, so that all of an answer shares one instant.
 */
export type Answer = (now: () => number, requestId: string) => string;

/** Longer bodies are made for each request, so that those that are kept take little room. */
const MAX_KEPT_LENGTH = 2048;

/** A body that is the same whenever it is asked for, and is made at once. */
export function always(makeBody: () => string): Answer {
  const body = makeBody();
  return body.length <= MAX_KEPT_LENGTH ? () => body : makeBody;
}

/** A body that the instant of the request decides on: requests of the same millisecond share it. */
export function at(bodyAt: (nowMs: number) => string): Answer {
  let latestMs = Number.NaN;
  let latest = '';
  return now => {
    const nowMs = now();
    if (nowMs === latestMs) return latest;
    const body = bodyAt(nowMs);
    if (body.length <= MAX_KEPT_LENGTH) {
      latest = body;
      latestMs = nowMs;
    }
    return body;
  };
}

/** {@link always} where a query says the instant, else {@link at} that of the request. */
export function atInstant(epochMs: number | undefined, bodyAt: (epochMs: number) => string): Answer {
  return epochMs === undefined ? at(bodyAt) : always(() => bodyAt(epochMs));
}
