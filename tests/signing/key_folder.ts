import { type SpawnOptions, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MS_PER_DAY } from '../../src/common/civil.ts';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { newFolder } from '../support/process.ts';

/** A path in an empty folder. */
export function freshPath(name = 'signing-keys'): string {
  return join(newFolder(), name);
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
  return (await new KeyDirectory(path).read()).map(({ kid }) => kid);
}

/** The sorted file names in a folder. */
export function filesIn(path: string): string[] {
  return readdirSync(path).sort();
}

const PROGRAM = new URL('rotating_process.ts', import.meta.url).pathname;

/** A process that rotates a folder's keys. */
export type Rotating = ReturnType<typeof startRotating>;

/** Starts `count` rotations, one per day from `date` on; `command` replaces the way the program is run. */
export function startRotating(
  folder: string,
  date: string,
  count: number,
  command: (argv: string[]) => string[] = argv => argv,
  options: SpawnOptions = {},
) {
  const [program = '', ...argv] = command([process.execPath, PROGRAM, folder, `${dayOf(date)}`, `${count}`]);
  const child = spawn(program, argv, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout! }); // stdio is a pipe
  reader.on('line', line => lines.push(line));
  const closed = new Promise<void>(resolve => reader.once('close', () => resolve()));
  const begun = new Promise<void>(resolve => reader.once('line', () => resolve()));
  return {
    /** Its output so far: a `kid` for each key that became active. */
    lines,
    /** Resolves when it has printed its first line, or has exited without one. */
    begun: Promise.race([begun, closed]),
    /** Resolves when it has exited and all its output is in `lines`. */
    ended: closed,
    kill: () => child.kill('SIGKILL'),
  };
}
