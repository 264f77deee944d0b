import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** The files in a state directory by which commands control a running server. */
export function controlPaths(stateDirectory: string) {
  return { report: join(stateDirectory, 'reload.json'), upgrade: join(stateDirectory, 'upgrade.json') };
}

export type ControlPaths = Readonly<ReturnType<typeof controlPaths>>;

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
