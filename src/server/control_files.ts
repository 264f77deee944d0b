import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReloadFailure } from './reload.ts';

/**
 * What a running server did for signals, in `reload.json` of its state directory: `meridian reload`, which systemd runs, and
 * `meridian upgrade` wait there for the result. A signal alone has none.
 */
export interface ServerReport {
  readonly pid: number;
  /** How many reloads have been started and finished. */
  readonly started: number;
  readonly finished: number;
  /** The failures of the last finished one, and the settings that it could not apply. */
  readonly failures: readonly ReloadFailure[];
  readonly pending: readonly string[];
  /** How many upgrades have failed, and why the last one did. One that succeeds has a report with another `pid`. */
  readonly failedUpgrades: number;
  readonly upgradeError: string;
}

/**
 * The program that shall take over from a server, null for its own, in `upgrade.json` of its state directory, which it reads on
 * SIGUSR2.
 */
export interface UpgradeRequest {
  readonly program: string | null;
}

/** The files by which commands control a running server. */
export interface ControlPaths {
  readonly report: string;
  readonly upgrade: string;
}

/** Where they are. */
export function controlPaths(stateDirectory: string): ControlPaths {
  return { report: join(stateDirectory, 'reload.json'), upgrade: join(stateDirectory, 'upgrade.json') };
}

/** The contents of such a file; undefined if there is none. */
export function readControlFile<Contents extends ServerReport | UpgradeRequest>(
  path: string,
): Contents | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Contents;
  } catch {
    return undefined;
  }
}

/** Replaces such a file. Throws the system's error if it cannot be written. */
export function writeControlFile(path: string, contents: ServerReport | UpgradeRequest): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(contents), { flag: 'wx', mode: 0o600 });
  renameSync(temporary, path);
}

/** The report of a process. Throws for one that is not a server with this state directory, which a signal might kill. */
export function reportOf(pid: number, { report: path }: ControlPaths): ServerReport {
  const report = readControlFile<ServerReport>(path);
  if (report?.pid !== pid)
    throw new Error(`Process ${pid} is not a server with the state directory of ${path}`);
  return report;
}
