import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import type { LocalTimeType } from '../../src/zones/posix_tz.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { newFolder } from './process.ts';

/** The embedded zones, opened once for all tests. */
export const zones = openZonePack(readZonePack());

/** A zone that is known to exist. */
export function zoneOf(name: string): Zone {
  const zone = zones.find(name);
  if (zone === undefined) throw new Error(`There is no zone ${name}`);
  return zone;
}

/** Epoch seconds of an ISO 8601 time, UTC by default. */
export function seconds(iso: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`) / 1000;
}

/** Seconds since 1970, in UTC or local time, as `2026-11-20T12:00:00`. */
export function isoOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, -5);
}

/** All periods of a TZif file until the year 2500, one per line. */
export function periodsOf(file: Uint8Array): string {
  const timeline = new Timeline(readTzif(file));
  const lines: string[] = [];
  let period = timeline.periodAt(-8.64e12);
  while (period.untilEpochSeconds < seconds('2500-01-01')) {
    lines.push(Object.values(period).join(' '));
    period = timeline.periodAt(period.untilEpochSeconds);
  }
  return [...lines, Object.values(period).join(' ')].join('\n');
}

/** The contents of a TZif file. */
export interface TzifPlan {
  /** 1 to 4 */
  readonly version: number;
  readonly transitions?: readonly (readonly [epochSeconds: number, type: number])[];
  readonly types?: readonly LocalTimeType[];
  /** Between the two newlines; from version 2 on. */
  readonly footer?: string;
  readonly leapSeconds?: number;
}

const UTC: LocalTimeType = { offsetSeconds: 0, abbreviation: 'UTC', isDst: false };

/** Writes a TZif file (RFC 9636), with the same data in both blocks from version 2 on. */
export function tzifFile(plan: TzifPlan): Uint8Array {
  const first = block(plan, 4);
  if (plan.version === 1) return first;
  return Buffer.concat([first, block(plan, 8), Buffer.from(`\n${plan.footer ?? ''}\n`)]);
}

function block(
  { version, transitions = [], types = [UTC], leapSeconds = 0 }: TzifPlan,
  timeBytes: 4 | 8,
): Buffer {
  const header = Buffer.alloc(44);
  header.write('TZif');
  if (version > 1) header.write(`${version}`, 4);
  const names = types.map(({ abbreviation }) => `${abbreviation}\0`);
  const counts = [0, 0, leapSeconds, transitions.length, types.length, names.join('').length];
  for (const [index, count] of counts.entries()) header.writeUInt32BE(count, 20 + 4 * index);
  const times = Buffer.alloc(transitions.length * timeBytes);
  for (const [index, [epochSeconds]] of transitions.entries()) {
    if (timeBytes === 8) times.writeBigInt64BE(BigInt(epochSeconds), 8 * index);
    else times.writeInt32BE(epochSeconds, 4 * index);
  }
  const indexes = Buffer.from(transitions.map(([, type]) => type));
  const typeBytes = Buffer.alloc(types.length * 6);
  for (const [index, { offsetSeconds, isDst }] of types.entries()) {
    typeBytes.writeInt32BE(offsetSeconds, 6 * index);
    typeBytes[6 * index + 4] = isDst ? 1 : 0;
    typeBytes[6 * index + 5] = names.slice(0, index).join('').length;
  }
  const leaps = Buffer.alloc(leapSeconds * (timeBytes + 4));
  return Buffer.concat([header, times, indexes, typeBytes, Buffer.from(names.join('')), leaps]);
}

const { files } = decodeZonePack(readZonePack());

/** Creates or extends a zoneinfo directory with embedded zones, all by default; returns its path. */
export function zoneinfo(
  version: string,
  zones: readonly string[] = [...files.keys()],
  directory = newFolder(),
) {
  for (const name of zones) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), files.get(name)!);
  }
  writeFileSync(join(directory, '+VERSION'), `${version}\n`);
  return directory;
}

/** Zones whose clocks change in 2026, at midnight and by half an hour too. */
export const CHANGING: readonly string[] = [
  'Europe/Berlin', 'Europe/London', 'Europe/Lisbon', 'Europe/Athens', 'Europe/Chisinau', 'Europe/Dublin',
  'Atlantic/Azores', 'America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles',
  'America/Anchorage', 'America/Halifax', 'America/St_Johns', 'America/Havana', 'America/Santiago',
  'America/Asuncion', 'America/Nuuk', 'America/Miquelon', 'Asia/Beirut', 'Asia/Jerusalem', 'Africa/Cairo',
  'Africa/Casablanca', 'Australia/Sydney', 'Australia/Adelaide', 'Australia/Lord_Howe', 'Pacific/Auckland',
  'Pacific/Chatham', 'Pacific/Norfolk', 'Pacific/Easter', 'Antarctica/Troll', 'Europe/Paris', 'Europe/Rome',
  'Europe/Madrid', 'Europe/Warsaw', 'Europe/Vienna', 'Europe/Zurich', 'Europe/Stockholm', 'Europe/Oslo',
  'Europe/Helsinki', 'Europe/Kyiv', 'Europe/Bucharest', 'Europe/Sofia', 'Europe/Prague', 'Europe/Budapest',
  'America/Toronto', 'America/Winnipeg', 'America/Phoenix', 'America/Boise', 'America/Detroit',
]; // biome-ignore format: a list
