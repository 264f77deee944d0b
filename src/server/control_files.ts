import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { parseChecked } from '../common/checked_json.ts';
import { fileExists, replaceFileSync } from '../common/state_files.ts';

const Report = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  /** The numbers of reloads started and finished; the result is that of the last finished one. */
  started: Type.Integer(),
  finished: Type.Integer(),
  failures: Type.Array(Type.Object({ what: Type.String(), error: Type.String() })),
  /** Changed settings that require a new process. */
  pending: Type.Array(Type.String()),
  /** How many upgrades have failed, and why the last one did. After a successful one the report has another `pid`. */
  failedUpgrades: Type.Integer(),
  upgradeError: Type.String(),
});

/**
 * The results of signals to a running server, in `reload.json` in its state directory. `meridian reload`, which systemd
 * runs, and `meridian upgrade` poll it, since a signal returns no result.
 */
export type ServerReport = Static<typeof Report>;

/** The result of a reload. */
export type ReloadResult = Pick<ServerReport, 'failures' | 'pending'>;

/** Data that could not be reloaded, so that the old data remains in use. */
export type ReloadFailure = ReloadResult['failures'][number];

const Upgrade = Type.Object({ program: Type.Union([Type.String(), Type.Null()]) });

/**
 * The program that is to take over from a server (null for the server's own), in `upgrade.json` in its state directory. The
 * server reads it on SIGUSR2.
 */
export type UpgradeRequest = Static<typeof Upgrade>;

/** The files in a state directory by which commands control a running server. */
export function controlPaths(stateDirectory: string) {
  return { report: join(stateDirectory, 'reload.json'), upgrade: join(stateDirectory, 'upgrade.json') };
}

export type ControlPaths = Readonly<ReturnType<typeof controlPaths>>;

/** The last report in a file; undefined if it does not exist. Throws an Error if it is damaged or cannot be read. */
export function readServerReport(path: string): ServerReport | undefined {
  return fileExists(path) ? parseChecked(Report, readFileSync(path, 'utf8'), path) : undefined;
}

/** The last request in a file, like {@link readServerReport}. */
export function readUpgradeRequest(path: string): UpgradeRequest | undefined {
  return fileExists(path) ? parseChecked(Upgrade, readFileSync(path, 'utf8'), path) : undefined;
}

/** Replaces a control file. Throws the system's error if it cannot be written. */
export function writeControlFile(path: string, contents: ServerReport | UpgradeRequest): void {
  replaceFileSync(path, JSON.stringify(contents));
}

/** The report of a process. Throws if it is not a server with this state directory, since a signal might kill it. */
export function reportOf(pid: number, { report: path }: ControlPaths): ServerReport {
  const report = readServerReport(path);
  if (report?.pid !== pid)
    throw new Error(`Process ${pid} is not a server with the state directory of ${path}`);
  return report;
}
