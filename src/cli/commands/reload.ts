import { visible } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { type ControlPaths, controlPaths, reportOf, type ServerReport } from '../../server/control_files.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import { defineCommand } from '../command.ts';
import { parseCount } from '../flag_values.ts';
import { COMMON_FLAGS } from '../flags.ts';
import { handOver } from '../hand_over.ts';

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
    const { failures, pending } = await finishedReport(pid, paths, before.started + 1);
    for (const { what, error } of failures) console.error(`meridian: ${visible(`${what}: ${error}`)}`);
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

function pidOf([text, ...rest]: readonly string[]): number {
  if (text === undefined || rest.length > 0) throw new UsageError('reload takes the process id of a server');
  if (process.platform === 'win32') {
    throw new UsageError('Windows has no SIGHUP: a server loads changed files within five seconds');
  }
  try {
    return parseCount(text);
  } catch (error) {
    throw new UsageError(`Cannot reload ${(error as Error).message}`);
  }
}

async function finishedReport(pid: number, paths: ControlPaths, number: number): Promise<ServerReport> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const report = reportOf(pid, paths);
    if (report.finished >= number) return report;
    process.kill(pid, 0); // throws if it has exited
    await Bun.sleep(POLL_MS);
  }
  throw new Error(
    `No result of the reload in ${paths.report} within ${TIMEOUT_MS / 1000} s; see the server's log`,
  );
}
