import { nameOfZone } from '../../clock/clock_config.ts';
import { foldName } from '../../common/words.ts';
import {
  type DayKind,
  type DayKinds,
  type FaultyRow,
  MINUTE_MS,
  type OffsetSpan,
  type Plan,
  type PlanRow,
  type PlanState,
  type Span,
  shiftedDate,
} from './plan.ts';

/** Requests JSON from the API of this server. Rejects with a message for the visitor and, for error responses, the API's `code`. */
export type GetJson = (request: string) => Promise<unknown>;

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
    midnightIn(base, shiftedDate(date, 1), get),
  ]);
  const day = { startMs, endMs };
  const offsets = await offsetsOf(places, day, get);
  const rows = await Promise.all(
    located.map(async (row): Promise<PlanRow | FaultyRow> => {
      if (!('zone' in row)) return row;
      const { calendars, ...place } = row;
      const days = await daysOf(calendars, date, language, get);
      return { ...place, offsets: offsets.get(row.zone)!, days }; // that of every located row
    }),
  );
  return { state, date, ...day, rows };
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

/** The unambiguous value of the parameter `place` for a place. */
export function placeName({ name, admin_area, country }: Pick<Listing, 'name' | 'admin_area' | 'country'>) {
  return `${name}, ${admin_area ?? country}`;
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
    throw new Error(`There is no place '${query}'; did you mean '${placeName(place)}'?`);
  const calendars = WITH_REGIONAL_HOLIDAYS.has(country) ? [area, country] : [country];
  return { query, name, area, zone: timezone, point: { lat, lon }, calendars };
}

/** The used members of a zone. */
interface FoundZone {
  readonly timezone: string;
  readonly details: { readonly zone: { readonly country_codes: readonly string[] } };
}

async function locateZone(query: string, get: GetJson): Promise<Located> {
  const tz = encodeURIComponent(query);
  const { timezone: zone, details } = (await get(`/v1/timezone?tz=${tz}&details=true`)) as FoundZone;
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
  readonly transitions: readonly { unix: number; offset_before: number; offset_after: number }[];
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
  const spansOf = (index: number): OffsetSpan[] => {
    const { transitions } = changes[index]!;
    const startOffset = (Date.parse(`${times[index]!.iso_local.slice(0, 19)}Z`) - startMs) / MINUTE_MS;
    // Before a change at the very start of the day, there is an empty span.
    const starts = [startMs, ...transitions.map(({ unix }) => unix * 1000), endMs];
    const first = transitions[0]?.offset_before ?? startOffset;
    return [first, ...transitions.map(({ offset_after }) => offset_after)].map((offsetMinutes, at) => {
      return { startMs: starts[at]!, endMs: starts[at + 1]!, offsetMinutes };
    });
  };
  return new Map(zones.map((zone, index) => [zone, spansOf(index)]));
}

/** The days around a date in the first calendar that the server has; without one, Monday to Friday are working days. */
async function daysOf(
  calendars: readonly string[],
  date: string,
  language: string,
  get: GetJson,
): Promise<DayKinds> {
  const range = `from=${shiftedDate(date, -MARGIN_DAYS)}&to=${shiftedDate(date, MARGIN_DAYS)}`;
  for (const calendar of calendars) {
    try {
      return await daysIn(`${range}&holiday_country=${calendar}&lang=${encodeURIComponent(language)}`, get);
    } catch (error) {
      // The area or country has no calendar, or not one of this year.
      if ((error as { code?: string }).code !== 'INVALID_PARAMETER') throw error;
    }
  }
  return daysIn(range, get);
}

async function daysIn(query: string, get: GetJson): Promise<DayKinds> {
  const { days } = (await get(`/v1/work/days?${query}`)) as { readonly days: (DayKind & { date: string })[] };
  return new Map(days.map(day => [day.date, day]));
}
