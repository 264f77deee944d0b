/** Conformance: every directive, flag, width and modifier against GNU `date` in the C locale. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayNumberOf, isoWeekOf } from '../../src/common/civil.ts';
import { formatOffset } from '../../src/common/iso_text.ts';
import { Moment } from '../../src/common/moment.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { DIRECTIVES } from '../../src/text/strftime_directives.ts';

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

/** A xorshift generator: the same instants in every run, so that failures can be reproduced. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

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
  const folder = mkdtempSync(join(tmpdir(), 'meridian-date-'));
  try {
    const file = join(folder, 'instants');
    writeFileSync(file, instants.map(epochMs => `@${secondsText(epochMs)}\n`).join(''));
    const { stdout, stderr, success } = Bun.spawnSync(
      ['date', '-f', file, `+${specifications.join('\x01')}\x02`],
      {
        env: { ...process.env, LC_ALL: 'C', TZ: zone },
      },
    );
    if (!success) throw new Error(stderr.toString());
    return stdout
      .toString()
      .split('\x02\n')
      .slice(0, -1)
      .map(line => line.split('\x01'));
  } finally {
    rmSync(folder, { recursive: true });
  }
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
  const random = generator(20_260_415);
  return Array.from({ length: count }, () => Math.floor((random() * 8970 - 970) * 31_556_952_000));
}

/** Years before 0 and after 9999, the changes of years and weeks between them, and the limits of `Date`'s range. */
function unusualInstants(count: number): number[] {
  const random = generator(20_260_415);
  const anywhere = Array.from({ length: count }, () => Math.floor((random() * 2 - 1) * 8.64e15));
  const ancient = Array.from({ length: count }, () => Math.floor((random() * 4000 - 4970) * 31_556_952_000));
  const turns = [
    -10_000, -1001, -101, -100, -99, -1, 0, 1, 4, 99, 100, 999, 1000, 1900, 2000, 9999, 10_000, 100_000,
  ]
    .map(year => dayNumberOf(year, 1, 1))
    .flatMap(dayNumber => [-4, -3, -2, -1, 0, 1, 2, 3, 4].map(days => (dayNumber + days) * 86_400_000));
  return [...anywhere, ...ancient, ...turns, 8.64e15, -8.64e15, 0, -1, 999, 1000];
}

test.skipIf(!hasGnuDate)(
  'every directive, flag and width equals GNU date 9',
  () => {
    const instants = usualInstants(2000);
    const share = instants.length / ZONES.length;
    const found = ZONES.flatMap((zone, index) =>
      differences(zone, instants.slice(index * share, (index + 1) * share), SPECIFICATIONS),
    );
    expect(found.slice(0, 20)).toEqual([]);
  },
  60_000,
);

test.skipIf(!hasGnuDate)(
  'E and O before a directive equal GNU date 9',
  () => {
    expect(differences([19_800, '+0530'], usualInstants(500), MODIFIED)).toEqual([]);
  },
  60_000,
);

test.skipIf(!hasGnuDate)(
  'years of any length and sign equal GNU date 9',
  () => {
    // Their years in %c and %x depend on the C library: compared only with the `date` version we follow.
    const specifications = SPECIFICATIONS.filter(
      text => version?.[0].endsWith(' 9.1') || !/[cx]$/.test(text),
    );
    const instants = unusualInstants(100);
    const zones: typeof ZONES = [
      [0, 'UTC'],
      [-86_399, '-24'],
      [86_399, '+24'],
    ];
    const found = zones.flatMap(zone => differences(zone, instants, specifications));
    expect(found.slice(0, 20)).toEqual([]);
  },
  60_000,
);

test.skipIf(!hasGnuDate)(
  '%f equals %6N',
  () => {
    const specifications = FLAGS.map(flags => `%${flags}6N`);
    const instants = usualInstants(200);
    const expected = dateTexts('UTC0', instants, specifications);
    const compiled = FLAGS.map(flags => compileStrftime(`%${flags}f`, 'format'));
    const ours = instants.map(epochMs =>
      compiled.map(strftime => strftime.format(new Moment(epochMs, 0, 'UTC'))),
    );
    expect(ours).toEqual(expected);
  },
  60_000,
);
