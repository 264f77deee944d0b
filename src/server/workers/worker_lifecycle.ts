import type { MetricFamily } from '../../http/metrics.ts';
import type { ControlledProcess, Lifecycle } from '../lifecycle.ts';
import type { FromWorker, ToWorker } from './worker_messages.ts';

/** The life cycle of a worker, controlled by its supervisor. The worker stops if the supervisor exits. */
export function workerLifecycle({ reloader, ownMetrics }: ControlledProcess): Lifecycle {
  const stopped = Promise.withResolvers<boolean>();
  const gathering: ((families: readonly MetricFamily[]) => void)[] = [];

  const sendMetrics = () => send({ kind: 'metrics', families: ownMetrics() });

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') stopped.resolve(message.hasSuccessor);
    else if (message.kind === 'reload')
      void reloader.run().then(({ failures, pending }) => send({ kind: 'reloaded', failures, pending }));
    else if (message.kind === 'collect') sendMetrics();
    else gathering.shift()?.(message.families);
  });
  process.on('disconnect', () => stopped.resolve(false));
  process.on('SIGTERM', () => stopped.resolve(false));
  // A terminal sends these to the whole process group; the supervisor handles them.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});

  return {
    gatherMetrics: () =>
      new Promise(resolve => {
        gathering.push(resolve);
        send({ kind: 'gather' });
      }),
    onKeyed: () => send({ kind: 'keyed' }),
    async untilStop(readiness) {
      send({ kind: 'ready', ...readiness });
      const hasSuccessor = await stopped.promise;
      sendMetrics(); // counts since the last collection
      return hasSuccessor;
    },
  };
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
