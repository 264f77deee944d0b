/** Conformance: the timestamps of test262's Temporal tests and of the JSON-Schema-Test-Suite. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayNumberOf } from '../../src/common/civil.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../src/text/iso_timestamp.ts';

/**
 * Every string of test262 and the JSON-Schema-Test-Suite that we accept or reject unlike them: Temporal's type or the
 * format in the JSON Schema suite, what we do differently, and the string.
 */
const DIFFERENCES: readonly { readonly reason: string; readonly rows: readonly string[] }[] = [
  {
    reason:
      'What is finer than a millisecond is dropped, however many digits it has; test262 counts nanoseconds and takes nine',
    rows: [
      'Instant reads +275760-09-13T00:00:00.000000001Z',
      'Instant reads 1970-01-01T00:00:00.1234567890Z',
      'Instant reads 1970-01-01T00:00:00.1234567891Z',
      'PlainDate reads 1970-01-01T00:00:00.1234567890',
      'PlainDate reads 1970-01-01T00:00:00.1234567891',
      'PlainDateTime reads 1970-01-01T00:00:00.1234567890',
      'PlainDateTime reads 1970-01-01T00:00:00.1234567891',
      'PlainDateTime reads 1976-11-18T15:23:30.1234567891',
      'ZonedDateTime reads +275760-09-13T00:00:00.000000001Z[UTC]',
      'ZonedDateTime reads 1970-01-01T00:00:00.1234567890Z[UTC]',
      'ZonedDateTime reads 1970-01-01T00:00:00.1234567891Z[UTC]',
    ],
  },
  {
    reason: 'Week dates and ordinal dates are read',
    rows: [
      ...['Instant reads 2020-001T00:00Z', 'Instant reads 2020-W01-1T00:00Z', 'PlainDate reads 2020-001'],
      ...['PlainDate reads 2020-W01-1', 'PlainDateTime reads 2020-001', 'PlainDateTime reads 2020-W01-1'],
      ...['date reads 2013-350', 'date reads 2022W527', 'date reads 2023-W13-2'],
    ],
  },
  { reason: 'The basic form of ISO 8601 is read', rows: ['date reads 20230328'] },
  {
    reason: 'A timestamp may have a time where a date alone would do',
    rows: ['date reads 2020-01-01 00:00:00Z', 'date reads 2020-11-28T23:55:45Z'],
  },
  { reason: 'An offset may be hours alone', rows: ['date-time reads 1985-04-12T23:20:50+01'] },
  {
    reason: '24:00:00 is read as the next midnight',
    rows: ['date-time reads 1990-12-31T24:00:00Z', 'time reads 24:00:00Z'],
  },
  {
    reason: 'A leap second reads as :59 at any time of day, as in test262',
    rows: [
      ...['date-time reads 1998-12-31T22:59:60Z', 'date-time reads 1998-12-31T23:58:60Z'],
      ...['time reads 22:59:60+00:00', 'time reads 22:59:60Z', 'time reads 23:58:60+00:00'],
      ...['time reads 23:58:60Z', 'time reads 23:59:60+00:30', 'time reads 23:59:60+01:00'],
      ...['time reads 23:59:60-00:30', 'time reads 23:59:60-01:00'],
    ],
  },
  {
    reason: 'The calendar of [u-ca=…] is passed over, whatever it is',
    rows: [
      ...['PlainDate reads 1997-12-04[u-ca=1111-11-11]', 'PlainDate reads 1997-12-04[u-ca=11111111]'],
      ...['PlainDate reads 1997-12-04[u-ca=notacal]', 'PlainDate reads 2020-01-01[u-ca=notexist]'],
      ...['PlainDateTime reads 1997-12-04[u-ca=1111-11-11]', 'PlainDateTime reads 1997-12-04[u-ca=11111111]'],
      ...['PlainDateTime reads 1997-12-04[u-ca=notacal]', 'PlainDateTime reads 2020-01-01[u-ca=notexist]'],
    ],
  },
  {
    reason: 'A wall clock a whole day before the first instant is no time in any zone',
    rows: ['PlainDate refuses -271821-04-19', 'PlainDateTime refuses -271821-04-19T00:00:00.000000001'],
  },
  {
    reason: 'The first instant is right in any zone; Temporal asks for a wall clock in range as well',
    rows: [
      'ZonedDateTime reads -271821-04-19T00:01-23:59[-23:59]',
      'ZonedDateTime reads -271821-04-19T23:00-01:00[-01:00]',
    ],
  },
  {
    reason: 'An offset that is not the one in the bracket is refused; Temporal ignores the bracket here',
    rows: [
      'Instant refuses 1970-01-01T00:00+00:00[!+01:00]',
      'Instant refuses 1970-01-01T00:00+00:00[-08:00]',
      'Instant refuses 1970-01-01T00:02:00.000000000+00:02[+01:30]',
      'PlainDate refuses 2000-05-02T15:23+00:00[!-08:00]',
      'PlainDate refuses 2000-05-02T15:23+00:00[+01:00]',
      'PlainDateTime refuses 1976-11-18T15:23+00:00[!-08:00]',
      'PlainDateTime refuses 1976-11-18T15:23+00:00[+01:00]',
    ],
  },
];

/** Offsets go to the second: ±HH, ±HHMM, ±HH:MM, ±HH:MM:SS. Temporal also reads those with a fraction, of which test262 has: */
const OFFSETS_WITH_FRACTION = 62;
const REFUSED_OFFSET = / refuses .*T.*[+-]\d\d:?\d\d:?\d\d[.,]\d/;

function fixture<Content>(name: string): Content {
  return JSON.parse(readFileSync(join(import.meta.dir, '../fixtures/timestamps', name), 'utf8'));
}

function read(text: string): IsoTimestamp | null {
  try {
    return parseIsoTimestamp(text, 'iso');
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_PARAMETER') return null;
    throw error;
  }
}

/** The instant of a timestamp with an offset. */
function instantOf({ localMs, offset }: IsoTimestamp): number | null {
  if (offset === null) return null;
  return offset.kind === 'utc' ? localMs : localMs - offset.offsetSeconds * 1000;
}

/** The offset of the bracketed zones in test262's zoned strings: all are UTC or an offset. */
function bracketSeconds(timestamp: IsoTimestamp): number | null {
  const { zone } = timestamp;
  if (zone === null) return null;
  return 'offsetSeconds' in zone ? zone.offsetSeconds : 0;
}

/** Our result as each of Temporal's types, in milliseconds; null if rejected. */
const READERS: Record<string, (text: string) => number | null> = {
  Instant: text => {
    const timestamp = read(text);
    return timestamp && instantOf(timestamp);
  },
  PlainDateTime: text => {
    const timestamp = read(text);
    return timestamp === null || timestamp.offset?.kind === 'utc' ? null : timestamp.localMs;
  },
  PlainDate: text => {
    const timestamp = read(text);
    if (timestamp === null || timestamp.offset?.kind === 'utc') return null;
    return Math.floor(timestamp.localMs / 86_400_000) * 86_400_000;
  },
  ZonedDateTime: text => {
    const timestamp = read(text);
    const seconds = timestamp && bracketSeconds(timestamp);
    if (timestamp === null || seconds === null) return null;
    if (timestamp.offset?.kind === 'fixed' && timestamp.offset.offsetSeconds !== seconds) return null;
    return instantOf(timestamp) ?? timestamp.localMs - seconds * 1000;
  },
};

const CANONICAL =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(?:([+-])(\d\d):(\d\d)|Z)?(?:\[.*)?$/;

/** The milliseconds of a value in Temporal's canonical form. */
function canonicalMs(canonical: string): number {
  const fields = CANONICAL.exec(canonical);
  if (fields === null) throw new Error(`not canonical: ${canonical}`);
  const number = (index: number) => Number(fields[index] ?? 0);
  const seconds =
    dayNumberOf(number(1), number(2), number(3)) * 86_400 + number(4) * 3600 + number(5) * 60 + number(6);
  const offsetSeconds = (number(9) * 60 + number(10)) * (fields[8] === '-' ? -60 : 60);
  return (seconds - offsetSeconds) * 1000 + Number((fields[7] ?? '').padEnd(3, '0').slice(0, 3));
}

interface TemporalRow {
  /** Temporal's type */
  readonly c: string;
  readonly s: string;
  readonly ok: boolean;
  readonly v: string | null;
}

/** The form of a row in the list of differences. */
function difference(kind: string, text: string, theirs: number | null, ours: number | null): string | null {
  if (theirs === ours) return null;
  return `${kind} ${ours === null ? 'refuses' : theirs === null ? 'reads' : 'reads otherwise'} ${text}`;
}

const listed = DIFFERENCES.flatMap(({ rows }) => rows);

test("test262's timestamps are accepted or rejected as in test262, except for the listed ones", () => {
  const rows = fixture<TemporalRow[]>('temporal-strings.json').filter(row => row.c in READERS);
  expect(rows.length).toBeGreaterThan(900);
  const found = rows.map(row => {
    const theirs = row.v === null ? null : canonicalMs(row.v);
    expect(theirs !== null).toBe(row.ok);
    return difference(row.c, row.s, theirs, READERS[row.c]?.(row.s) ?? null);
  });
  const expected = listed.filter(line => line.split(' ', 1)[0]! in READERS);
  const differing = found.filter(line => line !== null);
  expect(differing.filter(line => !REFUSED_OFFSET.test(line)).sort()).toEqual(expected.sort());
  expect(differing.filter(line => REFUSED_OFFSET.test(line))).toHaveLength(OFFSETS_WITH_FRACTION);
});

interface SchemaSuite {
  readonly tests: { readonly data: unknown; readonly valid: boolean }[];
}

test.each([
  ['date-time', '', true],
  ['date', '', false],
  ['time', '2020-01-01T', true],
])(
  "the JSON Schema suite's %s strings are accepted or rejected as in the suite, except for the listed ones",
  (name, prefix, needsOffset) => {
    const rows = fixture<SchemaSuite[]>(`${name}.json`).flatMap(suite => suite.tests);
    const texts = rows.flatMap(({ data, valid }) => (typeof data === 'string' ? [{ data, valid }] : []));
    expect(texts.length).toBeGreaterThan(20);
    const found = texts.flatMap(({ data, valid }) => {
      const timestamp = read(prefix + data);
      const ours = timestamp !== null && (!needsOffset || timestamp.offset !== null);
      return ours === valid ? [] : [`${name} ${ours ? 'reads' : 'refuses'} ${data}`];
    });
    expect([...new Set(found)].sort()).toEqual(listed.filter(line => line.startsWith(`${name} `)).sort());
  },
);
