import { messageOf } from '../common/errors.ts';
import { NO_SOCKET } from './lossless_close.ts';
import { outputOf, SUCCESSION, startProgram } from './programs.ts';
import type { Environment } from './state_directory.ts';

/** A successor that is not ready within this time is killed. Less than the 90 s that systemd waits for a reload. */
const READY_TIMEOUT_MS = 60_000;

/** Why a program cannot be started, by system error code, for which Bun has no better words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOEXEC: 'it is not an executable for this system (ENOEXEC)',
  ENOENT: 'it or its interpreter does not exist (ENOENT)',
  EACCES: 'permission denied (EACCES)',
};

/** The addresses of a server in the order of its settings, in the syntax of `--listen`, with actual ports. */
export interface ServedAddresses {
  readonly addresses: readonly string[];
  /** Those among them that serve the operator's app. */
  readonly admin: readonly string[];
}

/** The addresses of this process's predecessor; none without one. An older version does not tell which are the operator's. */
export function inheritedAddresses(environment: Environment): ServedAddresses {
  return { addresses: [], admin: [], ...JSON.parse(environment[SUCCESSION] ?? '{}') };
}

/** Reports to the predecessor, if any, that this process is serving, with this number of workers. */
export function reportSuccession(environment: Environment, workers: number): void {
  if (environment[SUCCESSION] === undefined || process.send === undefined) return;
  process.send({ kind: 'ready', workers });
  process.disconnect?.();
}

/**
 * Starts a program as this process's successor, with the same arguments, if its own `check` finds no fault. Returns the
 * successor's process id and number of workers once it is serving. `served` are the addresses of this process.
 * @throws {Error} if the successor fails, or if this process is stopped first; the successor has then been terminated
 */
export async function startSuccessor(
  command: readonly string[],
  served: ServedAddresses,
  stopped: Promise<void>,
): Promise<{ readonly pid: number; readonly workers: number }> {
  const args = process.argv.slice(2);
  // The watchdog's variable names the process that systemd started.
  const env = { ...process.env, WATCHDOG_PID: undefined, [SUCCESSION]: JSON.stringify(served) };
  await check(
    command,
    args.filter((arg, index) => index > 0 || arg !== 'serve'),
    env,
  );
  const ready = Promise.withResolvers<{ readonly workers: number } | 'exited' | 'stopped' | 'late'>();
  const child = Bun.spawn([...command, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'json', // the successor may be built with a different Bun release
    // An older version does not tell; with this number, new connections are not steered to its sockets.
    ipc: ({ workers = NO_SOCKET }) => ready.resolve({ workers }),
    onExit: () => ready.resolve('exited'),
  });
  void stopped.then(() => ready.resolve('stopped'));
  const timeout = setTimeout(() => ready.resolve('late'), READY_TIMEOUT_MS);
  const outcome = await ready.promise;
  clearTimeout(timeout);
  if (typeof outcome === 'object') {
    child.unref();
    return { pid: child.pid, ...outcome };
  }
  child.kill('SIGKILL');
  throw new Error(
    {
      exited: `it exited with ${child.exitCode ?? child.signalCode}, see the log`,
      late: `it was not ready within ${READY_TIMEOUT_MS / 1000} s`,
      stopped: 'this process was stopped before it was ready',
    }[outcome],
  );
}

async function check(
  command: readonly string[],
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<void> {
  const options = { env, timeout: READY_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  let child: ReturnType<typeof startProgram>;
  try {
    child = startProgram([...command, 'check', ...args], options);
  } catch (error) {
    const { code = messageOf(error) } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot run ${command[0]}: ${REASONS[code] ?? code}`);
  }
  const { stdout, stderr } = await outputOf(child);
  if (child.exitCode === 0) return;
  const [reason] = (stderr.trim() || stdout.trim()).split('\n');
  throw new Error(
    `its check failed: ${reason || `${command[0]} ended with ${child.exitCode ?? child.signalCode}`}`,
  );
}
