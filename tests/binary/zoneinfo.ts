import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';

const { files } = decodeZonePack(readZonePack());

/** Creates or extends a zoneinfo directory with embedded zones, all by default; returns its path. */
export function zoneinfo(
  version: string,
  zones: readonly string[] = [...files.keys()],
  directory = mkdtempSync(join(tmpdir(), 'meridian-')),
) {
  for (const name of zones) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), files.get(name)!);
  }
  writeFileSync(join(directory, '+VERSION'), `${version}\n`);
  return directory;
}
