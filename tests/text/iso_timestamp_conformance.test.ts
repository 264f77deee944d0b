/** Conformance: the timestamps of test262's Temporal tests and of the JSON-Schema-Test-Suite. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayNumberOf } from '../../src/common/civil.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../src/text/iso_timestamp.ts';
import { DIFFERENCES } from './iso_timestamp_differences.ts';

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
  expect(found.filter(line => line !== null).sort()).toEqual(expected.sort());
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
