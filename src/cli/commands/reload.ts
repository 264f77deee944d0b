import { resolve } from 'node:path';
import { messageOf, UsageError, visible } from '../../common/errors.ts';
import {
  type ControlPaths,
  controlPaths,
  readServerReport,
  reportOf,
  type UpgradeRequest,
  writeControlFile,
} from '../../server/control_files.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import { defineCommand, note } from '../command.ts';
import { COMMON_FLAGS, parseCount, type SettingsOf, toggle } from '../flags.ts';
import { RELEASE_FLAGS, readSignedSums, sha256OfFile } from './verify.ts';

const POLL_MS = 20;
/** Less than systemd's default timeout of 90 s. */
const TIMEOUT_MS = 60_000;

export const reloadCommand = defineCommand({
  name: 'reload',
  synopsis: 'PID [flags]',
  summary: 'reload the files and settings of a running server; exit 1 if one cannot be used',
  flags: COMMON_FLAGS,
  usesState: true,
  takesOperands: true,
  async run({ settings, operands }, { environment, print }) {
    const pid = pidOf(operands);
    const paths = controlPaths(stateDirectory(settings['state-dir'], environment));
    const before = reportOf(pid, paths);
    process.kill(pid, 'SIGHUP');
    // Reloads are numbered: one that starts after `before` was read sees the current files.
    const number = before.started + 1;
    const { failures, pending } = await awaited(
      `No result of the reload in ${paths.report}`,
      TIMEOUT_MS,
      () => {
        const report = reportOf(pid, paths);
        if (report.finished >= number) return report;
        process.kill(pid, 0); // throws if it has exited
        return undefined;
      },
    );
    for (const { what, error } of failures) note(`${what}: ${error}`);
    if (failures.length > 0) {
      print('reload failed; the previous data remains in use');
      return 1;
    }
    print('reloaded');
    // On other systems two processes cannot share a port: the log and /readyz name the settings that require a restart.
    if (pending.length > 0 && process.platform === 'linux') {
      const successor = await handOver(pid, { program: null }, paths);
      print(`process ${successor} has taken over to apply ${pending.join(', ')}`);
    }
    return 0;
  },
});

function pidOf(operands: readonly string[]): number {
  if (operands.length !== 1) throw new UsageError('reload takes the process id of a server');
  if (process.platform === 'win32')
    throw new UsageError('Windows has no SIGHUP: a server loads changed files within five seconds');
  try {
    return parseCount(operands[0]!);
  } catch (error) {
    throw new UsageError(`Cannot reload ${messageOf(error)}`);
  }
}

/** Polls until `read` returns a result. @throws {Error} that begins with `problem` after a timeout */
async function awaited<Result>(
  problem: string,
  timeoutMs: number,
  read: () => Result | undefined,
): Promise<Result> {
  for (const deadlineMs = performance.now() + timeoutMs; performance.now() < deadlineMs; ) {
    const result = read();
    if (result !== undefined) return result;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(`${problem} within ${timeoutMs / 1000} s; see the server's log`);
}

/** Longer than the server waits for its successor's check and readiness. */
const UPGRADE_TIMEOUT_MS = 130_000;

/**
 * Makes a server hand over to another process, and returns that process's id.
 * @throws {Error} if the hand-over fails and the server continues
 */
export async function handOver(pid: number, request: UpgradeRequest, paths: ControlPaths): Promise<number> {
  const before = reportOf(pid, paths);
  writeControlFile(paths.upgrade, request);
  process.kill(pid, 'SIGUSR2');
  // From a successor, or about a failed upgrade.
  const after = await awaited(`No result of the upgrade in ${paths.report}`, UPGRADE_TIMEOUT_MS, () => {
    const report = readServerReport(paths.report) ?? before;
    return report.pid !== pid || report.failedUpgrades > before.failedUpgrades ? report : undefined;
  });
  if (after.pid === pid) throw new Error(`The server has not handed over: ${visible(after.upgradeError)}`);
  return after.pid;
}

const UPGRADE_FLAGS = {
  ...RELEASE_FLAGS,
  'public-key': { ...RELEASE_FLAGS['public-key'], fallbackText: 'required, or --unsigned' },
  unsigned: toggle('accept an executable verified in another way'),
} as const;

const UNVERIFIED =
  'upgrade verifies the executable: use --public-key and --sums, or --unsigned if it has been verified already, such as by a package manager';

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  synopsis: 'FILE [flags]',
  summary: 'have a new executable take over from the running server, without downtime',
  flags: UPGRADE_FLAGS,
  usesState: true,
  takesOperands: true,
  async run({ settings, operands }, { environment, print }) {
    if (process.platform !== 'linux') throw new UsageError('upgrade works on Linux only: restart the server');
    if (operands.length !== 1) throw new UsageError('upgrade takes the path of an executable');
    const program = resolve(operands[0]!);
    await verify(program, settings, print);
    const paths = controlPaths(stateDirectory(settings['state-dir'], environment));
    const pid = readServerReport(paths.report)?.pid;
    if (pid === undefined) throw new Error(`No server with the state directory of ${paths.report}`);
    const successor = await handOver(pid, { program }, paths);
    print(`process ${successor} has taken over from process ${pid}`);
    return 0;
  },
});

/** Verifies that the executable is part of a release, under any name. */
async function verify(
  program: string,
  { 'public-key': keyFile, sums, unsigned }: SettingsOf<typeof UPGRADE_FLAGS>,
  print: (text: string) => void,
): Promise<void> {
  if (unsigned) return;
  if (keyFile === null) throw new UsageError(UNVERIFIED);
  const signed = await readSignedSums(sums, keyFile, print);
  const digest = await sha256OfFile(program);
  if (![...signed.values()].includes(digest))
    throw new Error(`The SHA-256 of ${program} is not in ${sums}: ${digest}`);
}
