import type { CountryEntry, TableEntry } from './holiday_pack.ts';

/** The query parameters that name a calendar, for error messages. */
export interface CalendarParameters {
  readonly country: string;
  readonly subdivision: string;
}

/** Those of all requests that count or exclude days off; only requests for the holidays themselves have others. */
export const HOLIDAY_PARAMETERS: CalendarParameters = {
  country: 'holiday_country',
  subdivision: 'holiday_subdivision',
};

/** The country of a case-insensitive ISO 3166-1 alpha-2 code. */
export function findCountry(countries: readonly CountryEntry[], code: string): CountryEntry | undefined {
  const wanted = code.toUpperCase();
  return countries.find(country => country.code === wanted);
}

/**
 * The part of a country that a case-insensitive code stands for: a subdivision (`BY`), a region of one (`BY-A`, and `BY.A` as
 * date-holidays writes it too), or either with the country before it as in ISO 3166-2 (`DE-BY`); or an alias of one (`Bayern`).
 */
export function findSubdivision(country: CountryEntry, code: string): TableEntry | undefined {
  const parts = partsByAlias.get(country) ?? byAlias(country.subdivisions);
  partsByAlias.set(country, parts);
  const wanted = keyOf(code);
  const prefix = `${country.code}-`;
  return (
    parts.get(wanted) ?? (wanted.startsWith(prefix) ? parts.get(wanted.slice(prefix.length)) : undefined)
  );
}

const partsByAlias = new WeakMap<CountryEntry, ReadonlyMap<string, TableEntry>>();

/** Codes take precedence over aliases of other entries. */
function byAlias(entries: readonly TableEntry[]): ReadonlyMap<string, TableEntry> {
  const keys = (entry: TableEntry) =>
    [entry.name, ...entry.aliases].map(alias => [keyOf(alias), entry] as const);
  return new Map([...entries.flatMap(keys), ...entries.map(entry => [keyOf(entry.code), entry] as const)]);
}

function keyOf(code: string): string {
  return code.toUpperCase().replaceAll('.', '-');
}
