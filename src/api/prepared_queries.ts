import { BoundedCache } from '../common/bounded_cache.ts';
import type { Query } from '../http/query.ts';
import type { Services } from '../http/services.ts';
import type { Signature } from '../http/signature.ts';
import type { Answer } from './answer.ts';
import type { Route } from './route.ts';

/** A query whose parameters were read and found good, with what it is answered with. */
export interface PreparedQuery {
  readonly route: Route;
  readonly query: Query;
  readonly isSigned: boolean;
  readonly answer: Answer;
  /** That of its latest signed answer, for those that say the same. */
  signature?: Signature;
}

/** As many are kept at least, and at most twice as many: a few kilobytes each, ten where a pattern is all directives. */
const KEPT = 512;
/** Longer URLs, counted with scheme and host, are read anew each time. */
const MAX_URL_LENGTH = 256;

/**
 * The queries that were asked lately, by their URLs. Most clients ask one question again and again, and to read its
 * parameters takes as long as all the rest of an answer that is not Bun's. They are forgotten when the server's data
 * is replaced, since they hold what was found in it. One is for all listeners of a process.
 */
export class PreparedQueries {
  readonly #services: Services;
  #kept!: BoundedCache<string, PreparedQuery>;
  readonly #askedOnce = new Set<string>();
  #zones: unknown;
  #holidays: unknown;
  #addresses: unknown;
  #ownNetworks: unknown;

  constructor(services: Services) {
    this.#services = services;
    this.#forgetOldData();
  }

  get(url: string): PreparedQuery | undefined {
    this.#forgetOldData();
    return this.#kept.get(url);
  }

  /** Keeps a query that is asked for the second time: of those that are asked once there may be any number. */
  set(url: string, prepared: PreparedQuery): void {
    if (url.length > MAX_URL_LENGTH) return;
    if (this.#askedOnce.has(url)) {
      this.#kept.set(url, prepared);
      return;
    }
    if (this.#askedOnce.size === KEPT) this.#askedOnce.clear();
    this.#askedOnce.add(url);
  }

  /** Compares all of `Services` and `Places` that can be replaced. */
  #forgetOldData(): void {
    const { zones, holidays, places } = this.#services;
    const isOfNow =
      this.#zones === zones &&
      this.#holidays === holidays &&
      this.#addresses === places.ip &&
      this.#ownNetworks === places.ownNetworks;
    if (isOfNow) return;
    this.#kept = new BoundedCache(KEPT);
    this.#zones = zones;
    this.#holidays = holidays;
    this.#addresses = places.ip;
    this.#ownNetworks = places.ownNetworks;
  }
}
