import { tzOffset } from '@date-fns/tz';
import { SECONDS_PER_DAY } from '../common/civil.ts';
import { messageOf } from '../common/errors.ts';
import { formatOffset, utcText } from '../common/iso_text.ts';
import { firstWhere } from '../common/sorted_list.ts';
import { fileExists } from '../common/state_files.ts';
import { boundedList, counted } from '../common/words.ts';
import { loadZones } from '../server/data_sets.ts';
import type { Zone } from '../zones/zone.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';

const HOST_ZONEINFO = '/usr/share/zoneinfo';

/** The UTC offset at an instant, in seconds east. */
type OffsetAt = (epochSeconds: number) => number;
/** The offsets of a zone; undefined if the source lacks it. */
type OffsetsOf = (zone: string) => OffsetAt | undefined;

/** Compares the zones in use, from `directory` or embedded, with all other available sources. */
export function compareZones(
  zones: ZoneDatabase,
  directory: string | null,
  hostDirectory: string | undefined,
  nowEpochSeconds: number,
) {
  const host = hostDirectory || HOST_ZONEINFO;
  return [
    ...(directory === null ? [] : [compare('the embedded zones', () => openZones(null))]),
    ...(directory === host ? [] : [compare(host, () => openZones(host))]),
    compare('the runtime (ICU)', () => ({ version: null, offsetsOf: icuOffsets })),
  ];

  function compare(name: string, open: () => { version: string | null; offsetsOf: OffsetsOf }) {
    try {
      const { version, offsetsOf } = open();
      const differences = zoneDifferences(zones.canonicalZones(), offsetsOf, nowEpochSeconds);
      return { with: name, version, problem: null, differences };
    } catch (error) {
      return { with: name, version: null, problem: messageOf(error), differences: [] };
    }
  }
}

function openZones(directory: string | null) {
  if (directory !== null && !fileExists(directory)) throw new Error('not present on this host');
  const zones = loadZones(directory);
  const offsetsOf: OffsetsOf = name => {
    const zone = zones.find(name);
    return zone && (epochSeconds => zone.periodAt(epochSeconds).offsetSeconds);
  };
  return { version: zones.version, offsetsOf };
}

/**
 * The runtime's zones, by `@date-fns/tz`, whose offsets are in minutes. It loses the sign of offsets between -1 hour and 0,
 * which since 1970 only Liberia has used.
 */
function icuOffsets(name: string): OffsetAt | undefined {
  const offsetAt = (epochSeconds: number) => Math.round(tzOffset(name, new Date(epochSeconds * 1000)) * 60);
  if (Number.isNaN(offsetAt(0))) return undefined;
  return name === 'Africa/Monrovia' ? epochSeconds => -Math.abs(offsetAt(epochSeconds)) : offsetAt;
}

/** The comparison as lines of text. */
export function comparisonText(comparison: ReturnType<typeof compareZones>[number]): string {
  const { with: name, version, problem, differences } = comparison;
  const source = version === null ? name : `${name}, tzdata ${version}`;
  if (problem !== null) return `with ${source}: ${problem}`;
  if (differences.length === 0) return `with ${source}: no difference since 1970`;
  const unknown = differences.filter(({ since }) => since === null).map(({ zone }) => zone);
  const verb = differences.length === 1 ? 'differs' : 'differ';
  const lines = differences
    .filter(({ since }) => since !== null)
    .map(({ zone, since, offset, other_offset, is_past }) => {
      const offsets = `${offset} here, ${other_offset} there${is_past ? ', no longer' : ''}`;
      return `${zone.padEnd(20)} since ${since}  ${offsets}`;
    });
  if (unknown.length > 0) lines.push(`unknown there: ${boundedList(unknown, 10)}`);
  return [`with ${source}: ${counted(differences.length, 'zone')} ${verb}`, ...lines].join('\n');
}

/** Intervals of the comparison, in which shorter differences may be missed: usually, and from a year ago on. */
const STEP_SECONDS = 91 * SECONDS_PER_DAY;
const NEAR_STEP_SECONDS = 14 * SECONDS_PER_DAY;
/** The comparison ends ten years from now. It begins in 1970, since before that sources differ intentionally. */
const YEARS_AHEAD_SECONDS = 3652 * SECONDS_PER_DAY;

/**
 * The first difference of each zone, if any, in the form of the report: its start in UTC, null if the other source lacks the zone,
 * offsets such as `-07:00`, and whether the sources agree from now on.
 */
export function zoneDifferences(zones: readonly Zone[], offsetsOf: OffsetsOf, nowEpochSeconds: number) {
  const unknown = { since: null, offset: null, other_offset: null, is_past: false };
  return zones.flatMap(zone => {
    const other = offsetsOf(zone.name);
    if (other === undefined) return { zone: zone.name, ...unknown };
    const offsetAt = (epochSeconds: number) => zone.periodAt(epochSeconds).offsetSeconds;
    const differsAt = (epochSeconds: number) => offsetAt(epochSeconds) !== other(epochSeconds);
    let same: number | undefined;
    for (const instant of comparedInstants(zone, 0, nowEpochSeconds)) {
      if (!differsAt(instant)) {
        same = instant;
        continue;
      }
      const since = same === undefined ? instant : firstWhere(same + 1, instant, differsAt);
      return {
        zone: zone.name,
        since: utcText(since * 1000),
        offset: formatOffset(offsetAt(since)),
        other_offset: formatOffset(other(since)),
        is_past: !comparedInstants(zone, nowEpochSeconds, nowEpochSeconds).some(differsAt),
      };
    }
    return [];
  });
}

/** Both sides of each transition, and regular steps in between. */
function* comparedInstants(zone: Zone, fromEpochSeconds: number, nowEpochSeconds: number) {
  const nearFrom = nowEpochSeconds - 365 * SECONDS_PER_DAY;
  let at = fromEpochSeconds;
  while (at < nowEpochSeconds + YEARS_AHEAD_SECONDS) {
    yield at;
    const next = at + (at < nearFrom ? STEP_SECONDS : NEAR_STEP_SECONDS);
    const change = zone.nextTransition(at)?.epochSeconds ?? Number.POSITIVE_INFINITY;
    if (change > next) at = next;
    else {
      if (change - 1 > at) yield change - 1;
      at = change;
    }
  }
}
