import { type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { dayOf } from './key_folder.ts';

const PROGRAM = new URL('rotating_process.ts', import.meta.url).pathname;

/** A process that rotates a folder's keys. */
export interface Rotating {
  /** Its output so far: a `kid` for each key that became active. */
  readonly lines: string[];
  /** Resolves when it has printed its first line, or has exited without one. */
  readonly begun: Promise<void>;
  /** Resolves when it has exited and all its output is in `lines`. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** Starts `count` rotations, one per day from `date` on; `command` replaces the way the program is run. */
export function startRotating(
  folder: string,
  date: string,
  count: number,
  command: (argv: string[]) => string[] = argv => argv,
  options: SpawnOptions = {},
): Rotating {
  const [program = '', ...argv] = command([process.execPath, PROGRAM, folder, `${dayOf(date)}`, `${count}`]);
  const child = spawn(program, argv, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout! }); // stdio is a pipe
  reader.on('line', line => lines.push(line));
  const closed = new Promise<void>(resolve => reader.once('close', () => resolve()));
  const begun = new Promise<void>(resolve => reader.once('line', () => resolve()));
  return {
    lines,
    begun: Promise.race([begun, closed]),
    ended: closed,
    kill: () => child.kill('SIGKILL'),
  };
}
