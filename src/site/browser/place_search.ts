import { once } from '../../common/caching.ts';
import { type Listing, listPlaces, placeName } from '../planner/load_plan.ts';
import { fieldOf, fill, getJson, hasAccess, make, takeTurn } from './page.ts';

interface Suggestion<Value> {
  readonly name: string;
  readonly note: string;
  readonly value: Value;
}

/** Suggests places below a text field; see {@link suggest}. */
export function suggestPlaces(field: HTMLInputElement, choose: (place: Listing) => void): void {
  suggest(field, async typed => (await searchPlaces(typed)).map(place => suggestionOf(place, place)), choose);
}

function suggestionOf<Value>(place: Listing, value: Value): Suggestion<Value> {
  const { name, admin_area, country, timezone } = place;
  return { name, note: `${admin_area ?? country} · ${timezone}`, value };
}

const MAX_TYPED = 64;
const LIST_LENGTH = 8;

/** Suggests values below a text field: a combobox with a list (ARIA Authoring Practices Guide). `choose` receives the selected value. */
function suggest<Value>(
  field: HTMLInputElement,
  search: (typed: string) => Promise<readonly Suggestion<Value>[]>,
  choose: (value: Value) => void,
): void {
  const list = make('ul', 'suggestions');
  list.id = `${field.id}-places`;
  list.role = 'listbox';
  list.ariaLabel = 'Places';
  list.hidden = true;
  field.after(list);
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-controls', list.id);
  field.ariaAutoComplete = 'list';
  let shown: readonly Suggestion<Value>[] = [];
  let active = -1;

  const close = () => {
    list.hidden = true;
    field.ariaExpanded = 'false';
    activate(-1);
  };
  const activate = (index: number) => {
    active = index;
    for (const [position, option] of [...list.children].entries()) {
      option.ariaSelected = String(position === index);
    }
    const id = list.children[index]?.id;
    if (id === undefined) field.removeAttribute('aria-activedescendant');
    else field.setAttribute('aria-activedescendant', id);
  };
  const show = (found: readonly Suggestion<Value>[]) => {
    shown = found;
    list.replaceChildren(...found.map((suggestion, index) => option(suggestion, `${list.id}-${index}`)));
    list.hidden = found.length === 0;
    field.ariaExpanded = String(!list.hidden);
    activate(-1);
  };
  const take = (index: number) => {
    const suggestion = shown[index];
    close();
    if (suggestion) choose(suggestion.value);
  };
  close();

  field.addEventListener('input', async () => {
    const isLatest = takeTurn(list);
    const found = await search(field.value.trim());
    if (isLatest()) show(found);
  });
  field.addEventListener('keydown', event => {
    if (list.hidden) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && active !== -1) take(active);
    else if (event.key === 'ArrowDown') activate((active + 1) % shown.length);
    else if (event.key === 'ArrowUp') activate((active < 1 ? shown.length : active) - 1);
    else return;
    event.preventDefault();
  });
  field.addEventListener('blur', () => {
    takeTurn(list); // discards pending suggestions
    close();
  });
  // Before the field loses the focus.
  list.addEventListener('mousedown', event => {
    event.preventDefault();
    const chosen = (event.target as Element).closest('li');
    if (chosen) take([...list.children].indexOf(chosen));
  });
}

function option({ name, note }: Suggestion<unknown>, id: string): HTMLElement {
  const element = make('li', '', name, ' ', make('small', '', note));
  element.id = id;
  element.role = 'option';
  return element;
}

/** The places whose names begin with a text; empty without access, for text that is not a name, or after a failure. */
export async function searchPlaces(typed: string): Promise<readonly Listing[]> {
  if (typed === '' || typed.length > MAX_TYPED || !hasAccess()) return [];
  try {
    return await listPlaces(typed, LIST_LENGTH, getJson);
  } catch {
    return [];
  }
}

const MAX_ZONES = 5;

/** Suggests zones, and places by their zones, in the zone fields of a form; places in its place fields. */
export function suggestZones(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name$="tz"]:not([type="checkbox"])')) {
    const search = (typed: string) => searchZones(lastOf(typed, ','));
    suggest(field, search, zone =>
      fill(field, field.value.slice(0, field.value.lastIndexOf(',') + 1) + zone),
    );
  }
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name$="place"]')) {
    suggestPlaces(field, place => fill(field, placeName(place)));
  }
}

/** Suggests places in a field that takes a list of places. */
export function suggestFinds(form: HTMLElement): void {
  const field = fieldOf(form, 'q');
  const search = async (typed: string) =>
    (await searchPlaces(lastOf(typed, ';'))).map(place => suggestionOf(place, placeName(place)));
  suggest(field, search, name => {
    const before = field.value.slice(0, field.value.lastIndexOf(';') + 1);
    field.value = `${before}${before === '' ? '' : ' '}${name}; `;
  });
}

/** The last element of a list as it is being typed. */
function lastOf(typed: string, separator: ',' | ';'): string {
  return typed.slice(typed.lastIndexOf(separator) + 1).trim();
}

async function searchZones(typed: string): Promise<Suggestion<string>[]> {
  if (typed === '') return [];
  const [names, places] = await Promise.all([zoneNames(), searchPlaces(typed)]);
  const wanted = typed.toLowerCase().replaceAll(' ', '_');
  const zones = names.filter(name => name.toLowerCase().includes(wanted)).slice(0, MAX_ZONES);
  // A complete name needs no suggestions.
  if (names.includes(typed)) return [];
  return [
    ...zones.map(name => ({ name, note: '', value: name })),
    ...places.map(place => suggestionOf(place, place.timezone)),
  ];
}

const requestZones = once(() => getJson<readonly { readonly name: string }[]>('/v1/timezones'));

/** The names of all zones; empty without access, or after a failure. */
async function zoneNames(): Promise<string[]> {
  const zones = hasAccess() ? await requestZones().catch(() => []) : [];
  return zones.map(({ name }) => name);
}
