import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UsageError } from '../common/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that passes the assignment of a worker as JSON. Internal. */
export const WORKER_VARIABLE = 'MERIDIAN_WORKER_PLACE';

/**
 * The server's writable directory: the given one, else systemd's `STATE_DIRECTORY` (the first, if a unit has several), else
 * one under `%LOCALAPPDATA%` on Windows, or as in the XDG Base Directory Specification 0.8, which ignores relative paths.
 * @throws {UsageError} if the user has no home directory, as in a container
 */
export function stateDirectory(
  given: string | null,
  environment: Environment,
  home: () => string = homedir,
  platform: NodeJS.Platform = process.platform,
): string {
  if (given !== null) return given;
  const [fromSystemd] = (environment['STATE_DIRECTORY'] ?? '').split(':');
  if (fromSystemd) return fromSystemd;
  const fromWindows = platform === 'win32' ? environment['LOCALAPPDATA'] : undefined;
  if (fromWindows) return join(fromWindows, 'meridian');
  const fromXdg = environment['XDG_STATE_HOME'] ?? '';
  return join(isAbsolute(fromXdg) ? fromXdg : join(homeDirectory(home), '.local/state'), 'meridian');
}

function homeDirectory(home: () => string): string {
  try {
    return home();
  } catch {
    throw new UsageError('This user has no home directory: set --state-dir, where keys and usage are stored');
  }
}

/** Data that could not be reloaded, so that the old data remains in use. */
export interface ReloadFailure {
  readonly what: string;
  readonly error: string;
}

/** The result of a reload. */
export interface ReloadResult {
  readonly failures: readonly ReloadFailure[];
  /** Changed settings that require a new process. */
  readonly pending: readonly string[];
}

/**
 * The results of signals to a running server, in `reload.json` in its state directory. `meridian reload`, which systemd
 * runs, and `meridian upgrade` poll it, since a signal returns no result.
 */
export interface ServerReport extends ReloadResult {
  readonly pid: number;
  /** The numbers of reloads started and finished; the result is that of the last finished one. */
  readonly started: number;
  readonly finished: number;
  /** How many upgrades have failed, and why the last one did. After a successful one the report has another `pid`. */
  readonly failedUpgrades: number;
  readonly upgradeError: string;
}

/**
 * The program that is to take over from a server (null for the server's own), in `upgrade.json` in its state directory. The
 * server reads it on SIGUSR2.
 */
export interface UpgradeRequest {
  readonly program: string | null;
}

/** The files by which commands control a running server. */
export interface ControlPaths {
  readonly report: string;
  readonly upgrade: string;
}

/** The control files in a state directory. */
export function controlPaths(stateDirectory: string): ControlPaths {
  return { report: join(stateDirectory, 'reload.json'), upgrade: join(stateDirectory, 'upgrade.json') };
}

/** The contents of a control file; undefined if it does not exist. */
export function readControlFile<Contents extends ServerReport | UpgradeRequest>(
  path: string,
): Contents | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Contents;
  } catch {
    return undefined;
  }
}

/** Replaces a control file. Throws the system's error if it cannot be written. */
export function writeControlFile(path: string, contents: ServerReport | UpgradeRequest): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(contents), { flag: 'wx', mode: 0o600 });
  renameSync(temporary, path);
}

/** The report of a process. Throws if it is not a server with this state directory, since a signal might kill it. */
export function reportOf(pid: number, { report: path }: ControlPaths): ServerReport {
  const report = readControlFile<ServerReport>(path);
  if (report?.pid !== pid)
    throw new Error(`Process ${pid} is not a server with the state directory of ${path}`);
  return report;
}
