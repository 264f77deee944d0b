import type { CountryEntry, HolidayTable, TableEntry } from './holiday_pack.ts';

/** The country of an ISO 3166-1 alpha-2 code in any letter case. */
export function findCountry(table: HolidayTable, code: string): CountryEntry | undefined {
  const wanted = code.toUpperCase();
  return table.countries.find(country => country.code === wanted);
}

/**
 * The part of a country that a code stands for in any letter case: a subdivision (`BY`), a region of one (`BY-A`, and
 * `BY.A` as date-holidays writes it too), or either with the country before it as in ISO 3166-2 (`DE-BY`).
 */
export function findSubdivision(country: CountryEntry, code: string): TableEntry | undefined {
  const wanted = code.toUpperCase().replaceAll('.', '-');
  const withoutCountry = wanted.startsWith(`${country.code}-`)
    ? wanted.slice(country.code.length + 1)
    : wanted;
  const byCode = (known: string) => country.subdivisions.find(part => part.code.toUpperCase() === known);
  return byCode(wanted) ?? byCode(withoutCountry);
}
