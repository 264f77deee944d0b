/** Conformance: every directive, flag, width and modifier against GNU `date` in the C locale. */

import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayNumberOf, isoWeekOf } from '../../src/common/civil.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { formatOffset } from '../../src/common/iso_text.ts';
import { Moment } from '../../src/common/moment.ts';
import { ENGLISH_NAMES } from '../../src/text/languages.ts';
import { compileStrftime, strftimeOf } from '../../src/text/strftime.ts';
import { DIRECTIVES } from '../../src/text/strftime_directives.ts';
import { newFolder } from '../support/process.ts';
import { fc, randomNumbers } from '../support/property.ts';

const MOMENT = new Moment(1_776_274_247_123, -14_400, 'EDT');
const format = (pattern: string, moment = MOMENT) => compileStrftime(pattern, 'format').format(moment);

test.each([
  ['%Y-%m-%d %H:%M:%S', '2026-04-15 13:30:47'],
  ['%A, %-d. %B', 'Wednesday, 15. April'],
  ['%Z %z %:z %::z', 'EDT -0400 -04:00 -04:00:00'],
  ['%f %N %3N %1N', '123000 123000000 123 1'],
  ['%c', 'Wed Apr 15 13:30:47 2026'],
  ['%x %X %r', '04/15/26 13:30:47 01:30:47 PM'],
  ['%p %P %#p', 'PM pm pm'],
  ['%EY %Od %EC', '2026 15 20'],
  ['%s', '1776274247'],
  ['%%d %%%d', '%d %15'],
  ['kein %d ß 😀', 'kein 15 ß 😀'],
  ['no directive', 'no directive'],
])("'%s' is '%s'", (pattern, text) => {
  expect(format(pattern)).toBe(text);
});

test('%n, %t and %% are a line feed, a tab and a percent sign', () => {
  expect(format('100%%%n%t|')).toBe('100%\n\t|');
});

test('a fixed offset and no target have their own %Z', () => {
  expect(format('%Z', new Moment(0, -14_400, 'UTC-04:00'))).toBe('UTC-04:00');
  expect(format('%Z', new Moment(0, 0, 'UTC'))).toBe('UTC');
});

test('%s floors toward the past', () => {
  expect(format('%s %3N', new Moment(-1, 0, 'UTC'))).toBe('-1 999');
});

test.each([...DIRECTIVES])('%%%s is numeric exactly if it writes only digits', (name, { isNumeric }) => {
  const instants = fc.sample(fc.integer({ min: -3e14, max: 2.5e14 }), { numRuns: 2000, seed: 1 });
  const texts = instants.map((epochMs, index) =>
    format(`%${name}`, new Moment(epochMs, (index % 29) * 1800 - 25_200, 'EDT')),
  );
  expect(texts.every(text => /^[\d:. -]*$/.test(text))).toBe(isNumeric);
});

describe('rejected patterns', () => {
  const NONE = 'is not a strftime directive';
  test.each<readonly string[]>([
    ...['%Q', '%+', '%q', '%:Y', '%-%', '%😀', '%\0'].map(text => [text, `'${text}' at character 1 ${NONE}`]),
    ...['%-5', '%E', '%:'].map(text => [text, `'${text}' at character 1 ends before its letter`]),
    ['%d/%i', `'%i' at character 4 ${NONE}`],
    ['é😀%-5Ei', `'%-5Ei' at character 3 ${NONE}`],
    ['%+Y', `'%+' at character 1 ${NONE}`],
    ['%:::z', `'%:::' at character 1 ${NONE}`],
    ['%EEy', `'%EE' at character 1 ${NONE}`],
    ['%5-d', `'%5-' at character 1 ${NONE}`],
    ['50%', "'%' at character 3 stands alone: write %% for a percent sign"],
    ['50% off', `'% ' at character 3 ${NONE}`],
    ['', "'' is empty: expected a strftime pattern like %Y-%m-%d"],
    ['x'.repeat(257), 'a pattern has at most 256 characters'],
    ['😀'.repeat(257), 'a pattern has at most 256 characters'],
  ])("'%s' is rejected", (pattern, reason) => {
    expect(() => compileStrftime(pattern, 'format')).toThrow(`Cannot read 'format': ${reason}`);
  });
});

describe('the limits', () => {
  test('a pattern has at most 256 characters, however many bytes', () => {
    expect(format('😀'.repeat(256))).toBe('😀'.repeat(256));
  });

  test('a result has at most 4096 bytes of UTF-8', () => {
    expect(format('%4096d').length).toBe(4096);
    expect(format('%4093dß%%').length).toBe(4095);
    expect(format('%4092d😀').length).toBe(4094);
    const names = { ...ENGLISH_NAMES, weekdaysFull: Array(7).fill('日'.repeat(11)) };
    expect(() => compileStrftime('%A'.repeat(125), 'format', names).format(MOMENT)).toThrow(/4096 bytes$/);
    expect(compileStrftime('%A'.repeat(124), 'format', names).format(MOMENT)).toHaveLength(1364);
  });

  test.each([
    ...['%4097d', '%4096dx', '%4095dß', '%4094d€', '%4093d😀', '%999999999999999999999d', '%4000Y%97F'],
    ...['%_4097A', '%4097N'],
  ])("'%s' is rejected when compiled", pattern => {
    expect(() => compileStrftime(pattern, 'format')).toThrow(/would write more than 4096 bytes$/);
  });

  test('a limit exceeded only at some instants is rejected when written', () => {
    const strftime = compileStrftime('%4090d%A', 'format');
    const thursday = new Moment(0, 0, 'UTC');
    const sunday = new Moment(3 * 86_400_000, 0, 'UTC');
    expect(strftime.format(sunday)).toHaveLength(4096);
    expect(() => strftime.format(thursday)).toThrow("'%4090d%A' would write more than 4096 bytes");
  });

  test('literal text counts in addition to the bytes written for an instant', () => {
    const pattern = `${'€'.repeat(100)}%3600Y`;
    expect(format(pattern + '%c'.repeat(8))).toHaveLength(100 + 3600 + 8 * 24); // 4092 bytes
    expect(() => format(pattern + '%c'.repeat(9))).toThrow('would write more than 4096 bytes');
  });

  test('a width cancelled by a flag does not count', () => {
    expect(format('%-999999d %-5000A %-99999F %-99999N')).toBe('15 Wednesday 2026-04-15 123');
  });
});

test('a cached pattern is the same object', () => {
  expect(strftimeOf('%H:%M', 'format')).toBe(strftimeOf('%H:%M', 'format'));
  expect(strftimeOf('%H:%M', 'format').format(MOMENT)).toBe('13:30');
});

test('any pattern is compiled or rejected with a message, and writes at most 4 KiB', () => {
  const part = fc.oneof(
    fc.stringMatching(/^%[_0^#-]{0,2}[0-9]{0,4}[EO]?:{0,2}[A-Za-z%]$/),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const pattern = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 40 }).map(parts => parts.join('')),
  );
  const moment = fc
    .tuple(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.integer({ min: -86_399, max: 86_399 }))
    .map(([epochMs, offsetSeconds]) => new Moment(epochMs, offsetSeconds, 'EDT'));
  fc.assert(
    fc.property(pattern, moment, (text, at) => {
      try {
        expect(new TextEncoder().encode(format(text, at)).length).toBeLessThanOrEqual(4096);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        expect(error.code).toBe('INVALID_PARAMETER');
      }
    }),
    { numRuns: 3000 },
  );
});

/** `%f` is our own; it is compared with `%6N`. */
const COMPARED = [...DIRECTIVES.keys()].filter(name => name !== 'f');
const FLAGS = ['', '_', '-', '0', '^', '#', '^#', '_^', '0#', '-0', '-_', '_-'];
const WIDTHS = ['', '1', '3', '6', '31'];
const SPECIFICATIONS = COMPARED.flatMap(directive =>
  FLAGS.flatMap(flags => WIDTHS.map(width => `%${flags}${width}${directive}`)),
)
  // `date` writes %-N with its clock's nine digits, but drops zeros for the equivalent %_-N.
  .filter(specification => specification !== '%_-N');
/** The directives that ISO C and POSIX allow after the modifiers; `date` prints other combinations literally. */
const MODIFIED = [...'CcxXyY']
  .map(letter => `%E${letter}`)
  .concat([...'deHImMSuUVwWy'].map(letter => `%O${letter}`));

const version = /GNU coreutils\) (\d+)\.(\d+)/.exec(
  Bun.which('date') === null ? '' : Bun.spawnSync(['date', '--version']).stdout.toString(),
);
const hasGnuDate = version !== null && Number(version[1]) >= 9;

/** A POSIX TZ string (XBD §8.3), whose sign is inverted: `<+0530>-05:30:00`. */
function posixZone(offsetSeconds: number, abbreviation: string): string {
  const text = formatOffset(Math.abs(offsetSeconds)).slice(1);
  return `<${abbreviation}>${offsetSeconds > 0 ? '-' : ''}${text}`;
}

function secondsText(epochMs: number): string {
  const magnitude = Math.abs(epochMs);
  return `${epochMs < 0 ? '-' : ''}${Math.floor(magnitude / 1000)}.${String(magnitude % 1000).padStart(3, '0')}`;
}

/** The output of `date` for each instant and specification. */
function dateTexts(zone: string, instants: number[], specifications: string[]): string[][] {
  const folder = newFolder();
  const file = join(folder, 'instants');
  writeFileSync(file, instants.map(epochMs => `@${secondsText(epochMs)}\n`).join(''));
  const { stdout, stderr, success } = Bun.spawnSync(
    ['date', '-f', file, `+${specifications.join('\x01')}\x02`],
    { env: { ...process.env, LC_ALL: 'C', TZ: zone } },
  );
  if (!success) throw new Error(stderr.toString());
  return stdout
    .toString()
    .split('\x02\n')
    .slice(0, -1)
    .map(line => line.split('\x01'));
}

const ZONES: [offsetSeconds: number, abbreviation: string][] = [
  [0, 'UTC'],
  [19_800, '+0530'],
  [-14_400, 'EDT'],
  [-2_670, 'MMT'],
  [-30, 'abc'],
  [45, '+00'],
  [45_900, '+1245'],
  [-86_399, '-24'],
  [86_399, '+24'],
  [-12_600, 'NST'],
];

/**
 * An intended difference: on the last days of a year like −100 that are in the first week of the next, `date` (gnulib's
 * nstrftime) writes 01 for %g although %G is −99.
 */
function dateErrs(specification: string | undefined, moment: Moment): boolean {
  const isoYear = isoWeekOf(moment.dayNumber).year;
  return (
    specification?.endsWith('g') === true &&
    moment.year < 0 &&
    moment.year % 100 === 0 &&
    isoYear > moment.year
  );
}

/** Each difference, as a readable line. */
function differences(
  [offsetSeconds, abbreviation]: (typeof ZONES)[number],
  instants: number[],
  specifications: string[],
): string[] {
  const zone = posixZone(offsetSeconds, abbreviation);
  const compiled = specifications.map(specification => compileStrftime(specification, 'format'));
  const expected = dateTexts(zone, instants, specifications);
  expect(expected.length).toBe(instants.length);
  return instants.flatMap((epochMs, row) => {
    const moment = new Moment(epochMs, offsetSeconds, abbreviation);
    return compiled.flatMap((strftime, column) => {
      const ours = strftime.format(moment);
      const theirs = expected[row]?.[column];
      return ours === theirs || dateErrs(specifications[column], moment)
        ? []
        : [`${specifications[column]} @${epochMs} ${zone}: ours '${ours}', date '${theirs}'`];
    });
  });
}

/** Instants in four-digit years, as in nearly all requests. */
function usualInstants(count: number): number[] {
  const random = randomNumbers();
  return Array.from({ length: count }, () => Math.floor((random() * 8970 - 970) * 31_556_952_000));
}

/** Years before 0 and after 9999, the changes of years and weeks between them, and the limits of `Date`'s range. */
function unusualInstants(count: number): number[] {
  const random = randomNumbers();
  const anywhere = Array.from({ length: count }, () => Math.floor((random() * 2 - 1) * 8.64e15));
  const ancient = Array.from({ length: count }, () => Math.floor((random() * 4000 - 4970) * 31_556_952_000));
  const turns = [
    -10_000, -1001, -101, -100, -99, -1, 0, 1, 4, 99, 100, 999, 1000, 1900, 2000, 9999, 10_000, 100_000,
  ]
    .map(year => dayNumberOf(year, 1, 1))
    .flatMap(dayNumber => [-4, -3, -2, -1, 0, 1, 2, 3, 4].map(days => (dayNumber + days) * 86_400_000));
  return [...anywhere, ...ancient, ...turns, 8.64e15, -8.64e15, 0, -1, 999, 1000];
}

test.skipIf(!hasGnuDate)('every directive, flag and width equals GNU date 9', () => {
  const instants = usualInstants(2000);
  const share = instants.length / ZONES.length;
  const found = ZONES.flatMap((zone, index) =>
    differences(zone, instants.slice(index * share, (index + 1) * share), SPECIFICATIONS),
  );
  expect(found.slice(0, 20)).toEqual([]);
});

test.skipIf(!hasGnuDate)('E and O before a directive equal GNU date 9', () => {
  expect(differences([19_800, '+0530'], usualInstants(500), MODIFIED)).toEqual([]);
});

test.skipIf(!hasGnuDate)('years of any length and sign equal GNU date 9', () => {
  // Their years in %c and %x depend on the C library: compared only with the `date` version we follow.
  const specifications = SPECIFICATIONS.filter(text => version?.[0].endsWith(' 9.1') || !/[cx]$/.test(text));
  const instants = unusualInstants(100);
  const zones: typeof ZONES = [
    [0, 'UTC'],
    [-86_399, '-24'],
    [86_399, '+24'],
  ];
  const found = zones.flatMap(zone => differences(zone, instants, specifications));
  expect(found.slice(0, 20)).toEqual([]);
});

test.skipIf(!hasGnuDate)('%f equals %6N', () => {
  const specifications = FLAGS.map(flags => `%${flags}6N`);
  const instants = usualInstants(200);
  const expected = dateTexts('UTC0', instants, specifications);
  const compiled = FLAGS.map(flags => compileStrftime(`%${flags}f`, 'format'));
  const ours = instants.map(epochMs =>
    compiled.map(strftime => strftime.format(new Moment(epochMs, 0, 'UTC'))),
  );
  expect(ours).toEqual(expected);
});
