import { type Representation, represent, representationResponse } from '../../api/assets/representation.ts';
import { requiresKeys } from '../../api/description/credentials.ts';
import { BoundedCache } from '../../common/bounded_cache.ts';
import { quoted, ServiceError } from '../../common/service_error.ts';
import { type Exchange, pathnameOf } from '../../http/exchange.ts';
import { perSnapshot, type Server } from '../../http/snapshot.ts';
import type { Zone } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { PAGE_HEADERS } from '../site_paths.ts';
import { releaseNews } from './release_news.ts';
import { zonePage } from './zone_page.tsx';

/** Below it every name of a zone is a path. */
const PREFIX = '/zone/';
const MINUTE_MS = 60_000;
/** Half as many pages as are cached at most, each of about 70 KB with its compressed form. */
const CACHED_PAGES = 32;

/** Returns a function that serves the page of a zone, drawn at the full minute. */
export function openZonePages(server: Server) {
  const pages = perSnapshot(() => new BoundedCache<string, Promise<Representation>>(CACHED_PAGES));
  return async ({ request, requestId, snapshot }: Exchange): Promise<Response> => {
    const name = pathnameOf(request.url).slice(PREFIX.length);
    const zone = findZone(name, snapshot.zones);
    if (zone.name !== name) {
      const Location = PREFIX + zone.name;
      return new Response(null, {
        status: 301,
        headers: { ...PAGE_HEADERS, Location, 'X-Request-Id': requestId },
      });
    }
    const isKeyed = requiresKeys(server.access);
    const nowMs = Math.floor(server.now() / MINUTE_MS) * MINUTE_MS;
    const page = pages(snapshot).getOrInsertComputed(`${zone.name} ${nowMs} ${isKeyed}`, async () => {
      const news = (await releaseNews(snapshot)()).get(zone.canonicalName) ?? [];
      return represent(zonePage({ zone, news, snapshot, isKeyed, nowMs }), 'text/html; charset=utf-8');
    });
    const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache', 'X-Request-Id': requestId };
    return representationResponse(request, await page, headers);
  };
}

function findZone(name: string, zones: ZoneDatabase): Zone {
  const zone = zones.find(name);
  if (zone !== undefined) return zone;
  const suggestions = zones.suggest(name);
  const advice = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map(quoted).join(', ')}?`;
  throw new ServiceError('NOT_FOUND', `${quoted(name)} is not a zone of ${zones.title}${advice}`);
}
