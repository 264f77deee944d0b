import { expect, test } from 'bun:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { encodeHolidayPack } from '../../data/holidays/pack.ts';
import {
  type Coverage,
  DAY_STATUSES,
  decodeHolidayPack,
  type HolidayTable,
  readHolidayPackHeader,
} from '../../src/holidays/holiday_pack.ts';
import { fc } from '../support/property.ts';
import { dayList, REVIEWED, tableOf } from './table_of.ts';

const dayLists = fc.array(
  fc.record({
    name: fc.string({ unit: 'grapheme' }),
    nameEn: fc.option(fc.string()),
    source: fc.string(),
    status: fc.constantFrom(...DAY_STATUSES),
    isSubstitute: fc.boolean(),
    isWorkday: fc.boolean(),
    dayNumbers: fc
      .uniqueArray(fc.nat({ max: 60_000 }), { maxLength: 40 })
      .map(days => days.sort((a, b) => a - b)),
  }),
  { maxLength: 8 },
);

const translations = fc
  .array(fc.tuple(fc.string(), fc.array(fc.tuple(fc.constantFrom('de', 'fr', 'it'), fc.string()))))
  .map(names => new Map(names.map(([name, byLanguage]) => [name, new Map(byLanguage)])));

const substitutes = fc
  .array(fc.tuple(fc.string(), fc.option(fc.record({ name: fc.string(), nameEn: fc.option(fc.string()) }))))
  .map(names => new Map(names));

/** A table with its days read, so that it can be compared. */
function read(table: HolidayTable) {
  const { countries, ...header } = table;
  return {
    ...header,
    countries: countries.map(({ readDays, readTranslations, readSubstitutes, subdivisions, ...country }) => ({
      ...country,
      days: readDays(),
      translations: readTranslations(),
      substitutes: readSubstitutes(),
      subdivisions: subdivisions.map(({ readDays: readPart, ...part }) => ({ ...part, days: readPart() })),
    })),
  };
}

test('a packed table round-trips, however often a calendar is requested', () => {
  fc.assert(
    fc.property(
      fc.tuple(dayLists, dayLists, dayLists),
      translations,
      substitutes,
      ([country, state, other], ...names) => {
        const table = tableOf({ DE: country, 'DE-BY': state, 'DE-BY-A': country, SA: other }, ...names);
        const unpacked = decodeHolidayPack(encodeHolidayPack(table));
        expect(read(unpacked)).toEqual(read(table));
        expect(read(unpacked)).toEqual(read(table));
      },
    ),
  );
});

test('a pack from before there was evidence claims nothing', () => {
  const { basis: _, expected: __, certain: ___, ...older } = REVIEWED;
  const table = tableOf({ DE: [dayList('A', [20_000])] });
  const before = {
    ...table,
    countries: table.countries.map(each => ({ ...each, coverage: older as Coverage })),
  };
  const [country] = decodeHolidayPack(encodeHolidayPack(before)).countries;
  expect(country!.coverage).toEqual({
    ...older,
    basis: null,
    expected: null,
    certain: [],
    announcedThrough: null,
  });
});

test('a pack from before there were translations and substitutes has none', () => {
  const pack =
    'TUhPTElEMwoAAABpeyJsaWJyYXJ5IjoiZGF0ZS1ob2xpZGF5cyAwLjAuMCIsImNvcnJlY3Rpb25zIjoiMDAiLCJ3ZWVrZW5kcyI6IkNMRFIgMCIsImZpcnN0WWVhciI6' +
    'MTk3MCwibGFzdFllYXIiOjIxMDB9HY4xawJBEIVXGztJmSKFTGOzxXkBg9sFtBWLQAjLFuM58VY3uzB363HI/cn8j/yHjMc0j8d73zyl1O8dqpRjy54aMNZa2O5Awy' +
    'FgRYuHtPAePDYP7XQh91o63XImbZ1zGpqUuRq7EPyRkXvJCfNGjOfRv8M3px8wq82m0NAmMOWqEIUxyueKTh81p3yuxS/KtQamm6eOTmBiDmEQWpf4+kl0HRcKznPTbr' +
    'EHI5ROfIoStmv95gbnBjXfU7f4IuSlzMZ+tqd8wZqfJkpN1d908vzyDw==';
  const [country] = decodeHolidayPack(Uint8Array.fromBase64(pack)).countries;
  expect(country!.readDays()).toEqual([dayList('Neujahr', [0, 365], { nameEn: "New Year's Day" })]);
  expect(country!.readTranslations()).toEqual(new Map());
  expect(country!.readSubstitutes()).toEqual(new Map());
});

test('the days of a range are those of all that lie in it', () => {
  fc.assert(
    fc.property(dayLists, fc.nat(50_000), fc.nat(50_000), (lists, one, other) => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      const calendar = decodeHolidayPack(encodeHolidayPack(tableOf({ DE: lists }))).countries[0]!;
      const expected = lists.map(list => ({
        ...list,
        dayNumbers: list.dayNumbers.filter(day => day >= first && day <= last),
      }));
      expect(calendar.readDays(first, last)).toEqual(expected);
    }),
  );
});

test('data shared by calendars is written once', () => {
  const days = Array.from({ length: 5_000 }, (_, day) => day * day);
  const lists = [dayList('N', days)];
  const one = encodeHolidayPack(tableOf({ DE: lists }));
  const many = encodeHolidayPack(tableOf({ DE: lists, FR: lists, SA: lists, 'SA-X': lists }));
  expect(many.length - one.length).toBeLessThan(200);
});

test('the header can be read on its own, with years for which business days can be counted', () => {
  const { countries, ...header } = tableOf({ DE: [] });
  const read = (lastYear: number) =>
    readHolidayPackHeader(encodeHolidayPack({ ...header, lastYear, countries }));
  expect(read(2100)).toEqual(header);
  expect(() => read(2149)).toThrow('cannot be for the years 1970 to 2149');
});

test('other bytes and a truncated pack are rejected', () => {
  const pack = encodeHolidayPack(tableOf({ DE: [] }));
  for (const other of [Buffer.from('MZONES1\n and so on'), new Uint8Array()])
    expect(() => decodeHolidayPack(other)).toThrow(/not a pack of holidays/);
  expect(() => decodeHolidayPack(pack.subarray(0, pack.length - 5))).toThrow();
});

test('a pack with fewer data than its index needs is rejected when they are read', () => {
  const pack = encodeHolidayPack(tableOf({ DE: [dayList('Neujahr', [0, 365, 60_000])] }));
  const bodyAt = 12 + new DataView(pack.buffer).getUint32(8);
  const body = inflateRawSync(pack.subarray(bodyAt));
  for (let missing = 1; missing <= body.length - 4 - body.readUInt32BE(0); missing++) {
    const short = deflateRawSync(body.subarray(0, body.length - missing));
    const [country] = decodeHolidayPack(Buffer.concat([pack.subarray(0, bodyAt), short])).countries;
    const read = () => [country!.readTranslations(), country!.readSubstitutes(), country!.readDays()];
    expect(read).toThrow(/truncated/);
  }
});

test('a pack within a larger buffer is read in place', () => {
  const pack = encodeHolidayPack(tableOf({ DE: [] }));
  const larger = Buffer.concat([new Uint8Array(7), pack, new Uint8Array(13)]);
  expect(decodeHolidayPack(larger.subarray(7, 7 + pack.length)).countries.length).toBe(1);
});

test('the embedded table takes less than 2.5 MB of memory with one calendar, and 10 MB after all have been used', () => {
  const script = `${import.meta.dir}/pack_memory.ts`;
  const { stdout } = Bun.spawnSync([process.execPath, script], { stderr: 'inherit' });
  const { ofOne, ofAll } = JSON.parse(stdout.toString());
  expect(ofOne).toBeGreaterThan(100_000); // otherwise nothing was measured
  expect(ofOne).toBeLessThan(2_500_000);
  expect(ofAll).toBeGreaterThan(ofOne);
  expect(ofAll).toBeLessThan(10_000_000);
});
