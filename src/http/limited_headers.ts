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
 * Templates of a route's answers with the headers of limits among theirs. Six headers of an answer would take 2 µs to set;
 * so each plan has a template where all that stays the same stands already, for a Response to copy at once.
 */
export class LimitedTemplates {
  readonly #common: Response;
  readonly #byLimits = new WeakMap<Limits, { readonly month: Month; readonly template: Response }>();

  /** `common` has the headers of every answer of the route. */
  constructor(common: Response) {
    this.#common = common;
  }

  /** The template of an answer that counts to an admitted request, until it is asked for again. */
  of({ limits, standing }: Admission): Response {
    if (limits === undefined || standing === undefined) return this.#common;
    let entry = this.#byLimits.get(limits);
    if (entry?.month.index !== standing.month.index) {
      const template = new Response(null, this.#common);
      setSteady(template.headers, limits, standing.month);
      entry = { month: standing.month, template };
      this.#byLimits.set(limits, entry);
    }
    writeLimitHeaders(entry.template.headers, limits, standing, true);
    return entry.template;
  }
}
