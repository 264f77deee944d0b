import { expect, test } from 'bun:test';
import { tzOffset } from '@date-fns/tz';
import { type Disambiguation, resolveLocalTime } from '../../src/zones/local_time.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { isoOf, seconds, zoneOf, zones } from '../support/zones.ts';

/** Differences between the offsets of the runtime's ICU, or date-fns on top of it, and tzdata 2026f since 1970. */
interface IcuDifference {
  readonly names: readonly string[];
  readonly fromEpochSeconds: number;
  readonly untilEpochSeconds: number;
  readonly reason: string;
}

function difference(names: string, from: string, until: string | null, reason: string): IcuDifference {
  return {
    names: names.split(' '),
    fromEpochSeconds: seconds(from),
    untilEpochSeconds: until === null ? Infinity : seconds(until),
    reason,
  };
}

/** ICU 78.3 in Bun 1.4.5 has the data of tzdata 2026a. */
const ICU_DIFFERENCES: readonly IcuDifference[] = [
  difference('America/Vancouver Canada/Pacific', '2026-11-01', null, 'permanent −07 since tzdata 2026b'),
  difference(
    'America/Edmonton America/Yellowknife Canada/Mountain',
    '2026-11-01',
    null,
    'permanent −06 since tzdata 2026c',
  ),
  difference('Africa/Casablanca Africa/El_Aaiun', '2026-09-20', null, 'permanent +00 since tzdata 2026c'),
  difference('America/Inuvik', '2026-11-01', null, 'permanent −06 since tzdata 2026d'),
  difference('America/Bogota', '1992-05-02', '1992-05-04', 'DST began at 00:00, not 24:00: tzdata 2026d'),
  difference('Asia/Tehran Iran', '1979-05-25', '1979-05-27', 'DST began at 00:00, not 24:00: tzdata 2026d'),
  difference(
    'America/Winnipeg America/Rainy_River Canada/Central',
    '2026-11-01',
    null,
    'permanent −05 since tzdata 2026e',
  ),
  difference('America/Havana Cuba', '2026-11-01', '2027-03-15', 'no fall back in 2026: tzdata 2026f'),
  difference(
    'EET',
    '1970-01-01',
    '1981-01-01',
    'Athens to ICU, a zone of its own in the build with backzone',
  ),
  difference(
    'WET',
    '1970-01-01',
    '1997-01-01',
    'Lisbon to ICU, a zone of its own in the build with backzone',
  ),
  difference('Factory', '1970-01-01', null, 'no zone to ICU'),
  difference('Africa/Monrovia', '1970-01-01', '1972-01-08', 'date-fns drops the sign of −00:44:30'),
];

/**
 * Our zones against the runtime's own ICU, through @date-fns/tz for offsets and through Temporal for local
 * times. Its data is older, and without backzone before 1970.
 */

/** The part of Temporal used here, which this version of TypeScript does not declare. */
interface TemporalLike {
  readonly PlainDateTime: {
    from(text: string): {
      toZonedDateTime(
        zone: string,
        options: { disambiguation: Disambiguation },
      ): { readonly epochMilliseconds: number };
    };
  };
}

const { Temporal } = globalThis as unknown as { Temporal: TemporalLike };

const FROM = seconds('1970-01-02');
const KNOWN_NAMES = ICU_DIFFERENCES.flatMap(({ names }) => names);
const NAMES = [...new Set([...sample(zones.names(), 150), ...KNOWN_NAMES])];
const CHOICES: readonly Disambiguation[] = ['compatible', 'earlier', 'later'];

/** The instants at which a zone changes from 1970 to 2030. */
function changesOf(name: string) {
  const changes = [];
  let change = zoneOf(name).nextTransition(FROM);
  while (change !== null && change.epochSeconds < seconds('2030-01-01')) {
    changes.push(change);
    change = zoneOf(name).nextTransition(change.epochSeconds);
  }
  return changes;
}

function knownDifference(name: string, epochSeconds: number): IcuDifference | undefined {
  return ICU_DIFFERENCES.find(
    ({ names, fromEpochSeconds, untilEpochSeconds }) =>
      names.includes(name) && epochSeconds >= fromEpochSeconds && epochSeconds < untilEpochSeconds,
  );
}

test('offsets since 1970 equal those of @date-fns/tz, except for the listed differences', () => {
  const later = ['2026-11-20', '2027-07-01', '2045-01-01', '2100-07-01'].map(seconds);
  const seen = new Set<string>();
  const wrong: string[] = [];
  let count = 0;
  for (const name of NAMES) {
    const around = changesOf(name).flatMap(({ epochSeconds }) => [epochSeconds - 1, epochSeconds]);
    for (const instant of [FROM, ...around, ...later]) {
      const ours = zoneOf(name).periodAt(instant).offsetSeconds / 60;
      const theirs = tzOffset(name, new Date(instant * 1000));
      count++;
      if (ours === theirs) continue;
      if (knownDifference(name, instant) === undefined) {
        wrong.push(`${name} at ${isoOf(instant)}: ${ours}, not ${theirs}`);
      }
      seen.add(name);
    }
  }
  expectNoDifferences('offsets of ICU', count, wrong, 50_000);
  expect([...seen].sort()).toEqual([...KNOWN_NAMES].sort());
});

test('local times around each clock change since 1970 resolve as in Temporal', () => {
  const wrong: string[] = [];
  let count = 0;
  for (const { name } of sample(zones.canonicalZones(), 100)) {
    for (const { epochSeconds, before, after } of changesOf(name)) {
      if (knownDifference(name, epochSeconds) !== undefined) continue;
      const [left, entered] = [epochSeconds + before.offsetSeconds, epochSeconds + after.offsetSeconds];
      for (const local of [
        Math.min(left, entered) - 1,
        Math.floor((left + entered) / 2),
        Math.max(left, entered),
      ]) {
        const time = Temporal.PlainDateTime.from(isoOf(local));
        for (const disambiguation of CHOICES) {
          const ours = resolveLocalTime(zoneOf(name), local, disambiguation);
          const theirs = time.toZonedDateTime(name, { disambiguation }).epochMilliseconds / 1000;
          if (ours !== theirs)
            wrong.push(`${name} ${isoOf(local)} ${disambiguation}: ${ours}, not ${theirs}`);
          count++;
        }
      }
    }
  }
  expectNoDifferences('local times of Temporal', count, wrong, 50_000);
});
