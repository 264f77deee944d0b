import { tzOffset } from '@date-fns/tz';
import { counted } from '../common/counted.ts';
import { formatOffset, utcText } from '../common/iso_text.ts';
import { messageOf } from '../common/message_of.ts';
import { fileExists } from '../common/stat_files.ts';
import { loadZones } from '../server/data_sets/zones.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import { type OffsetAt, type ZoneDifference, zoneDifferences } from './zone_differences.ts';

const HOST_ZONEINFO = '/usr/share/zoneinfo';

/** Another source of zones. */
interface ZoneSource {
  readonly version: string | null;
  readonly offsetsOf: (zone: string) => OffsetAt | undefined;
}

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

  function compare(name: string, open: () => ZoneSource) {
    try {
      const { version, offsetsOf } = open();
      const differences = zoneDifferences(zones.canonicalZones(), offsetsOf, nowEpochSeconds);
      return { with: name, version, problem: null, differences: differences.map(reported) };
    } catch (error) {
      return { with: name, version: null, problem: messageOf(error), differences: [] };
    }
  }
}

function openZones(directory: string | null): ZoneSource {
  if (directory !== null && !fileExists(directory)) throw new Error('not present on this host');
  const zones = loadZones(directory);
  return {
    version: zones.version,
    offsetsOf(name) {
      const zone = zones.find(name);
      return zone && (epochSeconds => zone.periodAt(epochSeconds).offsetSeconds);
    },
  };
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

/** A difference in the form of the report, with its start in UTC and offsets such as `-07:00`. */
function reported(difference: ZoneDifference) {
  const { zone, sinceEpochSeconds, offsetSeconds, otherOffsetSeconds, isPast } = difference;
  return {
    zone,
    since: sinceEpochSeconds === null ? null : utcText(sinceEpochSeconds * 1000),
    offset: offsetSeconds === null ? null : formatOffset(offsetSeconds),
    other_offset: otherOffsetSeconds === null ? null : formatOffset(otherOffsetSeconds),
    is_past: isPast,
  };
}

/** The comparison as lines of text. */
export function comparisonText(comparison: ReturnType<typeof compareZones>[number]): string {
  const { with: name, version, problem, differences } = comparison;
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
