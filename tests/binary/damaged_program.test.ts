import { expect, test } from 'bun:test';
import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { ipZonesPath } from '../../data/ip/embedded.ts';
import { placesPath } from '../../data/places/embedded.ts';
import { BINARY, temporaryFolder } from '../support/process.ts';

const DATA = join(import.meta.dir, '../../data');
const SETS = [
  { name: 'zones', path: join(DATA, 'zones/zones.pack'), query: 'tz=Europe/Paris', stopsAll: true },
  { name: 'holidays', path: join(DATA, 'holidays/holidays.pack'), query: 'tz=Europe/Paris', stopsAll: true },
  { name: 'boundaries', path: boundariesPath, query: 'lat=48.85&lon=2.35', stopsAll: false },
  { name: 'places', path: placesPath, query: 'place=Munich', stopsAll: false },
  { name: 'ip', path: ipZonesPath, query: 'ip=8.8.8.8', stopsAll: false },
];

/** Runs a program with `get`, and returns the outcome. */
function get(program: string, query: string) {
  const env = { PATH: process.env['PATH'] ?? '', MERIDIAN_STATE_DIR: '/nonexistent' };
  const { stdout, stderr, exitCode } = Bun.spawnSync([program, 'get', `/v1/time/current?${query}`], { env });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
}

/** Writes one byte of a file and closes it: a program open for writing cannot be run. */
function poke(path: string, at: number, byte: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Uint8Array.of(byte), 0, 1, at);
  closeSync(file);
}

test('with a bit flipped anywhere in its data, the program reports damage and never returns wrong data', () => {
  using folder = temporaryFolder();
  const program = join(folder.path, 'meridian');
  copyFileSync(BINARY, program);
  const bytes = readFileSync(program);
  for (const { name, path, query, stopsAll } of SETS) {
    const data = readFileSync(path);
    const start = bytes.indexOf(data);
    expect([name, start > 0]).toEqual([name, true]);
    for (const part of [0.001, 0.999]) {
      const at = start + Math.floor(part * data.length);
      poke(program, at, bytes[at]! ^ 4);
      const { stdout, stderr, exitCode } = get(program, query);
      expect([name, part, exitCode]).toEqual([name, part, 1]);
      if (stopsAll) {
        expect([stdout, stderr.trimEnd().split('\n').length]).toEqual(['', 1]);
        expect(stderr).toMatch(/data inside this program is damaged: its SHA-256/);
      } else {
        expect(JSON.parse(stdout).error.code).toBe('DEPENDENCY_NOT_READY');
        expect(get(program, 'tz=Europe/Paris').exitCode).toBe(0);
      }
      poke(program, at, bytes[at]!);
    }
    expect([name, get(program, query).exitCode]).toEqual([name, 0]);
  }
});
