import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  DAY_STATUSES,
  decodeHolidayPack,
  encodeHolidayPack,
  type HolidayTable,
  readHolidayPackHeader,
} from '../../src/holidays/holiday_pack.ts';
import { dayList, tableOf } from './table_of.ts';

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

/** A table with its days read, so that it can be compared. */
function read(table: HolidayTable) {
  const { countries, ...header } = table;
  return {
    ...header,
    countries: countries.map(({ readDays, subdivisions, ...country }) => ({
      ...country,
      days: readDays(),
      subdivisions: subdivisions.map(({ readDays: readPart, ...part }) => ({ ...part, days: readPart() })),
    })),
  };
}

test('a packed table reads back as it was, each calendar as often as it is requested', () => {
  fc.assert(
    fc.property(dayLists, dayLists, dayLists, (country, state, other) => {
      const table = tableOf({ DE: country, 'DE-BY': state, 'DE-BY-A': country, SA: other });
      const unpacked = decodeHolidayPack(encodeHolidayPack(table));
      expect(read(unpacked)).toEqual(read(table));
      expect(read(unpacked)).toEqual(read(table));
    }),
  );
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

test('what calendars share is written once', () => {
  const lists = [
    dayList(
      'N',
      Array.from({ length: 5_000 }, (_, day) => day * day),
    ),
  ];
  const one = encodeHolidayPack(tableOf({ DE: lists }));
  const many = encodeHolidayPack(tableOf({ DE: lists, FR: lists, SA: lists, 'SA-X': lists }));
  expect(many.length - one.length).toBeLessThan(200);
});

test('the header reads without the rest', () => {
  const pack = encodeHolidayPack(tableOf({ DE: [] }));
  expect(readHolidayPackHeader(pack)).toEqual({
    library: 'date-holidays 0.0.0',
    corrections: '00',
    weekends: 'CLDR 0',
    firstYear: 1970,
    lastYear: 2100,
  });
});

test('bytes of another kind and a pack that was cut are refused', () => {
  const pack = encodeHolidayPack(tableOf({ DE: [] }));
  expect(() => decodeHolidayPack(new TextEncoder().encode('MZONES1\n and so on'))).toThrow(
    /not a pack of holidays/,
  );
  expect(() => decodeHolidayPack(new Uint8Array())).toThrow(/not a pack of holidays/);
  expect(() => decodeHolidayPack(pack.subarray(0, pack.length - 5))).toThrow();
});

test('a pack that lies within other bytes is read where it lies', () => {
  const pack = encodeHolidayPack(tableOf({ DE: [] }));
  const larger = new Uint8Array(pack.length + 20);
  larger.set(pack, 7);
  expect(decodeHolidayPack(larger.subarray(7, 7 + pack.length)).countries.length).toBe(1);
});

test('the embedded table takes less than 2.5 MB of memory with one calendar, and 10 MB after all were used', () => {
  const { stdout } = Bun.spawnSync([process.execPath, `${import.meta.dir}/pack_memory.ts`], {
    stderr: 'inherit',
  });
  const { ofOne, ofAll } = JSON.parse(stdout.toString());
  expect(ofOne).toBeGreaterThan(100_000); // or else nothing was measured
  expect(ofOne).toBeLessThan(2_500_000);
  expect(ofAll).toBeGreaterThan(ofOne);
  expect(ofAll).toBeLessThan(10_000_000);
});
