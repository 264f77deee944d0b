import { formatListenAddress, type ListenAddress } from './listen_address.ts';
import type { Environment } from './state_directory.ts';

/** The information passed to a process that takes over from a serving one. */
export interface Succession {
  /** The process that is still serving. */
  readonly pid: number;
  /** The addresses that it serves, in the syntax of `--listen`, with actual ports. */
  readonly addresses: readonly string[];
}

/** The environment variable that passes a {@link Succession} as JSON. Internal. */
const VARIABLE = 'MERIDIAN_SUCCESSION';

/** A successor that is not ready within this time is killed. Less than the 90 s that systemd waits for a reload. */
const READY_TIMEOUT_MS = 60_000;

/** The succession of this process; null if it has no predecessor. */
export function readSuccession(environment: Environment): Succession | null {
  const text = environment[VARIABLE];
  return text === undefined ? null : (JSON.parse(text) as Succession);
}

/** The predecessor's address for a setting, with its actual port if the setting has port 0; null if it does not serve it. */
export function inheritedAddress(
  address: ListenAddress,
  succession: Succession | null,
): ListenAddress | null {
  for (const text of succession?.addresses ?? []) {
    if (text === formatListenAddress(address)) return address;
    const isOpen = address.kind === 'tcp' && address.port === 0;
    const port = isOpen ? portOf(text, address) : undefined;
    if (isOpen && port !== undefined) return { ...address, port };
  }
  return null;
}

/** The port of an address in the syntax of `--listen`, if its host is the same as another's. */
function portOf(text: string, address: ListenAddress & { readonly kind: 'tcp' }): number | undefined {
  const prefix = formatListenAddress(address).replace(/0$/, '');
  return text.startsWith(prefix) ? Number(text.slice(prefix.length)) : undefined;
}

/** Reports to the predecessor, if any, that this process is serving. */
export function reportSuccession(environment: Environment): void {
  if (environment[VARIABLE] === undefined || process.send === undefined) return;
  process.send({ kind: 'ready' });
  process.disconnect?.();
}

/** A command line for this program. `/proc/self/exe` is its binary even after an update has replaced the file. */
export function ownCommand(args: readonly string[]): string[] {
  const isCompiled = Bun.main.startsWith('/$bunfs/');
  return isCompiled ? ['/proc/self/exe', ...args] : [process.execPath, Bun.main, ...args];
}

/**
 * Starts a program as this process's successor, with the same arguments, if its own `check` finds no fault. Returns the
 * successor's process id once it is serving. `addresses` are those of this process.
 * @throws {Error} if the successor fails, or if this process is stopped first; the successor has then been terminated
 */
export async function startSuccessor(
  command: readonly string[],
  addresses: readonly string[],
  stopped: Promise<void>,
): Promise<number> {
  const args = process.argv.slice(2);
  const succession: Succession = { pid: process.pid, addresses };
  // The watchdog's variable names the process that systemd started.
  const env = { ...process.env, WATCHDOG_PID: undefined, [VARIABLE]: JSON.stringify(succession) };
  await check([...command, 'check', ...args.filter((arg, index) => index > 0 || arg !== 'serve')], env);
  const ready = Promise.withResolvers<'ready' | 'exited' | 'stopped' | 'late'>();
  const child = Bun.spawn([...command, ...args], {
    env,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    serialization: 'json', // the successor may be built with a different Bun release
    ipc: () => ready.resolve('ready'),
    onExit: () => ready.resolve('exited'),
  });
  void stopped.then(() => ready.resolve('stopped'));
  const timeout = setTimeout(() => ready.resolve('late'), READY_TIMEOUT_MS);
  const outcome = await ready.promise;
  clearTimeout(timeout);
  if (outcome === 'ready') {
    child.unref();
    return child.pid;
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

async function check(command: readonly string[], env: Record<string, string | undefined>): Promise<void> {
  const child = Bun.spawn([...command], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const timeout = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS);
  const { stdout, stderr } = await outputOf(child);
  clearTimeout(timeout);
  if (child.exitCode !== 0)
    throw new Error(`its check failed: ${(stderr.trim() || stdout.trim()).split('\n')[0]}`);
}

/** What a process has printed, once it has exited. */
export async function outputOf({ stdout, stderr, exited }: Bun.Subprocess<'ignore', 'pipe', 'pipe'>) {
  const [printed, errors] = await Promise.all([
    new Response(stdout).text(),
    new Response(stderr).text(),
    exited,
  ]);
  return { stdout: printed, stderr: errors };
}
