import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS } from '../../data/release.ts';

const DATA = join(import.meta.dir, '../../data');

/** The platforms of the runtimes that a release may contain, as in its file names. */
const pinned = [...readFileSync(join(DATA, 'bun.sha256'), 'utf8').matchAll(/@oven\/bun-(\S+)$/gm)].map(
  ([, name]) => name!.replace('aarch64', 'arm64'),
);

test('a release has an executable for each platform with a pinned runtime, and no other', () => {
  expect(PLATFORMS.toSorted()).toEqual(pinned.toSorted());
});

test('a release has no -baseline executable, whose bytes would be those of the others', () => {
  for (const name of [...PLATFORMS, ...pinned]) expect(name).not.toContain('baseline');
  for (const platform of ['linux-x64', 'linux-x64-musl', 'darwin-x64', 'windows-x64'])
    expect(PLATFORMS).toContain(platform);
});
