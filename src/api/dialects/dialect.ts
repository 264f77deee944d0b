import { whenReady } from '../../common/promises.ts';
import { type Exchange, pathnameOf } from '../../http/exchange.ts';
import { entityTag, FIXED, RouteResponses } from '../../http/response.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import type { DataSets } from '../../operations/served_data.ts';

/** Makes responses of a content type, with the headers of the API. */
export class DialectResponses {
  readonly #responses: (snapshot: Snapshot) => RouteResponses;

  constructor(contentType: string) {
    const content = { contentType, isMarkup: false, isPublic: false, cacheControl: 'no-store' };
    this.#responses = perSnapshot(snapshot => new RouteResponses(content, snapshot));
  }

  /** A response that depends on the present or on the client. */
  momentary(body: string, exchange: Exchange): Response | Promise<Response> {
    return this.#responses(exchange.snapshot).momentary(body, exchange);
  }

  /** A response that depends only on a data set and the path; `compute` is called unless the client already has it. */
  fixed(
    compute: () => string | Promise<string>,
    data: DataSets,
    exchange: Exchange,
  ): Response | Promise<Response> {
    const tag = entityTag(exchange, data, exchange.snapshot);
    const freshness = { tag, cacheControl: FIXED };
    const responses = this.#responses(exchange.snapshot);
    const condition = exchange.request.headers.get('If-None-Match');
    return (
      responses.notModified(exchange, freshness, condition) ??
      whenReady(compute(), body => responses.cacheable(body, exchange, freshness, condition))
    );
  }
}

/** The decoded path of a request; unchanged if its percent-escapes are not UTF-8. */
export function decodedPath({ url }: Request): string {
  const path = pathnameOf(url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
