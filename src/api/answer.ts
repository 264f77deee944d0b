/**
 * What a query is answered with, once its parameters are read: the body for a request that is made now. `now` gives the
 * present in milliseconds since the epoch; whoever wants it asks once, so that all of an answer shares one instant.
 */
export interface Answer {
  (now: () => number, requestId: string): string;
  /** It is not worth keeping for the next who asks the same. */
  readonly isForOne?: boolean;
}

/** Longer bodies, in characters, are made and signed for each request, so that those that are kept take little room. */
export const MAX_KEPT_LENGTH = 2048;

/**
 * A body that an instant decides on: the one that the query says, or where it says none that of the request. It is made
 * once for all requests that have the instant in common.
 */
export function atInstant(epochMs: number | undefined, bodyAt: (epochMs: number) => string): Answer {
  let latestMs = Number.NaN;
  let latest = '';
  return now => {
    const instantMs = epochMs ?? now();
    if (instantMs === latestMs) return latest;
    const body = bodyAt(instantMs);
    if (body.length <= MAX_KEPT_LENGTH) {
      latest = body;
      latestMs = instantMs;
    }
    return body;
  };
}

/** A body that the instant of the request decides on. */
export function at(bodyAt: (nowMs: number) => string): Answer {
  return atInstant(undefined, bodyAt);
}

/** A body that no instant decides on. */
export function always(makeBody: () => string): Answer {
  return atInstant(0, makeBody);
}
