import { visible } from '../common/message_of.ts';
import {
  type ControlPaths,
  readControlFile,
  reportOf,
  type ServerReport,
  type UpgradeRequest,
  writeControlFile,
} from '../server/control_files.ts';

const POLL_MS = 20;
/** Longer than the server waits for its successor's check and readiness. */
const TIMEOUT_MS = 130_000;

/**
 * Makes a server hand over to another process, and returns that process's id.
 * @throws {Error} if the hand-over fails and the server continues
 */
export async function handOver(pid: number, request: UpgradeRequest, paths: ControlPaths): Promise<number> {
  const before = reportOf(pid, paths);
  writeControlFile(paths.upgrade, request);
  process.kill(pid, 'SIGUSR2');
  const after = await reportAfter(before, paths);
  if (after.pid === pid) throw new Error(`The server has not handed over: ${visible(after.upgradeError)}`);
  return after.pid;
}

/** The next report: from a successor, or about a failed upgrade. */
async function reportAfter(before: ServerReport, { report: path }: ControlPaths): Promise<ServerReport> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const report = readControlFile<ServerReport>(path) ?? before;
    if (report.pid !== before.pid || report.failedUpgrades > before.failedUpgrades) return report;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(`No result of the upgrade in ${path} within ${TIMEOUT_MS / 1000} s; see the server's log`);
}
