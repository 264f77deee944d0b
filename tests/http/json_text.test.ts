import { expect, test } from 'bun:test';
import { readZonePack } from '../../data/zones/embedded.ts';
import { NO_TARGET, offsetTarget, type Target, UTC_TARGET, zoneTarget } from '../../src/operations/target.ts';
import { momentAt, timePayload } from '../../src/operations/time_payload.ts';
import { timeJson } from '../../src/text/json_text.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { fc } from '../property.ts';

const zones = openZonePack(readZonePack());
const zoneNames = [...zones.names()];
const stringified = (epochMs: number, target: Target) =>
  JSON.stringify(timePayload(momentAt(epochMs, target), target));

const anyTarget = fc.oneof(
  fc.constantFrom(...zoneNames).map(name => zoneTarget(zones.find(name)!)),
  fc.integer({ min: -86_399, max: 86_399 }).map(offsetTarget),
  fc.constantFrom(NO_TARGET, UTC_TARGET, offsetTarget(0)),
);
const anyInstant = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: -6.3e13, max: 2.54e14 }),
  fc.integer({ min: -2e12, max: 4e12 }),
  fc.integer({ min: -2000, max: 2000 }),
);

test('a time is written as JSON.stringify writes its payload, at any instant and place', () => {
  fc.assert(
    fc.property(anyInstant, anyTarget, (epochMs, target) => {
      expect(timeJson(epochMs, target, null)).toBe(stringified(epochMs, target));
    }),
    { numRuns: 5000 },
  );
});

test('so it is on both sides of the years that are written with four digits', () => {
  const turns = [-62_167_219_200_000, 253_402_300_800_000];
  for (const target of [
    NO_TARGET,
    UTC_TARGET,
    offsetTarget(50_400),
    offsetTarget(-43_200),
    offsetTarget(-1),
  ]) {
    for (const epochMs of turns.flatMap(turn => [turn - 1, turn, turn + 1])) {
      for (const shiftMs of [0, 1000, -1000, 43_200_000, -43_200_000, 50_400_000, -50_400_000]) {
        expect(timeJson(epochMs + shiftMs, target, null)).toBe(stringified(epochMs + shiftMs, target));
      }
    }
  }
});

test('so it is in every hour of a day and on every day of a leap year', () => {
  const target = zoneTarget(zones.find('Europe/Paris')!);
  for (let hour = 0; hour < 366 * 24; hour++) {
    const epochMs = Date.UTC(2028, 0, 1) + hour * 3_600_000 + hour;
    expect(timeJson(epochMs, target, null)).toBe(stringified(epochMs, target));
  }
});

test.each([
  ['a quotation mark', 'X/"Quoted"'],
  ['a letter outside ASCII', 'X/Zürich'],
  ['a letter too many for a form', 'Z'.repeat(65)],
  ['a great length', `X/${'y'.repeat(100)}`],
])('a zone whose name has %s is written so too', (_, name) => {
  const target: Target = { ...offsetTarget(3600), timezone: name, zoneText: name };
  expect(timeJson(1_776_274_247_123, target, null)).toBe(stringified(1_776_274_247_123, target));
});

test('the longest of all times fits on its form', () => {
  const name = 'Z'.repeat(64);
  const target: Target = { ...offsetTarget(-86_399), timezone: name, zoneText: name };
  const epochMs = Date.UTC(9998, 9, 1, 22, 10, 10, 123);
  const { human, day_full } = timePayload(momentAt(epochMs, target), target);
  expect([human, day_full]).toEqual([`September 30, 9998, 10:10 PM ${name}`, 'Wednesday']);
  expect(timeJson(epochMs, target, null)).toBe(stringified(epochMs, target));
});

test('what is written for one target, or at one offset, does not show in another', () => {
  const [paris, tokyo] = ['Europe/Paris', 'Asia/Tokyo'].map(name => zoneTarget(zones.find(name)!));
  const summer = 1_776_274_247_123;
  const winter = 1_767_225_600_000;
  for (const target of [paris!, tokyo!, paris!, NO_TARGET, paris!]) {
    for (const epochMs of [summer, winter, 5, summer, -1]) {
      expect(timeJson(epochMs, target, null)).toBe(stringified(epochMs, target));
    }
  }
});

test('members follow the payload, and the formatted time stands between', () => {
  const plain = stringified(0, UTC_TARGET).slice(0, -1);
  expect(timeJson(0, UTC_TARGET, null, { a: 'ü', b: 1 })).toBe(`${plain},"a":"ü","b":1}`);
  expect(timeJson(0, UTC_TARGET, null, {})).toBe(`${plain}}`);
});

test('instants of one second differ in their milliseconds alone, before 1970 too', () => {
  const target = zoneTarget(zones.find('Europe/Paris')!);
  for (const second of [1_776_274_247, 0, -1, -1_000_000, 999_999, 253_402_290_000]) {
    for (const ms of [123, 124, 124, 0, 999, 7]) {
      const epochMs = second * 1000 + ms;
      expect(timeJson(epochMs, target, null)).toBe(stringified(epochMs, target));
    }
  }
});
