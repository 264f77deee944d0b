import { expect, test } from 'bun:test';
import { readHolidayPack } from '../../../data/holidays/embedded.ts';
import { englishPlaceName } from '../../../data/languages/place_names.ts';
import { findSubdivision } from '../../../src/holidays/find_calendar.ts';
import { decodeHolidayPack } from '../../../src/holidays/holiday_pack.ts';

const { countries } = decodeHolidayPack(readHolidayPack());

test('countries and subdivisions have their English names', () => {
  const others: string[] = [];
  for (const { code, name, subdivisions } of countries) {
    expect([code, name]).toEqual([code, englishPlaceName(code)!]);
    for (const part of subdivisions) {
      const english = englishPlaceName(`${code}-${part.code}`);
      if (english === undefined) others.push(`${code}-${part.code} ${part.name}`);
      else expect([code, part.code, part.name]).toEqual([code, part.code, english]);
    }
  }
  // Towns, islands and municipalities, after the name of the subdivision if the source has it.
  expect(others.length).toBeLessThan(90);
  expect(others).toContain('US-CA-LA California, Los Angeles');
  expect(others).toContain('IT-52-FI Tuscany, Florence');
});

test('subdivisions are found by their names, also by those of the sources', () => {
  for (const country of countries) {
    for (const part of country.subdivisions) expect(findSubdivision(country, part.name)).toBe(part);
  }
  const found = (code: string, name: string) =>
    findSubdivision(countries.find(country => country.code === code)!, name)?.code;
  expect(found('DE', 'Hansestadt Bremen')).toBe('HB');
  expect(found('AR', 'Buenos Aires')).toBe('B');
  expect(found('BE', 'Communauté française')).toBe('WAL');
  expect(found('CH', 'Canton of Grisons')).toBe('GR');
});
