import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';

/** Makes, or adds to, a zoneinfo directory with some zones of the embedded data; yields its path. */
export function zoneinfo(
  version: string,
  zones: readonly string[],
  directory = mkdtempSync(join(tmpdir(), 'meridian-')),
) {
  const { files } = decodeZonePack(readZonePack());
  for (const name of zones) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), files.get(name)!);
  }
  writeFileSync(join(directory, '+VERSION'), `${version}\n`);
  return directory;
}
