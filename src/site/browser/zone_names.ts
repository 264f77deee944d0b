import { once } from '../../common/once.ts';
import { exchange } from './api.ts';
import { one } from './dom.ts';
import { hasAccess } from './key.ts';
import {
  placeName,
  type Suggestion,
  searchPlaces,
  suggest,
  suggestionOf,
  suggestPlaces,
} from './place_search.ts';

const MAX_ZONES = 5;

/** Suggests zones, and places by their zones, in the zone fields of a form; places in its place fields. */
export function suggestZones(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name$="tz"]:not([type="checkbox"])')) {
    suggest(
      field,
      typed => searchZones(lastOf(typed)),
      zone => {
        field.value = field.value.slice(0, field.value.lastIndexOf(',') + 1) + zone;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      },
    );
  }
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name$="place"]')) {
    suggestPlaces(field, place => {
      field.value = placeName(place);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
}

/** Suggests places in a field that takes a list of places. */
export function suggestFinds(form: HTMLElement): void {
  const field = one<HTMLInputElement>(form, '[name=q]');
  const startOfLast = () => field.value.lastIndexOf(';') + 1;
  suggest(
    field,
    async typed => {
      const places = await searchPlaces(typed.slice(typed.lastIndexOf(';') + 1).trim());
      return places.map(place => suggestionOf(place, placeName(place)));
    },
    name => {
      const before = field.value.slice(0, startOfLast());
      field.value = `${before}${before === '' ? '' : ' '}${name}; `;
    },
  );
}

/** The last element of a list as it is being typed. */
function lastOf(typed: string): string {
  return typed.slice(typed.lastIndexOf(',') + 1).trim();
}

async function searchZones(typed: string): Promise<Suggestion<string>[]> {
  if (typed === '') return [];
  const [names, places] = await Promise.all([zoneNames().catch((): string[] => []), searchPlaces(typed)]);
  const wanted = typed.toLowerCase().replaceAll(' ', '_');
  const zones = names.filter(name => name.toLowerCase().includes(wanted)).slice(0, MAX_ZONES);
  // A complete name needs no suggestions.
  if (names.includes(typed)) return [];
  return [
    ...zones.map(name => ({ name, note: '', value: name })),
    ...places.map(place => suggestionOf(place, place.timezone)),
  ];
}

const requestNames = once(async () => {
  const { status, body } = await exchange('/v1/timezones');
  const zones: { name: string }[] = status === 200 ? JSON.parse(body) : [];
  return zones.map(({ name }) => name);
});

/** The names of all zones; empty without access. */
async function zoneNames(): Promise<string[]> {
  return hasAccess() ? requestNames() : [];
}
