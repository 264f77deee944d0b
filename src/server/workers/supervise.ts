import { type ProcessContext, systemControl } from '../lifecycle.ts';
import { formatListenAddress, type ListenAddress } from '../listening/listen_address.ts';
import { claimAddress } from '../listening/listener.ts';
import type { ServerLog } from '../log.ts';
import { Supervisor } from './supervisor.ts';
import type { WorkerAssignment } from './worker_messages.ts';

/** Runs a server of several workers that share its ports. Returns the exit code. */
export async function supervise(
  settings: { readonly listen: readonly ListenAddress[]; readonly workers: number },
  context: ProcessContext,
  log: ServerLog,
): Promise<number> {
  const supervisor = new Supervisor(await assignments(settings), log);
  // No files to watch: only Windows needs them, where workers are not supported.
  const control = systemControl(context, () => supervisor.reload(), []);
  const lines = await Promise.race([supervisor.start(), control.stopped.then(() => [])]);
  if (lines !== null) await control.untilStop(lines, `${settings.workers} workers accept connections`);
  await supervisor.stop();
  await log.close();
  return lines === null ? 1 : 0;
}

/** Every worker serves the TCP addresses; the first one also the unix sockets, which cannot be shared. */
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
