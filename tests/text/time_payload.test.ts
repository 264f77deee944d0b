import { describe, expect, test } from 'bun:test';
import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { readZonePack } from '../../data/zones/embedded.ts';
import { encode } from '../../src/common/json.ts';
import { NO_TARGET, offsetTarget, UTC_TARGET, zoneTarget } from '../../src/operations/target.ts';
import {
  TimePayload,
  type TimePayloadTarget,
  timePayloadElements,
  timePayloadJson,
} from '../../src/text/time_payload.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { fc } from '../support/property.ts';

const zones = openZonePack(readZonePack());
const zoneNames = [...zones.names()];

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const two = (number: number) => String(number).padStart(2, '0');

/** The fields of a local time by `Date`, shifted by whole Gregorian cycles so that any local time is in range. */
function wallClock(epochMs: number, offsetSeconds: number) {
  const cycleYears = epochMs > 4e15 ? -4000 : epochMs < -4e15 ? 4000 : 0;
  const date = new Date(epochMs + offsetSeconds * 1000 + (cycleYears / 400) * 146_097 * 86_400_000);
  const year = date.getUTCFullYear() - cycleYears;
  const sign = year < 0 ? '-' : '+';
  const isCommon = year >= 0 && year <= 9999;
  return {
    date,
    year: isCommon ? String(year).padStart(4, '0') : sign + String(Math.abs(year)).padStart(6, '0'),
    time: date.toISOString().slice(-13, -5),
  };
}

function isoText({ date, year, time }: ReturnType<typeof wallClock>): string {
  return `${year}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}T${time}`;
}

function offsetText(offsetSeconds: number): string {
  const magnitude = new Date(Math.abs(offsetSeconds) * 1000).toISOString();
  return (offsetSeconds < 0 ? '-' : '+') + magnitude.slice(11, offsetSeconds % 60 === 0 ? 16 : 19);
}

/** The reference: a payload built with `Date`, independently of the code under test. */
function expectedPayload(epochMs: number, target: TimePayloadTarget): TimePayload {
  const epochSeconds = Math.floor(epochMs / 1000);
  const { offsetSeconds } = target.periodAt(epochSeconds);
  const local = wallClock(epochMs, offsetSeconds);
  const { date, year, time } = local;
  const offset = offsetText(offsetSeconds);
  const weekday = WEEKDAYS[date.getUTCDay()]!;
  const month = MONTHS[date.getUTCMonth()]!;
  const hour = date.getUTCHours();
  const dayAndMonth = `${two(date.getUTCDate())} ${month.slice(0, 3)}`;
  const clock = `${hour % 12 === 0 ? 12 : hour % 12}:${two(date.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`;
  return {
    unix: epochSeconds,
    unix_ms: epochMs,
    utc: `${isoText(wallClock(epochMs, 0))}Z`,
    iso_local: target.hasLocalTime ? isoText(local) + offset : null,
    rfc2822: `${weekday.slice(0, 3)}, ${dayAndMonth} ${year} ${time} ${offset.slice(0, 6).replace(':', '')}`,
    human: `${month} ${date.getUTCDate()}, ${year}, ${clock} ${target.zoneText}`,
    day_number: date.getUTCDay() + 1,
    day_short: weekday.slice(0, 3),
    day_full: weekday,
    timezone: target.timezone,
  };
}

const stringified = (epochMs: number, target: TimePayloadTarget) => encode(expectedPayload(epochMs, target));
const parsed = (epochMs: number, target: TimePayloadTarget): TimePayload =>
  JSON.parse(timePayloadJson(epochMs, target));

/** Expects the text of the reference. */
function expectPayload(epochMs: number, target: TimePayloadTarget): void {
  expect(timePayloadJson(epochMs, target)).toBe(stringified(epochMs, target));
}

const anyTarget: fc.Arbitrary<TimePayloadTarget> = fc.oneof(
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

test('the longest payload is complete', () => {
  // Runs first, before a zone with a long name has increased the writer's capacity.
  const target = { ...offsetTarget(-86_399), zoneText: '', timezone: '' };
  for (let day = 100; day < 200; day++) {
    const epochMs = -8.64e15 + day * 86_400_000 + 39_600_001;
    expectPayload(epochMs, target);
  }
});

test('a payload equals JSON.stringify at any instant in any target', () => {
  fc.assert(fc.property(anyInstant, anyTarget, expectPayload), { numRuns: 5000 });
});

test('the payloads of a list equal JSON.stringify, in any order', () => {
  fc.assert(
    fc.property(fc.array(anyInstant, { maxLength: 100 }), anyTarget, (instants, target) => {
      const expected = instants.map(epochMs => stringified(epochMs, target)).join();
      expect<string>(timePayloadElements(instants, target)).toBe(expected);
      // Payloads of a list and of one instant are not mixed up.
      const [first = 0] = instants;
      expectPayload(first, target);
    }),
    { numRuns: 300 },
  );
  const minutes = Array.from({ length: 1000 }, (_, minute) => 1_774_742_400_000 + minute * 60_000);
  const target = { ...offsetTarget(3600), zoneText: 'Zürich' };
  expect(`[${timePayloadElements(minutes, target)}]`).toBe(
    `[${minutes.map(epochMs => stringified(epochMs, target))}]`,
  );
});

test('a payload equals JSON.stringify on both sides of the four-digit years', () => {
  const turns = [-62_167_219_200_000, 0, 253_402_300_800_000];
  for (const target of [NO_TARGET, UTC_TARGET, ...[50_400, -43_200, -1].map(offsetTarget)]) {
    for (const epochMs of turns.flatMap(turn => [turn - 1, turn, turn + 1])) {
      for (const shiftMs of [0, 1000, -1000, 43_200_000, -43_200_000, 50_400_000, -50_400_000])
        expectPayload(epochMs + shiftMs, target);
    }
  }
});

test('a payload equals JSON.stringify in every hour of a day and on every day of a leap year', () => {
  const target = zoneTarget(zones.find('Europe/Paris')!);
  for (let hour = 0; hour < 366 * 24; hour++) {
    const epochMs = Date.UTC(2028, 0, 1) + hour * 3_600_000 + hour;
    expectPayload(epochMs, target);
  }
});

test.each([
  ['a quotation mark', 'X/"Quoted"'],
  ['a letter outside ASCII', 'X/Zürich'],
  ['a letter beyond UTF-16', 'X/\u{1f552}'],
  ['a lone surrogate', 'X/\ud800'],
  ['a control character', 'X/\u0001'],
  ['a great length', `X/${'y'.repeat(1000)}`],
])('a payload equals JSON.stringify for a zone whose name has %s', (_, name) => {
  const target = { ...offsetTarget(3600), timezone: name, zoneText: name };
  expectPayload(1_776_274_247_123, target);
});

test('text cached for one target or offset does not appear in another', () => {
  const [paris, tokyo] = ['Europe/Paris', 'Asia/Tokyo'].map(name => zoneTarget(zones.find(name)!));
  const summer = 1_776_274_247_123;
  const winter = 1_767_225_600_000;
  for (const target of [paris!, tokyo!, paris!, NO_TARGET, paris!]) {
    for (const epochMs of [summer, winter, 5, summer, -1]) expectPayload(epochMs, target);
  }
});

test('instants within a second differ only in milliseconds, even before 1970', () => {
  const target = zoneTarget(zones.find('Europe/Paris')!);
  for (const second of [1_776_274_247, 0, -1, -1_000_000, 999_999, 253_402_290_000]) {
    for (const ms of [123, 124, 124, 0, 999, 7]) {
      const epochMs = second * 1000 + ms;
      expectPayload(epochMs, target);
    }
  }
});

test('the limits of the range are written at any offset', () => {
  for (const epochMs of [-8.64e15, -8.64e15 + 1, 8.64e15 - 1, 8.64e15]) {
    for (const target of [NO_TARGET, ...[-86_399, -43_200, -1, 0, 1, 50_400, 86_399].map(offsetTarget)])
      expectPayload(epochMs, target);
  }
  expect(parsed(8.64e15, offsetTarget(50_400)).rfc2822).toBe('Sat, 13 Sep +275760 14:00:00 +1400');
  expect(parsed(-8.64e15, offsetTarget(-43_200)).rfc2822).toBe('Mon, 19 Apr -271821 12:00:00 -1200');
  expect(parsed(-8.64e15, UTC_TARGET).human).toBe('April 20, -271821, 12:00 AM UTC');
});

test('the targets of a bulk request at one instant do not affect each other', () => {
  const targets = [...zoneNames.map(name => zoneTarget(zones.find(name)!)), NO_TARGET, offsetTarget(-2670)];
  for (const epochMs of [1_776_274_247_123, 1_776_274_247_124, -1, -8.64e15, 1_776_274_247_123]) {
    for (const target of targets) expectPayload(epochMs, target);
  }
});

test('a payload has exactly the members of its schema', () => {
  // Elysia registers it when a server is imported.
  FormatRegistry.Set('date-time', text => !Number.isNaN(Date.parse(text)));
  const strict = { ...TimePayload, additionalProperties: false };
  for (const target of [NO_TARGET, UTC_TARGET, zoneTarget(zones.find('Asia/Tokyo')!), offsetTarget(3600)]) {
    expect([...Value.Errors(strict, parsed(1_776_274_247_123, target))]).toEqual([]);
  }
});

describe('rfc2822', () => {
  test('has the numeric offset of the target', () => {
    const texts = [-14_400, 20_700].map(seconds => parsed(1_776_274_247_000, offsetTarget(seconds)).rfc2822);
    expect(texts).toEqual(['Wed, 15 Apr 2026 13:30:47 -0400', 'Wed, 15 Apr 2026 23:15:47 +0545']);
  });

  test('at offset 0 equals ECMAScript, except for GMT', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), epochMs => {
        const expected = new Date(epochMs).toUTCString().replace('GMT', '+0000');
        expect(parsed(epochMs, UTC_TARGET).rfc2822).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('with a whole-minute offset is parsed by ECMAScript', () => {
    const range = { min: -30_000_000_000, max: 253_000_000_000 };
    fc.assert(
      fc.property(fc.integer(range), fc.integer({ min: -1439, max: 1439 }), (epochSeconds, minutes) => {
        const { rfc2822 } = parsed(epochSeconds * 1000, offsetTarget(minutes * 60));
        expect(new Date(rfc2822).getTime()).toBe(epochSeconds * 1000);
      }),
      { numRuns: 1000 },
    );
  });

  test("omits an offset's seconds, which RFC 2822 does not support", () => {
    const { rfc2822 } = parsed(-315_619_200_000, offsetTarget(-2670));
    expect(rfc2822).toBe('Thu, 31 Dec 1959 23:15:30 -0044');
  });
});

describe('human', () => {
  test('ends with the zone', () => {
    const target = zoneTarget(zones.find('America/New_York')!);
    expect(parsed(1_776_274_247_000, target).human).toBe('April 15, 2026, 1:30 PM America/New_York');
  });

  test.each([
    [0, '12:05 AM'],
    [1, '1:05 AM'],
    [11, '11:05 AM'],
    [12, '12:05 PM'],
    [13, '1:05 PM'],
    [23, '11:05 PM'],
  ])('hour %d is %s', (hour, clock) => {
    const { human } = parsed(Date.UTC(2026, 0, 1, hour, 5), UTC_TARGET);
    expect(human).toBe(`January 1, 2026, ${clock} UTC`);
  });

  test('equals ICU in English', () => {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: 'UTC',
      dateStyle: 'long',
      timeStyle: 'short',
    });
    fc.assert(
      fc.property(fc.integer({ min: -12_212_553_600, max: 253_402_300_799 }), epochSeconds => {
        const expected = formatter
          .format(epochSeconds * 1000)
          .replace(' at ', ', ')
          .replaceAll('\u202f', ' ');
        expect(parsed(epochSeconds * 1000, UTC_TARGET).human).toBe(`${expected} UTC`);
      }),
      { numRuns: 500 },
    );
  });
});
