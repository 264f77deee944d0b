import { writeFileSync } from 'node:fs';

/** The path of the main module in a compiled executable, which is in Bun's virtual file system. */
const COMPILED_MAIN = /^(?:\/\$bunfs|[A-Z]:[\\/]~BUN)[\\/]/;

/** Internal variables, in JSON: the assignment of a worker, and the addresses of a server for a process that takes over from it. */
export const WORKER_PLACE = 'MERIDIAN_WORKER_PLACE';
export const SUCCESSION = 'MERIDIAN_SUCCESSION';

/** A command line for this program. On Linux `/proc/self/exe` is its binary even after an update has replaced the file. */
export function ownCommand(
  args: readonly string[],
  main = Bun.main,
  platform: NodeJS.Platform = process.platform,
): string[] {
  if (!COMPILED_MAIN.test(main)) return [process.execPath, main, ...args];
  return [platform === 'linux' ? '/proc/self/exe' : process.execPath, ...args];
}

/** Names this process, also if it was started as `/proc/self/exe`, so that `pgrep -x meridian` finds it. */
export function nameProcess(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/comm', 'meridian');
  } catch {
    // The name is only a convenience.
  }
}

type Program = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

/** Starts a program whose output {@link outputOf} returns. */
export function startProgram(
  command: readonly string[],
  options: Pick<Bun.Spawn.SpawnOptions<'ignore', 'pipe', 'pipe'>, 'env' | 'timeout' | 'killSignal'>,
): Program {
  return Bun.spawn([...command], { ...options, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
}

/** What a program has printed, once it has exited. */
export async function outputOf({ stdout, stderr, exited }: Program) {
  const texts = [new Response(stdout).text(), new Response(stderr).text()] as const;
  const [printed, errors] = await Promise.all([...texts, exited]);
  return { stdout: printed, stderr: errors };
}

/** The last error that a command printed. */
export function lastError(stderr: string): string {
  const [last = ''] = stderr.trimEnd().split('\n').slice(-1);
  return last.replace(/^(?:<\d>)?meridian: /, '') || 'it failed without a message';
}
