import type { CommandContext } from '../cli/command.ts';
import type { MetricFamily } from '../http/metrics.ts';
import type { Reloader } from './reload.ts';
import { onReloadSignal, stopSignal } from './signals.ts';
import { systemdNotifier } from './systemd_notify.ts';

/** Who tells a process that serves to reload and to stop: the system, or the supervisor of workers. */
export interface Lifecycle {
  /** The metrics of the whole server, this process included. */
  readonly gatherMetrics: () => Promise<readonly MetricFamily[]>;
  /** Tells where the server listens, now that it does, and resolves when the process shall stop. */
  readonly untilStop: (lines: readonly string[]) => Promise<void>;
}

/** What a {@link Lifecycle} has of the process that it governs. */
export interface Governed {
  readonly reloader: Reloader;
  readonly ownMetrics: () => MetricFamily[];
  /** The files that a reload reads. */
  readonly files: readonly string[];
}

/** The life of a server of one process: signals, systemd, and lines on stdout. */
export function liveAlone(context: CommandContext, { reloader, ownMetrics, files }: Governed): Lifecycle {
  const systemd = systemdNotifier(context.environment);
  const stopped = stopSignal();
  onReloadSignal(async () => {
    systemd.reloading();
    await reloader.run();
    systemd.ready('reloaded');
  }, files);
  return {
    gatherMetrics: async () => ownMetrics(),
    async untilStop(lines) {
      context.print(lines.join('\n'));
      systemd.ready('accepting connections');
      systemd.startWatchdog();
      await stopped;
      systemd.stopping();
    },
  };
}
