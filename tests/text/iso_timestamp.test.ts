import { describe, expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { localText, utcText } from '../../src/common/iso_text.ts';
import { Moment } from '../../src/common/moment.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../src/text/iso_timestamp.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { fc } from '../support/property.ts';
import { expectEach } from '../support/responses.ts';
import { rowsIn } from '../support/rows.ts';

/** The parts of the runtime's `Temporal` used as a reference timestamp parser; TypeScript 5.9 has no types for it. */
interface Temporal {
  readonly Instant: { from(text: string): { readonly epochMilliseconds: number } };
  readonly PlainDateTime: {
    from(text: string): { toZonedDateTime(zone: string): { readonly epochMilliseconds: number } };
  };
}

const { Temporal } = globalThis as unknown as { Temporal: Temporal };

/** A result of `Temporal`; null if it rejects the text. */
function accepted(read: () => number): number | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Milliseconds since the epoch of a timestamp with an offset, floored. */
const temporalInstant = (text: string) => accepted(() => Temporal.Instant.from(text).epochMilliseconds);

/** The local time of a timestamp as if it were UTC, in milliseconds, floored. */
const temporalLocal = (text: string) =>
  accepted(() => Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').epochMilliseconds);

const parse = (text: string) => parseIsoTimestamp(text, 'iso');

/** The local time in a text, formatted by `utcText`. */
const wallClock = (text: string) => utcText(parse(text).localMs);

function messageOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_PARAMETER') return error.message;
    throw error;
  }
  throw new Error(`'${text}' was read`);
}

describe('accepted timestamps', () => {
  test.each(rowsIn(new URL('accepted_timestamps.txt', import.meta.url)))(
    '%s is the local time %s',
    (text, expected) => {
      expect(wallClock(text)).toBe(expected);
    },
  );

  test.each([
    ['Z', { kind: 'utc' }],
    ['z', { kind: 'utc' }],
    ['-00:00', { kind: 'utc' }],
    ['+00:00', { kind: 'fixed', offsetSeconds: 0, precision: 'minutes' }],
    ['+05', { kind: 'fixed', offsetSeconds: 18_000, precision: 'minutes' }],
    ['-0530', { kind: 'fixed', offsetSeconds: -19_800, precision: 'minutes' }],
    ['+05:30', { kind: 'fixed', offsetSeconds: 19_800, precision: 'minutes' }],
    ['-00:45:00', { kind: 'fixed', offsetSeconds: -2700, precision: 'seconds' }],
    ['-00:44:30', { kind: 'fixed', offsetSeconds: -2670, precision: 'seconds' }],
    ['-004430', { kind: 'fixed', offsetSeconds: -2670, precision: 'seconds' }],
    ['+23:59:59', { kind: 'fixed', offsetSeconds: 86_399, precision: 'seconds' }],
    ['', null],
  ])("the offset '%s' is parsed after any form", (offset, expected) => {
    for (const before of ['2026-04-16T09:00:00', '20260416T0900', '2026-105 09', '2026-W16-3T09:00:00.5']) {
      expect(parse(before + offset).offset).toEqual(expected as IsoTimestamp['offset']);
    }
  });

  test('a space in place of a sign is a plus, since an unescaped one arrives as a space', () => {
    expect(parse('2026-04-16T09:00:00 05:30')).toEqual(parse('2026-04-16T09:00:00+05:30'));
    expect(parse('2026-04-16 09:00 05:30')).toEqual(parse('2026-04-16 09:00+05:30'));
    expect(parse('2026-04-16T09:00[ 05:30]')).toEqual(parse('2026-04-16T09:00[+05:30]'));
    expect(parse(' 002026-04-16')).toEqual(parse('+002026-04-16'));
    expect(parse('2026-04-16T09:00[Etc/GMT 5]').zone).toEqual({ name: 'Etc/GMT+5' });
  });

  test.each([
    ['1970-01-01T00:00:00.0019', 1],
    ['1970-01-01T00:00:00,0019', 1],
    ['1970-01-01T00:00:00.9', 900],
    ['1970-01-01T00:00:00.99', 990],
    ['1969-12-31T23:59:59.9999', -1],
    ['1969-12-31T23:59:59.99999999999999999999', -1],
    ['1969-12-31T23:59:59.0001', -1000],
    ['-000001-12-31T23:59:59.0001Z', -62_167_219_201_000],
  ])('%s is truncated toward the past', (text, localMs) => {
    expect(parse(text).localMs).toBe(localMs);
  });

  test.each([
    ['[America/New_York]', { name: 'America/New_York' }],
    ['[!america/argentina/buenos_aires]', { name: 'america/argentina/buenos_aires' }],
    ['[Etc/GMT+5][u-ca=hebrew]', { name: 'Etc/GMT+5' }],
    ['[+05:30]', { offsetSeconds: 19_800 }],
    ['[-0330]', { offsetSeconds: -12_600 }],
    ['[-00]', { offsetSeconds: 0 }],
    ['[u-ca=gregory][x-y=1-2]', null],
    ['[!u-ca=gregory]', null],
  ])('the brackets %s are parsed', (brackets, zone) => {
    expect(parse(`2026-04-16T09:00${brackets}`).zone).toEqual(zone as IsoTimestamp['zone']);
    expect(parse(`2026-04-16${brackets}`).zone).toEqual(zone as IsoTimestamp['zone']);
  });
});

describe('rejected timestamps', () => {
  test.each([
    ['2026-04-16 09:00:00 +05:30', 20],
    ['2026-04-16T09:00 -04:00', 17],
    ['2026-04-16T09:00:00  05:30', 20],
    ['2026-04-16T09:00:00 Z', 20],
    ['2026-04-16T09:00:00.5 z', 22],
    ['2026-04-16T09 [Europe/Paris]', 14],
  ])("'%s' has an extra space at character %d", (text, character) => {
    expect(messageOf(text)).toBe(
      `Cannot read 'iso': '${text}' has a space at character ${character}: an offset directly follows the time, as in 09:30:00+05:30`,
    );
  });

  test.each(rowsIn(new URL('rejected_timestamps.txt', import.meta.url)))('%s %s', (text, reason) => {
    expect(messageOf(text)).toBe(`Cannot read 'iso': '${text}' ${reason}`);
  });

  test.each([
    [' 275760-09-13T00:00:00.001Z', '+275760-09-13T00:00:00.001Z', 'lies outside'],
    [' 2026-04-16', '+2026-04-16', "has '2026-04-16' at character 2"],
    ['2026-04-16T09:00:00 99:00', '2026-04-16T09:00:00+99:00', 'has an offset of 99 hours'],
    ['2026-04-16 09:00:00.5 0530x', '2026-04-16 09:00:00.5+0530x', "has 'x' at character 27"],
    ['2026-04-16 09:60', '2026-04-16 09:60', 'has'],
    ['2026-04-16T09:00  05:30', '2026-04-16T09:00  05:30', 'has a space at character 17'],
  ])("'%s' is shown as %s", (text, shown, reason) => {
    expect(messageOf(text)).toStartWith(`Cannot read 'iso': '${shown}' ${reason}`);
  });

  test('an empty text is reported as empty', () => {
    expect(messageOf('')).toBe("Cannot read 'iso': '' is empty: expected a date like 2026-04-16 or 20260416");
  });

  test.each(
    Object.entries({
      'white space': [
        ...['  2026-04-16', '2026-04-16T09:00Z ', '2026-04-16T09:00 ', '2026-04-16T 09:00', '\t2026-04-16'],
        '2026-04-16T09:00Z\n',
      ],
      'what is not ASCII': ['2026-04-16T09:00−02:00', '２０２６-04-16', '2026‐04‐16', '2026-04-16T0৪:00'],
      'the week, month or year without a day': '2026-W16 2026W16 2026-04 2026 202604 +002026'.split(' '),
      'basic and extended form mixed inside a date, time or offset': [
        ...['2026-0416', '202604-16', '2026-W163', '2026W16-3', '2026-04-16T0907:05', '2026-04-16T09:0705'],
        ...['2026-04-16T09+0530:00', '2026-04-16T09+05:3000'],
      ],
      'two zones, or one behind a tag': ['2026-04-16T09[UTC][UTC]', '2026-04-16T09[u-ca=iso8601][UTC]'],
      'brackets that are none': [
        ...['[]', '[!]', '[U-CA=iso8601]', '[x=]', '[=x]', '[x=y=z]', '[+5]', '[+05:30:00]', '[+053000]'],
        ...['[+05:30x]', '[../etc]', '[/UTC]', '[Asia//Tokyo]', '[5]', '[UTC]]'],
      ].map(brackets => `2026-04-16${brackets}`),
      'a critical calendar beside another': [
        ...['2026-04-16[!u-ca=iso8601][u-ca=iso8601]', '2026-04-16[u-ca=iso8601][!u-ca=iso8601]'],
      ],
      'other notations': [
        ...['16.04.2026', '04/16/2026', 'Thu, 16 Apr 2026 09:00:00 GMT', '1776330000', 'now'],
        ...['2026-04-16T09:00:00 UTC', '2026-04-16T9am', 'P1D'],
      ],
    }),
  )('%s is rejected', (_, texts) => {
    for (const text of texts) expect(messageOf(text)).toStartWith(`Cannot read 'iso': '${text}' `);
  });
});

describe('the limits of the range', () => {
  test('the first and the last instant are accepted with any offset', () =>
    expectEach(text => parse(text).localMs, {
      '+275760-09-13T00:00:00Z': 8.64e15,
      '+275760-09-13T23:59:59+23:59:59': 8.64e15 + 86_399_000,
      '-271821-04-20T00:00:00Z': -8.64e15,
      '-271821-04-19T00:00:01-23:59:59': -8.64e15 - 86_399_000,
      // A local time may be less than a day outside, since its zone is unknown.
      '+275760-09-13T23:59:59.999': 8.64e15 + 86_399_999,
      '-271821-04-19T00:00:00.001': -8.64e15 - 86_399_999,
    }));

  test.each([
    ...['+275760-09-13T00:00:00.001Z', '-271821-04-19T23:59:59.999999999Z', '+275760-09-13T00:00-00:01'],
    ...['-271821-04-20T00:00+00:01', '+275760-09-13[-01]', '-271821-04-20[+01]', '+275760-09-14'],
    ...['-271821-04-19', '+999999-12-31T23:59:60Z', '-999999-01-01'],
  ])('%s is outside', text => {
    expect(messageOf(text)).toContain('lies outside the range');
  });
});

const epochMs = fc.integer({ min: -8.64e15, max: 8.64e15 });
const offsetSeconds = fc.integer({ min: -86_399, max: 86_399 });

test('formatted timestamps parse back to the second', () => {
  fc.assert(
    fc.property(epochMs, offsetSeconds, (ms, seconds) => {
      const floored = Math.max(Math.floor(ms / 1000) * 1000, -8.64e15);
      const local = parse(localText(new Moment(ms, seconds, 'x')));
      expect(local).toEqual({
        localMs: floored + seconds * 1000,
        offset: {
          kind: 'fixed',
          offsetSeconds: seconds,
          precision: seconds % 60 === 0 ? 'minutes' : 'seconds',
        },
        zone: null,
      });
      expect(parse(utcText(ms))).toEqual({ localMs: floored, offset: { kind: 'utc' }, zone: null });
    }),
  );
});

const two = (max: number) => fc.integer({ min: 0, max }).map(number => String(number).padStart(2, '0'));
const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const year = fc.oneof(
  fc.integer({ min: 0, max: 9999 }).map(number => String(number).padStart(4, '0')),
  fc
    .tuple(oneOf('+', '-'), fc.integer({ min: 0, max: 280_000 }))
    .map(([sign, number]) => sign + String(number).padStart(6, '0')),
);
const date = fc
  .tuple(year, two(13), oneOf('-', ''), two(32))
  .map(([y, m, separator, d]) => y + separator + m + separator + d);
const clock = fc
  .tuple(
    oneOf('T', 't', ' '),
    oneOf(':', ''),
    two(24).filter(hour => hour !== '24'),
    two(60),
    two(61),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([designator, separator, h, m, s, count]) => designator + [h, m, s].slice(0, count).join(separator));
const fraction = fc.oneof(
  fc.constant(''),
  fc.tuple(oneOf('.', ','), fc.stringMatching(/^[0-9]{1,9}$/)).map(parts => parts.join('')),
);
const offset = fc.oneof(
  oneOf('', 'Z', 'z'),
  fc
    .tuple(oneOf('+', '-'), oneOf(':', ''), two(24), two(60), two(60), fc.integer({ min: 1, max: 3 }))
    .map(([sign, separator, h, m, s, count]) => sign + [h, m, s].slice(0, count).join(separator)),
);
const calendar = ['[u-ca=iso8601]', '[UTC][u-ca=iso8601]'];
const brackets = oneOf('', '', '', '[UTC]', ...calendar, '[foo=bar]', '[!foo=bar]', '[UTC][UTC]');
const timestamp = fc
  .tuple(
    date,
    fc.oneof(
      fc.constant(''),
      fc.tuple(clock, fraction, offset).map(parts => parts.join('')),
    ),
    brackets,
  )
  .map(parts => parts.join(''));

/** Our result in Temporal's terms: an instant if the text has an offset, else a local time. */
function ourReading(text: string): { instant: number | null; local: number | null } {
  try {
    const { localMs, offset } = parse(text);
    if (offset === null) return { instant: null, local: localMs };
    if (offset.kind === 'utc') return { instant: localMs, local: /^[^[]*z/i.test(text) ? null : localMs };
    return { instant: localMs - offset.offsetSeconds * 1000, local: localMs };
  } catch (error) {
    if (error instanceof ServiceError) return { instant: null, local: null };
    throw error;
  }
}

function expectAsTemporal(text: string): void {
  const ours = ourReading(text);
  expect([text, ours.instant]).toEqual([text, temporalInstant(text)]);
  // Both accept a local time outside the range of instants, but Temporal cannot return its milliseconds.
  if (ours.local === null || Math.abs(ours.local) <= 8.64e15)
    expect([text, ours.local]).toEqual([text, temporalLocal(text)]);
}

test('Temporal accepts and rejects the same dates, times and offsets, with the same milliseconds', () => {
  fc.assert(fc.property(timestamp, expectAsTemporal), { numRuns: 10_000 });
});

/** Intended differences from Temporal in either direction; see `iso_timestamp_differences.ts`. */
const DIFFERS = [
  /W/, // week dates
  /^[+-]?\d{4,6}-?\d{3}(?!\d)/, // ordinal dates
  /^ /, // a space for the plus of an expanded year
  /\d +\d/, // a space for the plus of an offset or zone
  /[Tt ]24/, // the end of a day
  /[.,]\d{10}/, // more than nine digits
  /=-|--|-\]/, // tag values with an extra hyphen, which RFC 9557 does not allow and JavaScriptCore accepts
  /u-ca=(?!iso8601\])/, // calendars
  /[+-]\d\d:?\d\d:?\d\d[.,]\d/, // offsets with a fraction
];
const change = fc.tuple(fc.nat(), fc.nat({ max: 1 }), oneOf(...'0123456789-+:.,TZtzW []', ''));

test('Temporal accepts and rejects the same after a one-character change, except for intended differences', () => {
  let compared = 0;
  fc.assert(
    fc.property(timestamp, change, (text, [position, removed, added]) => {
      const at = position % (text.length + 1);
      const changed = text.slice(0, at) + added + text.slice(at + removed);
      if (DIFFERS.some(pattern => pattern.test(changed))) return;
      compared++;
      expectAsTemporal(changed);
    }),
    { numRuns: 10_000 },
  );
  expect(compared).toBeGreaterThan(5000);
});

test('the fast path for the usual form equals the general parser', () => {
  fc.assert(
    fc.property(
      epochMs,
      fc.integer({ min: -1439, max: 1439 }),
      oneOf('local', 'Z', 'offset'),
      (ms, minutes, end) => {
        const written = localText(new Moment(ms % 2.5e14, minutes * 60, 'x'));
        const text = end === 'offset' ? written : written.slice(0, -6) + (end === 'Z' ? 'Z' : '');
        expect(parse(text)).toEqual(parse(text.replace('T', 't')));
      },
    ),
  );
});

test('week dates and ordinal dates are the days so named by strftime', () => {
  const forms = ['%G-W%V-%u', '%GW%V%u', '%Y-%j', '%Y%j'].map(form => compileStrftime(form, 'format'));
  fc.assert(
    fc.property(fc.integer({ min: -719_000, max: 2_932_000 }), dayNumber => {
      const moment = new Moment(dayNumber * 86_400_000, 0, 'UTC');
      for (const form of forms) expect(parse(form.format(moment)).localMs).toBe(moment.epochMs);
    }),
  );
});

test('any text is parsed or rejected with a message', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: oneOf(...'0123456789-+:.,TZW []!=/ua') }),
  );
  const begun = fc.tuple(timestamp, anything).map(parts => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(anything, begun), text => {
      const reading = ourReading(text);
      expect(Math.abs(reading.instant ?? 0)).toBeLessThanOrEqual(8.64e15);
    }),
    { numRuns: 5000 },
  );
});

/** A text that counts character accesses. */
function counted(text: string): { text: string; accesses: () => number } {
  let accesses = 0;
  const proxy = new Proxy(new String(text), {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') {
        accesses += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
        return value;
      }
      return (...given: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, given);
        if (key === 'indexOf') accesses += (result === -1 ? text.length : Number(result)) - Number(given[1]);
        else accesses += typeof result === 'string' ? result.length : 1;
        return result;
      };
    },
  });
  return { text: proxy as unknown as string, accesses: () => accesses };
}

test('a text of any length is scanned a fixed number of times', () => {
  const families: ((size: number) => string)[] = [
    size => '1'.repeat(size),
    size => `2026-04-16T09:00:00.${'9'.repeat(size)}`,
    size => `2026-04-16T09:00:00.${'9'.repeat(size)}x`,
    size => `2026-04-16T09:00:00+${'0'.repeat(size)}`,
    size => `2026-04-16${'[a=b]'.repeat(size / 5)}`,
    size => `2026-04-16${'[u-ca=iso8601]'.repeat(size / 14)}x`,
    size => `2026-04-16${'['.repeat(size)}`,
    size => `2026-04-16${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
    size => `2026-04-16[${'a'.repeat(size)}`,
    size => `2026-04-16[${'a/'.repeat(size / 2)}]`,
    size => `2026-04-16[${'a-'.repeat(size / 2)}]`,
    size => `2026-04-16[a=${'a-'.repeat(size / 2)}]`,
    size => `2026-04-16[${' '.repeat(size)}]`,
    size => ' '.repeat(size),
  ];
  for (const family of families) {
    const { text, accesses } = counted(family(8192));
    ourReading(text);
    expect(accesses()).toBeLessThan(4 * 8192 + 1000);
  }
});
