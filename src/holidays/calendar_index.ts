import type { CountryEntry, TableEntry } from './holiday_pack.ts';

/** Finds countries by code, and their subdivisions by code, name or alias; case-insensitive. */
export class CalendarIndex {
  readonly #countries: ReadonlyMap<string, CountryEntry>;
  readonly #parts = new Map<CountryEntry, ReadonlyMap<string, TableEntry>>();

  constructor(countries: readonly CountryEntry[]) {
    this.#countries = new Map(countries.map(country => [keyOf(country.code), country]));
  }

  /** The country of an ISO 3166-1 alpha-2 code. */
  country(code: string): CountryEntry | undefined {
    return this.#countries.get(keyOf(code));
  }

  /**
   * The part of a country that a code stands for: a subdivision (`BY`), a region of one (`BY-A`, and `BY.A` as
   * date-holidays writes it too), or either with the country before it as in ISO 3166-2 (`DE-BY`); or an alias of one (`Bayern`).
   */
  subdivision(country: CountryEntry, code: string): TableEntry | undefined {
    const wanted = keyOf(code);
    const parts = this.#partsOf(country);
    const prefix = `${country.code}-`;
    return (
      parts.get(wanted) ?? (wanted.startsWith(prefix) ? parts.get(wanted.slice(prefix.length)) : undefined)
    );
  }

  #partsOf(country: CountryEntry): ReadonlyMap<string, TableEntry> {
    const known = this.#parts.get(country);
    if (known !== undefined) return known;
    const parts = byAlias(country.subdivisions);
    this.#parts.set(country, parts);
    return parts;
  }
}

/** Codes take precedence over aliases of other entries. */
function byAlias(entries: readonly TableEntry[]): ReadonlyMap<string, TableEntry> {
  const keys = (entry: TableEntry) =>
    [entry.name, ...entry.aliases].map(alias => [keyOf(alias), entry] as const);
  return new Map([...entries.flatMap(keys), ...entries.map(entry => [keyOf(entry.code), entry] as const)]);
}

function keyOf(code: string): string {
  return code.toUpperCase().replaceAll('.', '-');
}
