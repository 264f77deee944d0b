import {
  type Representation,
  representationResponse,
  representLater,
} from '../../api/assets/representation.ts';
import { requiresKeys } from '../../api/description/credentials.ts';
import { BoundedCache } from '../../common/caching.ts';
import { quoted, ServiceError } from '../../common/errors.ts';
import { localText } from '../../common/iso_text.ts';
import { type Exchange, pathnameOf } from '../../http/exchange.ts';
import { perSnapshot, type Server, type Snapshot } from '../../http/snapshot.ts';
import { zoneTarget } from '../../operations/target.ts';
import { momentAt } from '../../text/time_payload.ts';
import type { Zone } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import type { FrameInput } from '../layout.tsx';
import { PAGE_HEADERS } from '../site_paths.ts';
import { yearCalendar } from './year_calendar.tsx';
import { zonePage } from './zone_page.tsx';
import { releaseNews } from './zone_texts.ts';

/** Followed by any zone name. */
const PREFIX = '/zone/';
const HTML = 'text/html; charset=utf-8';
const MINUTE_MS = 60_000;
/** Half the maximum number of cached pages, each of about 70 KB with its compressed form. */
const CACHED_PAGES = 32;
/** Half the maximum number of cached country calendars, each of about 20 KB. */
const CACHED_CALENDARS = 64;

/** Returns a function that serves zone pages, which are rendered once a minute. */
export function openZonePages(server: Server) {
  const pages = perSnapshot(() => new BoundedCache<string, Promise<Representation>>(CACHED_PAGES));
  const calendars = perSnapshot(() => new BoundedCache<string, Promise<string>>(CACHED_CALENDARS));

  async function page(zone: Zone, nowMs: number, frame: FrameInput): Promise<Representation> {
    const { snapshot } = frame;
    const news = (await releaseNews(snapshot)()).get(zone.canonicalName) ?? [];
    const days = await daysOf(zone, nowMs, snapshot);
    return representLater(await zonePage({ ...frame, zone, news, days, nowMs }), HTML);
  }

  /** The working days of a zone's country, which are shared by its zones and change only once a day. */
  async function daysOf(zone: Zone, nowMs: number, snapshot: Snapshot): Promise<string> {
    const country = snapshot.holidays.countries.find(({ code }) => code === zone.countryCodes[0]);
    if (country === undefined) return '<p>No holidays are known here.</p>';
    const today = localText(momentAt(nowMs, zoneTarget(zone))).slice(0, 'YYYY-MM-DD'.length);
    return calendars(snapshot).getOrInsertComputed(`${country.code} ${today}`, () =>
      yearCalendar(snapshot.holidays.calendarOf(country, null), today),
    );
  }

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
    const drawn = await pages(snapshot).getOrInsertComputed(`${zone.name} ${nowMs} ${isKeyed}`, () =>
      page(zone, nowMs, { snapshot, isKeyed }),
    );
    const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache', 'X-Request-Id': requestId };
    return representationResponse(request, drawn, headers);
  };
}

function findZone(name: string, zones: ZoneDatabase): Zone {
  const zone = zones.find(name);
  if (zone !== undefined) return zone;
  const suggestions = zones.suggest(name);
  const advice = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map(quoted).join(', ')}?`;
  throw new ServiceError('NOT_FOUND', `${quoted(name)} is not a zone of ${zones.title}${advice}`);
}
