import { afterAll } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';

const MS_PER_DAY = 86_400_000;
/** Temporary folders, removed after the test file. */
export interface TemporaryFolders {
  /** A path in an empty folder. */
  freshPath(name?: string): string;
  /** An empty 64 KiB file system, or undefined if mounting is not possible. */
  smallDisk(): string | undefined;
}

/** Call this once at the top of a test file: everything it creates is removed after the file's tests. */
export function temporaryFolders(): TemporaryFolders {
  const made: string[] = [];
  const mounted: string[] = [];
  afterAll(() => {
    for (const disk of mounted) spawnSync('umount', [disk]);
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  const freshPath = (name = 'signing-keys'): string => {
    const folder = mkdtempSync(join(tmpdir(), 'meridian-keys-'));
    made.push(folder);
    return join(folder, name);
  };
  const smallDisk = (): string | undefined => {
    const path = freshPath('disk');
    mkdirSync(path);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', path]);
    if (status !== 0) return undefined;
    mounted.push(path);
    return path;
  };
  return { freshPath, smallDisk };
}

/** The instant of a UTC date in milliseconds. */
export function at(date: string): number {
  return Date.parse(`${date}T12:00:00Z`);
}

/** The day number of a UTC date. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / MS_PER_DAY;
}

/** The `kid`s of a store, newest first, as read by a newly started process. */
export async function kidsIn(path: string): Promise<string[]> {
  return (await new KeyDirectory(path).load()).map(({ kid }) => kid);
}

/** The sorted file names in a folder. */
export function filesIn(path: string): string[] {
  return readdirSync(path).sort();
}
