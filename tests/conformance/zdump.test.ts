import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { Moment } from '../../src/common/moment.ts';
import { parsePosixTz } from '../../src/zones/posix_tz.ts';
import { openReleasePack } from '../../src/zones/releases.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { readZoneNames } from '../../src/zones/tzdata_tables.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { given } from '../support/process.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { app, send } from '../support/service.ts';
import {
  compileSource,
  type DumpedChange,
  dumpBeginnings,
  dumpChanges,
  dumpTzStrings,
  footerOf,
  hasZdump,
  NEGATIVE_DST_ZONES,
  rearguardSource,
  type Shown,
} from '../support/zdump.ts';
import { isoOf, seconds, zoneOf, zones } from '../support/zones.ts';

/**
 * Every name of tzdata (outside of a proof, a sample of zones with all their links) from 1850 to 2200 against the host's
 * own `zic` and `zdump` on the source in `data/zones`. zdump finds changes by querying glibc for the local time twice a day,
 * so that there is no other change between two of them.
 *
 * DST flags are in the rearguard sense: for the five zones with negative savings they are zdump's for the source in
 * rearguard form, for all others zdump's own.
 */

const SOURCE = readFileSync(join(import.meta.dir, '../../data/zones/tzdata.zi'), 'utf8');
const NAMES = readZoneNames(SOURCE);
const FROM_YEAR = 1850;
const UNTIL_YEAR = 2200;
/** The instants at which routes are compared. */
const FROM = seconds('1900-01-01');
const UNTIL = seconds('2100-01-01');
/** From here on a zone follows its TZ string: zdump dumps one zone for each TZ string. */
const RULED_FROM_YEAR = 2038;
/** Except for those whose source lists changes up to 2086. */
const LISTED_BEYOND = ['Asia/Gaza', 'Asia/Hebron'];

/** The compiled form lacks a flag-only change that the source makes with the next rule. */
const EXPECTED_DIFFERENCES = [
  {
    name: 'Africa/Windhoek',
    from: seconds('2017-09-03T01:00:00'),
    until: seconds('2017-10-23T22:00:00'),
    reason:
      'the last summer time becomes the standard time for good within it; the compiled zone has one period for both',
  },
];

/** The zones with special treatment above, and the sampled ones. */
const ZONES = [...new Set([...sample(NAMES.zones, 150), ...NEGATIVE_DST_ZONES, ...LISTED_BEYOND])].sort();

/** The changes of each Zone according to zdump, with its own DST flags, and with rearguard flags. */
let changesByFlag = new Map<string, readonly DumpedChange[]>();
let rearguardChanges = new Map<string, readonly DumpedChange[]>();
let beginnings = new Map<string, string>();

async function dumpAll(): Promise<void> {
  const folder = compileSource(SOURCE);
  const rearguardFolder = compileSource(rearguardSource(SOURCE));
  const ruleOf = (name: string) => (LISTED_BEYOND.includes(name) ? name : footerOf(folder, name));
  const zoneOfRule = new Map(ZONES.toReversed().map(name => [ruleOf(name), name]));
  const [early, late, rearguard] = [
    await dumpChanges(folder, ZONES, FROM_YEAR, RULED_FROM_YEAR),
    await dumpChanges(folder, [...zoneOfRule.values()], RULED_FROM_YEAR, UNTIL_YEAR),
    await dumpChanges(rearguardFolder, NEGATIVE_DST_ZONES, FROM_YEAR, UNTIL_YEAR),
  ];
  changesByFlag = new Map(
    ZONES.map(name => [name, [...early.get(name)!, ...late.get(zoneOfRule.get(ruleOf(name))!)!]]),
  );
  rearguardChanges = new Map([...changesByFlag, ...rearguard]);
  beginnings = await dumpBeginnings(folder, ZONES);
}

/** Each name of the dumped zones, with its zone and its changes according to zdump. */
function* eachName(): Generator<{ name: string; zone: Zone; changes: readonly DumpedChange[] }> {
  for (const name of zones.names()) {
    const changes = rearguardChanges.get(NAMES.links.get(name) ?? name);
    if (changes !== undefined) yield { name, zone: zoneOf(name), changes };
  }
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The state of our zone at an instant, in zdump's format. */
function shownAt(zone: Zone, epochSeconds: number): Shown {
  const { offsetSeconds, abbreviation, isDst } = zone.periodAt(epochSeconds);
  const moment = new Moment(epochSeconds * 1000, offsetSeconds, abbreviation);
  const { weekday, month, day, hour, minute, second, year } = moment;
  const clock = [hour, minute, second].map(value => `${value}`.padStart(2, '0')).join(':');
  const localText = `${WEEKDAYS[weekday]} ${MONTHS[month - 1]} ${`${day}`.padStart(2)} ${clock} ${year}`;
  return { epochSeconds, localText, offsetSeconds, abbreviation, isDst };
}

function textOf({ epochSeconds, localText, offsetSeconds, abbreviation, isDst }: Shown): string {
  return `${epochSeconds} = ${localText} ${offsetSeconds} ${abbreviation} ${isDst ? 'DST' : 'standard'}`;
}

function isExpected(name: string, epochSeconds: number): boolean {
  return EXPECTED_DIFFERENCES.some(
    difference =>
      difference.name === name && epochSeconds >= difference.from && epochSeconds <= difference.until,
  );
}

/** Our result if it differs from zdump's, as text. */
function differences(name: string, zone: Zone, theirs: Shown): string[] {
  const ours = textOf(shownAt(zone, theirs.epochSeconds));
  const isFine = ours === textOf(theirs) || isExpected(name, theirs.epochSeconds);
  return isFine ? [] : [`${name}: ${ours}, not ${textOf(theirs)}`];
}

/** The changes of offset or flag, which `nextTransition` returns. */
function transitionsOf(name: string, changes: readonly DumpedChange[]): DumpedChange[] {
  return changes.filter(({ before, after }) => {
    const isTransition = before.offsetSeconds !== after.offsetSeconds || before.isDst !== after.isDst;
    return isTransition && !isFlagChangeOnly(name, { before, after });
  });
}

/** The change that ends an expected difference. */
function isFlagChangeOnly(name: string, { after }: DumpedChange): boolean {
  return EXPECTED_DIFFERENCES.some(
    difference => difference.name === name && difference.until === after.epochSeconds,
  );
}

/** The body of a successful response of a route. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members of responses of every shape.
async function bodyOf(path: string): Promise<any> {
  const response = await app.handle(new Request(`http://localhost${path.replaceAll('+', '%2B')}`));
  expect(response.status).toBe(200);
  return response.json();
}

/** The lines of each Zone in the source, starting with its name. */
function zonesOfSource(): string[] {
  return SOURCE.split(/^Z /m).slice(1);
}

describe.skipIf(!hasZdump)('zic and zdump (requires both)', () => {
  beforeAll(dumpAll);

  test('the names are those of tzdata.zi', () => {
    expect(zones.names()).toEqual([...NAMES.zones, ...NAMES.links.keys()].sort());
    expect(zones.names().length).toBe(598);
    expect(zones.version).toBe(NAMES.version!);
  });

  test('the rearguard source has the same clocks as the main one', () => {
    const clocks = (changes: readonly DumpedChange[]) =>
      changes
        .filter(
          ({ before, after }) =>
            before.offsetSeconds !== after.offsetSeconds || before.abbreviation !== after.abbreviation,
        )
        .map(({ after }) => [after.localText, after.offsetSeconds, after.abbreviation]);
    for (const name of NEGATIVE_DST_ZONES) {
      expect(clocks(rearguardChanges.get(name)!)).toEqual(clocks(changesByFlag.get(name)!));
    }
  });

  test('only the zones in rearguard form have negative savings', () => {
    const rules = SOURCE.matchAll(/^R (\S+) .* -1 \S+$/gm);
    expect([...new Set([...rules].map(([, name]) => name))].sort()).toEqual(['IE', 'M', 'NA']);
    const users = zonesOfSource().filter(zone => /^\S+ (IE|M|NA) |^-?[\d:]+ -[\d:]+ /m.test(zone));
    expect(users.map(zone => zone.split(' ')[0]!).sort()).toEqual([...NEGATIVE_DST_ZONES].sort());
  });

  test('only the zones listed beyond 2037 have rules that end later', () => {
    const rules = SOURCE.matchAll(/^R (\S+) (\d+) (\d+|o|ma) /gm);
    const late = [...rules].filter(
      ([, , from, until]) => Number(until === 'o' ? from : until) >= RULED_FROM_YEAR,
    );
    expect([...new Set(late.map(([, name]) => name))]).toEqual(['P']);
    const users = zonesOfSource().filter(zone => /^\S+ P /m.test(zone));
    expect(users.map(zone => zone.split(' ')[0]!)).toEqual(LISTED_BEYOND);
  });

  test("before and after each change, every name has zdump's offset, abbreviation, flag and local time", () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { name, zone, changes } of eachName()) {
      for (const { before, after } of changes) {
        wrong.push(...differences(name, zone, before), ...differences(name, zone, after));
        count += 2;
      }
    }
    expectNoDifferences('sides of the changes of zdump', count, wrong, 150_000);
  });

  test('every name changes exactly when zdump says', () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { name, zone, changes } of eachName()) {
      const ours: number[] = [];
      let period = zone.periodAt(seconds(`${FROM_YEAR}-01-01T00:00:00`));
      while (period.untilEpochSeconds < seconds(`${UNTIL_YEAR}-01-01T00:00:00`)) {
        ours.push(period.untilEpochSeconds);
        period = zone.periodAt(period.untilEpochSeconds);
      }
      const theirs = changes.filter(change => !isFlagChangeOnly(name, change));
      const theirInstants = theirs.map(({ after }) => after.epochSeconds);
      count += theirInstants.length;
      const index = ours.findIndex((instant, index) => instant !== theirInstants[index]);
      if (!Bun.deepEquals(ours, theirInstants))
        wrong.push(`${name}: change ${index} at ${ours[index]}, not ${theirInstants[index]}`);
    }
    expectNoDifferences('instants of the changes of zdump', count, wrong, 75_000);
  });

  test("a zone starts with zdump's first offset and abbreviation", () => {
    for (const name of ZONES) {
      const { offsetSeconds, abbreviation } = zoneOf(name).periodAt(-8.64e12);
      const [hours, minutes, rest] = [3600, 60, 1].map(
        unit => Math.floor(Math.abs(offsetSeconds) / unit) % 60,
      );
      const digits = [hours, minutes, rest].map(value => `${value}`.padStart(2, '0')).join('');
      const offset = `${offsetSeconds < 0 || abbreviation === '-00' ? '-' : '+'}${digits.replace(/(00){1,2}$/, '') || '00'}`;
      expect(`${name} ${offset} ${abbreviation}`).toBe(`${name} ${beginnings.get(name)}`);
    }
  });

  test("the next and the previous transition of every name equal zdump's", () => {
    const wrong: string[] = [];
    let count = 0;
    const until = seconds(`${UNTIL_YEAR}-01-01T00:00:00`);
    for (const { name, zone, changes } of eachName()) {
      const transitions = transitionsOf(name, changes);
      for (const [index, { before, after }] of transitions.entries()) {
        count++;
        const next = zone.nextTransition(before.epochSeconds);
        const last = zone.previousTransition(after.epochSeconds);
        const following = zone.nextTransition(after.epochSeconds)?.epochSeconds ?? Infinity;
        const isRight =
          next?.epochSeconds === after.epochSeconds &&
          last?.epochSeconds === after.epochSeconds &&
          next.before.offsetSeconds === before.offsetSeconds &&
          next.after.offsetSeconds === after.offsetSeconds &&
          (following < until ? following : undefined) === transitions[index + 1]?.after.epochSeconds;
        if (!isRight && !isExpected(name, after.epochSeconds)) wrong.push(`${name}: ${textOf(after)}`);
      }
    }
    expectNoDifferences('transitions of zdump', count, wrong, 70_000);
  });

  test("/v1/time/transitions lists zdump's changes from 1900 to 2100", async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { name, changes } of eachName()) {
      const path = `/v1/time/transitions?tz=${name}&from=1900-01-01T00:00Z&to=2100-01-01T00:00Z`;
      const { transitions } = await bodyOf(path);
      const theirs = transitionsOf(name, changes).filter(
        ({ after }) => after.epochSeconds >= FROM && after.epochSeconds < UNTIL,
      );
      const expected = theirs.map(({ before, after }, index) => ({
        unix: after.epochSeconds,
        utc: `${isoOf(after.epochSeconds)}Z`,
        offset_before: before.offsetSeconds / 60,
        offset_after: after.offsetSeconds / 60,
        abbreviation_before: before.abbreviation,
        abbreviation_after: after.abbreviation,
        dst_after: isExpected(name, after.epochSeconds) ? transitions[index]?.dst_after : after.isDst,
      }));
      count += expected.length;
      if (!Bun.deepEquals(transitions, expected)) wrong.push(name);
    }
    expectNoDifferences('transitions of a range of zdump', count, wrong, 50_000);
  });

  test('dst and timezone on either side of each change from 1900 to 2100 equal zdump', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { name, changes } of eachName()) {
      const sides = changes.flatMap(({ before, after }) => [before, after]);
      const inRange = sides.filter(({ epochSeconds }) => epochSeconds >= FROM && epochSeconds < UNTIL);
      const following = transitionsOf(name, changes);
      for (const shown of sample(inRange, 8)) {
        const { epochSeconds, offsetSeconds, isDst } = shown;
        if (isExpected(name, epochSeconds)) continue;
        const query = `tz=${name}&unix=${epochSeconds}`;
        const dst = await bodyOf(`/v1/time/dst?${query}&next=true&details=true`);
        const timezone = await bodyOf(`/v1/timezone?${query}`);
        const next = following.find(({ after }) => after.epochSeconds > epochSeconds)?.after.epochSeconds;
        const ours = [
          dst.dst_active,
          dst.details.zone.abbreviation,
          dst.details.zone.next_transition?.unix,
          timezone.dst,
          timezone.offset,
          timezone.iso_local.slice(0, 19),
        ];
        const theirs = [
          isDst,
          shown.abbreviation,
          next ?? dst.details.zone.next_transition?.unix, // beyond the dumped range
          isDst,
          offsetSeconds / 60,
          isoOf(epochSeconds + offsetSeconds),
        ];
        count++;
        if (!Bun.deepEquals(ours, theirs)) wrong.push(`${name}: ${ours}, not ${theirs}`);
      }
    }
    expectNoDifferences('dst and timezone at instants of zdump', count, wrong, 100_000);
  });
});

const TZ_STRINGS = [
  ...['EST5EDT,M3.2.0,M11.1.0', 'CET-1CEST,M3.5.0,M10.5.0/3', '<+11>-11<+12>,M10.1.0,M4.1.0/3'],
  ...['<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', '<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45'],
  ...['<-02>2<-01>,M3.5.0/-1,M10.5.0/0', 'IST-2IDT,M3.4.4/26,M10.5.0', 'EET-2EEST,M3.4.4/50,M10.4.4/50'],
  ...['<-06>6<-05>,M9.1.6/22,M4.1.6/22', 'IST-1GMT0,M10.5.0,M3.5.0/1', '<+00>0<+02>-2,M3.5.0/1,M10.5.0/3'],
  ...['AAA0BBB,J60/0,J300/0', 'AAA0BBB,59/0,299', 'AAA-1BBB,J59,J60/1:30:15'],
  ...['AAA4:30:15BBB3:15:30,60/3,J365/4', 'AAA0BBB,M2.5.6/100,M9.5.0/-100'],
  'AAA0BBB-0:30,M1.2.3/4:05:06,M12.4.5/7:08:09',
];

given(hasZdump, 'zdump')('rules of every form change the clocks when glibc does, 1970–2170', async () => {
  const dumped = await dumpTzStrings(TZ_STRINGS, 1970, 2170);
  for (const [tz, changes] of dumped) {
    const footer = parsePosixTz(tz);
    const timeline = new Timeline({ transitions: new Float64Array(0), types: [footer.standard], footer });
    const ours: [number, number, string][] = [];
    let period = timeline.periodAt(seconds('1970-01-01'));
    while (period.untilEpochSeconds < seconds('2170-01-01')) {
      period = timeline.periodAt(period.untilEpochSeconds);
      ours.push([period.fromEpochSeconds, period.offsetSeconds, period.abbreviation]);
    }
    const theirs = changes.map(({ after }): [number, number, string] => [
      after.epochSeconds,
      after.offsetSeconds,
      after.abbreviation,
    ]);
    expect({ tz, changes: ours }).toEqual({ tz, changes: theirs });
    expect(theirs.length).toBeGreaterThan(390);
  }
});

/**
 * `/v1/tzdata/changes` against the offsets of two releases, hour by hour. All zones whose files differ are compared, which
 * includes those in tz's NEWS; the response must have no others.
 */

const CHANGES_FROM = seconds('1970-01-01');
const CHANGES_UNTIL = seconds('2040-01-01');
const HOUR = 3600;

const history = await openReleasePack(readReleasePack());
const versions = history.releases.map(({ version }) => version);

const PAIRS = [
  ...versions.slice(1).map((to, index) => ({ from: versions[index]!, to })),
  { from: versions[0]!, to: versions.at(-1)! },
];

interface Change {
  readonly since: { readonly unix: number } | null;
  readonly until: { readonly unix: number } | null;
  readonly old_offset: number;
  readonly new_offset: number;
}

/** The changes of each zone in a response. */
async function changesBetween(from: string, to: string): Promise<ReadonlyMap<string, readonly Change[]>> {
  const span = `after=${isoOf(CHANGES_FROM)}Z&before=${isoOf(CHANGES_UNTIL)}Z`;
  const { status, body } = await send(`/v1/tzdata/changes?from=${from}&to=${to}&${span}`);
  expect(status).toBe(200);
  const zones: readonly { timezone: string; changes: readonly Change[] }[] = body.zones;
  return new Map(zones.map(({ timezone, changes }) => [timezone, changes]));
}

/** The first hour at which the changes do not match the offsets, or null. */
function firstDifference(old: Zone, recent: Zone, changes: readonly Change[]): string | null {
  let next = 0;
  for (let at = CHANGES_FROM; at < CHANGES_UNTIL; at += HOUR) {
    while (next < changes.length && (changes[next]!.until?.unix ?? Infinity) <= at) next++;
    const change = changes[next];
    const isWithin = change !== undefined && (change.since?.unix ?? -Infinity) <= at;
    const before = old.periodAt(at).offsetSeconds;
    const after = recent.periodAt(at).offsetSeconds;
    const isRight = isWithin
      ? change.old_offset * 60 === before && change.new_offset * 60 === after && before !== after
      : before === after;
    if (!isRight) return `${recent.name} at ${isoOf(at)}: ${before} and ${after}`;
  }
  return null;
}

/** The bounds of changes at which the releases' offsets do not start or end as listed. */
function wrongBounds(old: Zone, recent: Zone, changes: readonly Change[]): string[] {
  const isListed = (at: number, { old_offset, new_offset }: Change) =>
    old.periodAt(at).offsetSeconds === Math.round(old_offset * 60) &&
    recent.periodAt(at).offsetSeconds === Math.round(new_offset * 60);
  return changes.flatMap(change => {
    const { since, until } = change;
    const isExact =
      (since === null || (isListed(since.unix, change) && !isListed(since.unix - 1, change))) &&
      (until === null || (isListed(until.unix - 1, change) && !isListed(until.unix, change)));
    return isExact ? [] : [`${recent.name} from ${since?.unix} until ${until?.unix}`];
  });
}

test('the changes between two releases match their offsets, hour by hour', async () => {
  const differences: string[] = [];
  let comparisons = 0;
  for (const { from, to } of sample(PAIRS, 3)) {
    const [before, after] = [(await history.open(from))!, (await history.open(to))!];
    const listed = await changesBetween(from, to);
    for (const recent of after.canonicalZones()) {
      const old = before.find(recent.name);
      const changes = listed.get(recent.name) ?? [];
      if (old === undefined || old.sharesTimelineWith(recent)) {
        if (changes.length > 0) differences.push(`${recent.name} of ${from} and ${to} does not differ`);
        continue;
      }
      comparisons += (CHANGES_UNTIL - CHANGES_FROM) / HOUR;
      const different = firstDifference(old, recent, changes);
      if (different !== null) differences.push(`${from} and ${to}: ${different}`);
      differences.push(...wrongBounds(old, recent, changes).map(bound => `${from} and ${to}: ${bound}`));
    }
  }
  expectNoDifferences('changes between releases, hours', comparisons, differences, 100_000_000);
});
