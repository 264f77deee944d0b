import { nameOfZone } from '../../clock/clock_config.ts';
import { foldName } from '../../common/words.ts';
import {
  type DayKind,
  type DayKinds,
  type FaultyRow,
  isShown,
  MINUTE_MS,
  type OffsetSpan,
  type Plan,
  type PlanRow,
  type PlanState,
  type Span,
} from './plan.ts';

/** Requests JSON from the API of this server. Rejects with a message for the visitor. */
export type GetJson = (request: string) => Promise<unknown>;

const DAY_MS = 86_400_000;
/** Local dates differ by at most two days. */
const MARGIN_DAYS = 2;

/** The place or zone that a name refers to. */
type Located = Omit<PlanRow, 'offsets' | 'days'> & { readonly calendars: readonly string[] };

/** Loads a plan from the API: the places, their offsets and clock changes on that day, and their working days. */
export async function loadPlan(state: PlanState, get: GetJson, language: string): Promise<Plan> {
  const located = await Promise.all(
    state.places.map(query => locate(query, get).catch((cause: Error) => ({ query, fault: cause.message }))),
  );
  const places = located.filter((row): row is Located => 'zone' in row);
  const base = places[0]?.zone ?? 'UTC';
  const date = state.date ?? (await todayIn(base, get));
  const [startMs, endMs] = await Promise.all([
    midnightIn(base, date, get),
    midnightIn(base, shift(date, 1), get),
  ]);
  const day = { startMs, endMs };
  const offsets = await offsetsOf(places, day, get);
  const rows = await Promise.all(
    located.map(async (row): Promise<PlanRow | FaultyRow> => {
      if (!('zone' in row)) return row;
      const { calendars, ...place } = row;
      return {
        ...place,
        offsets: offsets.get(row.zone) ?? [],
        days: await daysOf(calendars, date, language, get),
      };
    }),
  );
  return {
    state,
    date,
    ...day,
    rows: rows.map(row => (!isShown(row) || row.offsets.length > 0 ? row : lost(row))),
  };
}

function lost({ query, zone }: PlanRow): FaultyRow {
  return { query, fault: `The server does not know the offsets of ${zone}` };
}

/** A place in a list of `/v1/places`. */
export interface Listing {
  readonly name: string;
  readonly admin_area: string | null;
  readonly country: string;
  readonly lat: number;
  readonly lon: number;
  readonly timezone: string;
}

/** Countries with regional holiday calendars. */
const WITH_REGIONAL_HOLIDAYS: ReadonlySet<string> = new Set(['AU', 'BR', 'CA', 'DE', 'GB', 'IN', 'US']);

const ZONE_NAME = /^(?:[A-Z][\w+-]*\/[\w+/-]+|UTC)$/;

/** Finds a place, or a zone by its IANA name. */
async function locate(query: string, get: GetJson): Promise<Located> {
  if (ZONE_NAME.test(query)) return locateZone(query, get);
  const [place] = await listPlaces(query, 1, get);
  if (place === undefined) throw new Error(`There is no place '${query}'; try a larger town, or a zone`);
  const { name, admin_area, country, lat, lon, timezone } = place;
  const area = admin_area ?? country;
  // The search tolerates typos, which is suitable only for suggestions.
  if (!foldName(name).startsWith(foldName(query.split(',', 1)[0]!)))
    throw new Error(`There is no place '${query}'; did you mean '${name}, ${area}'?`);
  const calendars = WITH_REGIONAL_HOLIDAYS.has(country) ? [area, country] : [country];
  return { query, name, area, zone: timezone, point: { lat, lon }, calendars };
}

async function locateZone(query: string, get: GetJson): Promise<Located> {
  interface Found {
    readonly timezone: string;
    readonly details: { readonly zone: { readonly country_codes: readonly string[] } };
  }
  const tz = encodeURIComponent(query);
  const { timezone: zone, details } = (await get(`/v1/timezone?tz=${tz}&details=true`)) as Found;
  const { country_codes: countries } = details.zone;
  const name = nameOfZone(query);
  // The city that the zone is named after, if known to the server.
  const city = (await listPlaces(name, 5, get)).find(({ timezone }) => timezone === zone);
  const point = city === undefined ? null : { lat: city.lat, lon: city.lon };
  // A zone has its country's holidays if it is in only one country.
  return { query, name, area: zone, zone, point, calendars: countries.length === 1 ? countries : [] };
}

/** At most `limit` places whose names begin with a text, best match first. */
export async function listPlaces(name: string, limit: number, get: GetJson): Promise<readonly Listing[]> {
  const query = `q=${encodeURIComponent(name)}&limit=${limit}`;
  const { places } = (await get(`/v1/places?${query}`)) as { readonly places: readonly Listing[] };
  return places;
}

/** The used members of a time in a zone. */
interface ZonedTime {
  readonly unix: number;
  readonly iso_local: string;
}

async function todayIn(zone: string, get: GetJson): Promise<string> {
  const { iso_local } = (await get(`/v1/time/current?tz=${encodeURIComponent(zone)}`)) as ZonedTime;
  return iso_local.slice(0, 'YYYY-MM-DD'.length);
}

/** The instant at which a date begins in a zone. */
async function midnightIn(zone: string, date: string, get: GetJson): Promise<number> {
  const query = `iso=${date}T00:00:00&source_tz=${encodeURIComponent(zone)}&utc=true`;
  return ((await get(`/v1/time/convert?${query}`)) as ZonedTime).unix * 1000;
}

/** The used members of the transitions of a zone. */
interface Changes {
  readonly transitions: readonly {
    readonly unix: number;
    readonly offset_before: number;
    readonly offset_after: number;
  }[];
}

async function offsetsOf(
  places: readonly Located[],
  { startMs, endMs }: Span,
  get: GetJson,
): Promise<Map<string, OffsetSpan[]>> {
  const zones = [...new Set(places.map(({ zone }) => zone))];
  if (zones.length === 0) return new Map();
  const tz = encodeURIComponent(zones.join(','));
  const range = `from=${new Date(startMs).toISOString()}&to=${new Date(endMs).toISOString()}`;
  const responses = await Promise.all([
    get(`/v1/time/convert?unix=${startMs / 1000}&tz=${tz}`),
    get(`/v1/time/transitions?tz=${tz}&${range}`),
  ]);
  // For a single zone, responses are not lists.
  const [times, changes] = responses.map(response => [response].flat()) as [ZonedTime[], Changes[]];
  return new Map(
    zones.map((zone, index) => {
      const { iso_local } = times[index]!;
      const startOffset = (Date.parse(`${iso_local.slice(0, 19)}Z`) - startMs) / MINUTE_MS;
      return [zone, spansOf(startOffset, changes[index]!, startMs, endMs)];
    }),
  );
}

/** The offsets of a zone; before a change at the very start of the day, an empty span. */
function spansOf(
  startOffset: number,
  { transitions }: Changes,
  startMs: number,
  endMs: number,
): OffsetSpan[] {
  const starts = [startMs, ...transitions.map(({ unix }) => unix * 1000)];
  const [first] = transitions;
  const offsets = [
    first?.offset_before ?? startOffset,
    ...transitions.map(({ offset_after }) => offset_after),
  ];
  return starts.map((spanStartMs, index) => ({
    startMs: spanStartMs,
    endMs: starts[index + 1] ?? endMs,
    offsetMinutes: offsets[index]!,
  }));
}

/**
 * The days around a date in the first calendar that the server has, with holiday names in a language if available. Without a
 * calendar, Monday to Friday are working days.
 */
async function daysOf(
  calendars: readonly string[],
  date: string,
  language: string,
  get: GetJson,
): Promise<DayKinds> {
  const range = `from=${shift(date, -MARGIN_DAYS)}&to=${shift(date, MARGIN_DAYS)}`;
  for (const calendar of calendars) {
    try {
      return await daysIn(`${range}&holiday_country=${calendar}&lang=${encodeURIComponent(language)}`, get);
    } catch {
      // The area or country has no calendar.
    }
  }
  return daysIn(range, get);
}

async function daysIn(query: string, get: GetJson): Promise<DayKinds> {
  interface Listed extends DayKind {
    readonly date: string;
  }
  const { days } = (await get(`/v1/work/days?${query}`)) as { readonly days: readonly Listed[] };
  return new Map(days.map(day => [day.date, day]));
}

function shift(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
