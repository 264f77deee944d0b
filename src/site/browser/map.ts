import { placeName } from '../planner/load_plan.ts';
import { coordinatesAt, type GeoPoint, nightPath, pointOf } from '../sun.ts';
import { attempt, fieldOf, getJson, make, one } from './page.ts';
import { searchPlaces, suggestPlaces } from './place_search.ts';

const MINUTE_MS = 60_000;
/** Decimal places of coordinates: about a kilometre. */
const DIGITS = 2;

/** The members of `/v1/time/current` that the map uses. */
interface ZonedTime {
  readonly timezone: string;
  readonly iso_local: string;
  readonly details: { readonly zone: { readonly abbreviation: string } };
}

/** Runs the map: the night, names under the pointer, and the zone of a place that is clicked, entered or found. */
export function runMap(root: HTMLElement): void {
  const world = one(root, '[data-map-world]') as Element as SVGSVGElement;
  const form = one<HTMLFormElement>(root, '[data-map-search]');
  const place = fieldOf(form, 'q');
  const [lat, lon] = [fieldOf(form, 'lat'), fieldOf(form, 'lon')];
  const choose = (found: GeoPoint) => {
    lat.value = found.lat.toFixed(DIGITS);
    lon.value = found.lon.toFixed(DIGITS);
    const { x, y } = pointOf(found);
    one(root, '[data-map-pin]').setAttribute('d', `M${x} ${y}m-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0`);
    void showZone(root, lat.value, lon.value);
  };
  const forgetPlace = () => {
    place.value = '';
  };
  for (const field of [lat, lon]) field.addEventListener('input', forgetPlace);
  world.addEventListener('click', event => {
    event.preventDefault();
    forgetPlace();
    choose(coordinatesOf(event, world));
  });
  world.addEventListener('pointermove', event => {
    const title = (event.target as Element).closest('a')?.getAttribute('aria-label') ?? 'At sea';
    one(root, '[data-map-hint]').textContent = `${title} · ${coordinatesText(coordinatesOf(event, world))}`;
  });
  suggestPlaces(place, found => {
    place.value = placeName(found);
    choose(found);
  });
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const typed = place.value.trim();
    const [first] = typed === '' ? [] : await searchPlaces(typed);
    if (first !== undefined) choose(first);
    else if (lat.value !== '') void showZone(root, lat.value, lon.value);
    else show(root, typed === '' ? 'Enter a place name or coordinates.' : 'No such place found.');
  });
  drawNight(root);
  // Narrow screens initially show Greenwich.
  const frame = one(root, '.map-frame');
  frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
}

function drawNight(root: HTMLElement): void {
  one(root, '[data-map-night]').setAttribute('d', nightPath(Date.now()));
  setTimeout(drawNight, MINUTE_MS, root);
}

function coordinatesOf({ clientX, clientY }: MouseEvent, world: SVGSVGElement): GeoPoint {
  const point = new DOMPoint(clientX, clientY).matrixTransform(world.getScreenCTM()!.inverse()); // it is displayed
  return coordinatesAt(point.x, point.y);
}

function coordinatesText({ lat, lon }: GeoPoint): string {
  return `${Math.abs(lat).toFixed(1)}° ${lat < 0 ? 'S' : 'N'}, ${Math.abs(lon).toFixed(1)}° ${lon < 0 ? 'W' : 'E'}`;
}

/** Shows the zone at the coordinates, with its time and a link to its page, or the server's error. */
async function showZone(root: HTMLElement, lat: string, lon: string): Promise<void> {
  const report = (message: string) => show(root, message);
  await attempt(root, report, async isLatest => {
    const query = new URLSearchParams({ lat, lon, details: 'true' });
    const { timezone, iso_local, details } = await getJson<ZonedTime>(`/v1/time/current?${query}`);
    if (!isLatest()) return;
    const link = make('a', '', timezone) as HTMLAnchorElement;
    link.href = `/zone/${timezone}`;
    const offset = iso_local.slice(-'+00:00'.length);
    show(root, link, ` ${iso_local.slice(11, 16)}, UTC${offset} (${details.zone.abbreviation})`);
  });
}

function show(root: HTMLElement, ...content: (Node | string)[]): void {
  one(root, '[data-map-found]').replaceChildren(...content);
}
