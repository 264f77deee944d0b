import type { Snapshot } from '../http/snapshot.ts';
import { placeDetails } from '../operations/places.ts';
import type { Gazetteer, Place } from '../places/gazetteer.ts';
import { placeName } from './planner/load_plan.ts';
import { MAX_PLACES, PLANNER_PATH } from './planner/plan.ts';

/** Latitude and longitude in decimal degrees. */
const COORDINATES = /^([+-]?\d{1,2}(?:\.\d*)?)°?\s*[,; ]\s*([+-]?\d{1,3}(?:\.\d*)?)°?$/;
/** Separates places in a list in words. */
const SEPARATOR = /[,\n]|\s(?:and|und|&)\s/;

/** The page for a visitor's text: that of a zone for one place, coordinates or a zone; the planner for several places or a date. */
export function pageFor(typed: string, date: string, snapshot: Snapshot): string | Promise<string> {
  const point = COORDINATES.exec(typed);
  if (point !== null) return zoneAt(Number(point[1]), Number(point[2]), snapshot);
  const zone = snapshot.zones.find(typed.replaceAll(' ', '_'));
  if (zone !== undefined && date === '') return zonePath(zone.name);
  const { pending } = snapshot.gazetteer;
  if (pending !== undefined) return pending.load().then(() => pageFor(typed, date, snapshot));
  const places = placesIn(typed, snapshot.gazetteer.get());
  const [first] = places;
  if (places.length === 1 && typeof first === 'object' && date === '')
    return `${zonePath(first.zoneName)}?${new URLSearchParams({ place: nameOf(first) })}`;
  return planOf(places.map(nameOf), date);
}

/** The page on which visitors look up places with their own key. */
export function pageWithKey(typed: string, date: string): string {
  return COORDINATES.test(typed) ? '/map' : planOf(typed.split(';'), date);
}

function planOf(names: readonly string[], date: string): string {
  const query = new URLSearchParams();
  for (const name of names) query.append('place', name.trim());
  if (date !== '') query.set('date', date);
  return `${PLANNER_PATH}?${query}`;
}

const zonePath = (zoneName: string) => `/zone/${zoneName}`;

function zoneAt(lat: number, lon: number, snapshot: Snapshot): string | Promise<string> {
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return '/map';
  const { boundaries } = snapshot;
  const { pending } = boundaries;
  if (pending !== undefined) return pending.load().then(() => zoneAt(lat, lon, snapshot));
  return zonePath(boundaries.get().zoneNameAt(lat, lon));
}

/** The places in a list; texts that are not places are returned unchanged. */
function placesIn(typed: string, gazetteer: Gazetteer): readonly (Place | string)[] {
  const items = typed.split(';', MAX_PLACES).flatMap(item => {
    const whole = find(item, gazetteer);
    return whole === undefined ? separated(item, gazetteer) : [whole];
  });
  return items.filter(item => item !== '').slice(0, MAX_PLACES);
}

/** The places in a list in words: `Perth, Scotland and Berlin` has two, as has `Berlin, Tokyo`. */
function separated(list: string, gazetteer: Gazetteer): readonly (Place | string)[] {
  const places: (Place | string)[] = [];
  let before = '';
  for (const part of list.split(SEPARATOR, 2 * MAX_PLACES).map(text => text.trim())) {
    const [qualified] = gazetteer.resolve(`${before}, ${part}`, 1).candidates;
    const [named] = gazetteer.resolve(part, 1).candidates;
    if (qualified !== undefined && (named?.population ?? 0) < qualified.population) {
      places[places.length - 1] = qualified;
    } else places.push(find(part, gazetteer) ?? part);
    before = part;
  }
  return places;
}

/** The largest place with a name, or in the area with that name if that place is larger. */
function find(name: string, gazetteer: Gazetteer): Place | undefined {
  const [named] = gazetteer.resolve(name, 1).candidates;
  const largest = gazetteer.largestIn(name);
  return (largest?.population ?? 0) > (named?.population ?? 0) ? largest : named;
}

function nameOf(place: Place | string): string {
  return typeof place === 'string' ? place : placeName(placeDetails(place));
}
