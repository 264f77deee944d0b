import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReloadFailure } from './reload.ts';

/**
 * The reloads of a running server, in `reload.json` of its state directory: `meridian reload`, which systemd runs, waits there
 * for their result. A signal alone has none.
 */
export interface ReloadReport {
  readonly pid: number;
  /** How many reloads have been started and finished. */
  readonly started: number;
  readonly finished: number;
  /** The failures of the last finished one. */
  readonly failures: readonly ReloadFailure[];
}

/** Where the report is. */
export function reloadReportPath(stateDirectory: string): string {
  return join(stateDirectory, 'reload.json');
}

/** The report of a server; undefined if there is none. */
export function readReloadReport(path: string): ReloadReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ReloadReport;
  } catch {
    return undefined;
  }
}

/** Replaces the report. Throws the system's error if it cannot be written. */
export function writeReloadReport(path: string, report: ReloadReport): void {
  const temporary = `${path}.${report.pid}.tmp`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(report), { flag: 'wx', mode: 0o600 });
  renameSync(temporary, path);
}
