import { tzOffset } from '@date-fns/tz';
import { counted } from '../common/counted.ts';
import { formatOffset } from '../common/iso_text.ts';
import { messageOf } from '../common/message_of.ts';
import { fileExists } from '../common/stat_files.ts';
import { loadZones } from '../server/data_sets.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import { type OffsetAt, type ZoneDifference, zoneDifferences } from './zone_differences.ts';

/** How another source of zones differs from the zones in use. */
export interface Comparison {
  /** `the embedded zones`, `/usr/share/zoneinfo`, `the runtime (ICU)` */
  readonly with: string;
  readonly version: string | null;
  /** Why the source cannot be compared. */
  readonly problem: string | null;
  readonly differences: readonly ReturnType<typeof reported>[];
}

const HOST_ZONEINFO = '/usr/share/zoneinfo';

/** Compares the zones in use, of `directory` or embedded, with all other available sources. */
export function compareZones(
  zones: ZoneDatabase,
  directory: string | null,
  hostDirectory: string | undefined,
  nowEpochSeconds: number,
): Comparison[] {
  const compare = (
    name: string,
    version: string | null,
    offsetsOf: (zone: string) => OffsetAt | undefined,
  ) => ({
    with: name,
    version,
    problem: null,
    differences: zoneDifferences(zones.canonicalZones(), offsetsOf, nowEpochSeconds).map(reported),
  });
  const host = hostDirectory || HOST_ZONEINFO;
  return [
    ...(directory === null ? [] : [compareTo('the embedded zones', null)]),
    ...(directory === host ? [] : [compareTo(host, host)]),
    compare('the runtime (ICU)', null, icuOffsets),
  ];

  function compareTo(name: string, from: string | null): Comparison {
    const none = { with: name, version: null, differences: [] };
    try {
      if (from !== null && !fileExists(from)) return { ...none, problem: 'not present on this host' };
      const other = loadZones(from);
      return compare(name, other.version, zone => offsetsIn(other, zone));
    } catch (error) {
      return { ...none, problem: messageOf(error) };
    }
  }
}

function offsetsIn(zones: ZoneDatabase, name: string): OffsetAt | undefined {
  const zone = zones.find(name);
  return zone && (epochSeconds => zone.periodAt(epochSeconds).offsetSeconds);
}

/**
 * The runtime's zones through `@date-fns/tz`, whose offsets are in minutes. It loses the sign of offsets less than an hour
 * west, which since 1970 only Liberia had.
 */
function icuOffsets(name: string): OffsetAt | undefined {
  const offsetAt = (epochSeconds: number) => Math.round(tzOffset(name, new Date(epochSeconds * 1000)) * 60);
  if (Number.isNaN(offsetAt(0))) return undefined;
  return name === 'Africa/Monrovia' ? epochSeconds => -Math.abs(offsetAt(epochSeconds)) : offsetAt;
}

/** A difference as it is reported, with its start in UTC and offsets such as `-07:00`. */
function reported(difference: ZoneDifference) {
  const { zone, sinceEpochSeconds, offsetSeconds, otherOffsetSeconds, isPast } = difference;
  return {
    zone,
    since:
      sinceEpochSeconds === null ? null : `${new Date(sinceEpochSeconds * 1000).toISOString().slice(0, 19)}Z`,
    offset: offsetSeconds === null ? null : formatOffset(offsetSeconds),
    other_offset: otherOffsetSeconds === null ? null : formatOffset(otherOffsetSeconds),
    is_past: isPast,
  };
}

/** The comparison as lines of text. */
export function comparisonText({ with: name, version, problem, differences }: Comparison): string {
  const source = version === null ? name : `${name}, tzdata ${version}`;
  if (problem !== null) return `compared   with ${source}: ${problem}`;
  if (differences.length === 0) return `compared   with ${source}: no difference since 1970`;
  const unknown = differences.filter(({ since }) => since === null).map(({ zone }) => zone);
  const lines = differences
    .filter(({ since }) => since !== null)
    .map(
      ({ zone, since, offset, other_offset, is_past }) =>
        `${INDENT}${zone.padEnd(20)} since ${since}  ${offset} here, ${other_offset} there${is_past ? ', no longer' : ''}`,
    );
  if (unknown.length > 0) {
    const named = unknown.slice(0, MAX_NAMED).join(', ');
    lines.push(`${INDENT}unknown there: ${named}${unknown.length > MAX_NAMED ? ', …' : ''}`);
  }
  return [
    `compared   with ${source}: ${counted(differences.length, 'zone')} ${differences.length === 1 ? 'differs' : 'differ'}`,
    ...lines,
  ].join('\n');
}

const INDENT = ' '.repeat('compared   '.length);
const MAX_NAMED = 10;
