import type { CountryEntry } from '../../holidays/holiday_pack.ts';

/** Countries and territories without subdivisions in ISO 3166-2. */
const WITHOUT_COUNTIES: ReadonlySet<string> = new Set(['CK', 'IC', 'MO']);

/**
 * Codes of our calendars that are not in ISO 3166-2, by country, with their ISO 3166-2 code; null if there is none, as for the
 * German-speaking community of Belgium, Alderney, and Sevastopol in Russia.
 */
const OTHER_CODES: ReadonlyMap<string, Readonly<Record<string, string | null>>> = new Map([
  ['BE', { DE: null }],
  ['BQ', { BON: 'BO', SAB: 'SA', STA: 'SE' }],
  ['GB', { ALD: null }],
  ['GT', { 1: '01' }],
  ['IN', { DD: null, DN: null }], // one union territory since 2020, DH
  ['IT', { AO: '23' }], // a region without provinces
  ['RU', { CR: null, MR: 'MO', NO: 'SE', SEV: null }],
]);

/** The ISO 3166-2 code of a subdivision: `DE-BY`. Null if it has none, such as a town. */
export function countyOf({ code: country }: CountryEntry, subdivision: string): string | null {
  const isPart = !/^[A-Z0-9]{1,3}$/.test(subdivision);
  if (isPart || WITHOUT_COUNTIES.has(country)) return null;
  const code = OTHER_CODES.get(country)?.[subdivision];
  if (code === null) return null;
  return `${country}-${code ?? subdivision}`;
}

/** The code of our calendar for a county, case-insensitive; unchanged if no calendar has it. */
export function subdivisionOf(country: CountryEntry, county: string): string {
  const wanted = county.toUpperCase();
  return country.subdivisions.find(({ code }) => countyOf(country, code) === wanted)?.code ?? county;
}
