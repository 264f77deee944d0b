import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, UsageError, visible } from '../../common/errors.ts';
import {
  type ControlFiles,
  isRunning,
  readServerReport,
  runningServers,
  type ServerReport,
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
    const directory = stateDirectory(settings['state-dir'], environment);
    const servers = runningServers(directory);
    const server = servers.find(each => each.pid === pid);
    if (server === undefined) {
      const pids = servers.map(each => each.pid).join(', ');
      const others = pids === '' ? 'no server is running' : `running: ${pids}`;
      throw new Error(`Process ${pid} is not a server with the state directory ${directory}; ${others}`);
    }
    const { failures, pending } = await resultOf(
      { signal: 'SIGHUP', timeoutMs: TIMEOUT_MS },
      server,
      // Reloads are numbered: one that starts after `before` was read sees the current files.
      ({ finished }, before) => finished > before.started,
    );
    for (const { what, error } of failures) note(`${what}: ${error}`);
    if (failures.length > 0) {
      print('reload failed; the previous data remains in use');
      return 1;
    }
    print('reloaded');
    // On other systems two processes cannot share a port: the log and /readyz name the settings that require a restart.
    if (pending.length > 0 && process.platform === 'linux') {
      const successor = await handOver(server, { program: null });
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

/**
 * Signals a server, and polls until its report has a result. `before` is the report from before the signal.
 * @throws {Error} if the server ends first, or after a timeout
 */
async function resultOf(
  { signal, timeoutMs }: { readonly signal: 'SIGHUP' | 'SIGUSR2'; readonly timeoutMs: number },
  server: ControlFiles,
  hasResult: (report: ServerReport, before: ServerReport) => boolean,
): Promise<ServerReport> {
  const ended = `No server is running: process ${server.pid} has ended`;
  const before = readServerReport(server.report);
  if (before === undefined || !isRunning(server)) throw new Error(ended);
  process.kill(server.pid, signal);
  for (const deadlineMs = performance.now() + timeoutMs; performance.now() < deadlineMs; ) {
    const hasEnded = !isRunning(server);
    const report = readServerReport(server.report) ?? before;
    if (hasResult(report, before)) return report;
    if (hasEnded) throw new Error(ended);
    await Bun.sleep(POLL_MS);
  }
  throw new Error(`No result in ${server.report} within ${timeoutMs / 1000} s; see the server's log`);
}

/** Longer than the server waits for its successor's check and readiness. */
const UPGRADE_TIMEOUT_MS = 130_000;

/**
 * Makes a server hand over to another process, and returns that process's id.
 * @throws {Error} with the process id of the server, if the hand-over fails and the server continues
 */
async function handOver(server: ControlFiles, request: UpgradeRequest): Promise<number> {
  // The report of a server of an older version is replaced by that of its successor.
  const successorIn = ({ pid, successor }: ServerReport) => (pid === server.pid ? successor : pid);
  try {
    writeControlFile(server.upgrade, request);
    const report = await resultOf(
      { signal: 'SIGUSR2', timeoutMs: UPGRADE_TIMEOUT_MS },
      server,
      (after, before) => successorIn(after) !== undefined || after.failedUpgrades > before.failedUpgrades,
    );
    const successor = successorIn(report);
    if (successor === undefined) throw new Error(visible(report.upgradeError));
    return successor;
  } catch (error) {
    throw new Error(`Process ${server.pid} has not handed over: ${messageOf(error)}`);
  } finally {
    rmSync(server.upgrade, { force: true });
  }
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
    const directory = stateDirectory(settings['state-dir'], environment);
    const servers = runningServers(directory);
    if (servers.length === 0) throw new Error(`No server is running with the state directory ${directory}`);
    let exitCode = 0;
    for (const server of servers) {
      try {
        const successor = await handOver(server, { program });
        print(`process ${successor} has taken over from process ${server.pid}`);
      } catch (error) {
        note(messageOf(error));
        exitCode = 1;
      }
    }
    return exitCode;
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
