import type { CommandContext } from '../../cli/command.ts';
import { formatListenAddress, type ListenAddress } from '../listening/listen_address.ts';
import { claimAddress } from '../listening/listener.ts';
import type { ServerLog } from '../log.ts';
import { onReloadSignal, stopSignal } from '../signals.ts';
import { systemdNotifier } from '../systemd_notify.ts';
import { Supervisor } from './supervisor.ts';
import type { WorkerAssignment } from './worker_place.ts';

/** Runs a server of several workers that share its ports. Yields the exit code. */
export async function supervise(
  settings: { readonly listen: readonly ListenAddress[]; readonly workers: number },
  context: CommandContext,
  log: ServerLog,
): Promise<number> {
  const systemd = systemdNotifier(context.environment);
  const supervisor = new Supervisor(await assignments(settings), log);
  const stopped = stopSignal();
  onReloadSignal(async () => {
    systemd.reloading();
    await supervisor.reload();
    systemd.ready('reloaded');
  }, []); // Windows, which would need the files, has no workers.
  const lines = await Promise.race([supervisor.start(), stopped.then(() => [])]);
  if (lines !== null) {
    context.print(lines.join('\n'));
    systemd.ready(`${settings.workers} workers accept connections`);
    systemd.startWatchdog();
    await stopped;
    systemd.stopping();
  }
  await supervisor.stop();
  await log.close();
  return lines === null ? 1 : 0;
}

/** What each worker serves: all of them the TCP addresses, and the first one the unix sockets, which cannot be shared. */
async function assignments({
  listen,
  workers,
}: Parameters<typeof supervise>[0]): Promise<WorkerAssignment[]> {
  const addresses = await Promise.all(listen.map(claimAddress));
  return Array.from({ length: workers }, (_, index) => ({
    index: index + 1,
    count: workers,
    listen: addresses.filter(({ kind }) => kind === 'tcp' || index === 0).map(formatListenAddress),
  }));
}
