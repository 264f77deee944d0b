import type { Admission } from '../access/gate.ts';
import { steadyLimitHeaders, writeLimitHeaders } from '../access/limit_headers.ts';
import type { Limits } from '../access/limits.ts';
import type { Month } from '../access/month.ts';

/** Whether an answer of a status counts against the monthly quota: what nobody was served does not. */
export function isCounted(status: number): boolean {
  return status < 500 && status !== 404 && status !== 401 && status !== 403 && status !== 429;
}

/** Adds to an answer what its caller is told of its limits. */
export function addLimitHeaders(headers: Headers, { limits, standing }: Admission, status: number): void {
  if (limits === undefined || standing === undefined) return;
  setSteady(headers, limits, standing.month);
  writeLimitHeaders(headers, limits, standing, isCounted(status));
}

function setSteady(headers: Headers, limits: Limits, month: Month): void {
  for (const [name, value] of Object.entries(steadyLimitHeaders(limits, month))) headers.set(name, value);
}

/**
 * The headers of a route's answers with those of limits among them. Six headers of an answer would take 2 µs to set;
 * so each plan has a Headers object where all that stays the same stands already, for a Response to copy at once.
 */
export class LimitedHeaders {
  readonly #common: Headers;
  readonly #byLimits = new WeakMap<Limits, { readonly month: Month; readonly headers: Headers }>();

  /** `common` are the headers of every answer of the route. */
  constructor(common: Headers) {
    this.#common = common;
  }

  /** The headers of an answer that counts to an admitted request, until they are asked for again. */
  of({ limits, standing }: Admission): Headers {
    if (limits === undefined || standing === undefined) return this.#common;
    let entry = this.#byLimits.get(limits);
    if (entry?.month.index !== standing.month.index) {
      const headers = new Headers(this.#common);
      setSteady(headers, limits, standing.month);
      entry = { month: standing.month, headers };
      this.#byLimits.set(limits, entry);
    }
    writeLimitHeaders(entry.headers, limits, standing, true);
    return entry.headers;
  }
}
