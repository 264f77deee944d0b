import type { MetricFamily } from '../../http/metrics.ts';
import type { Governed, Lifecycle } from '../lifecycle.ts';
import { type FromWorker, SIGN_OF_LIFE_MS, type ToWorker } from './worker_messages.ts';

/** The life of a worker: its supervisor tells it what to do, and it ends with its supervisor. */
export function liveAsWorker({ reloader, ownMetrics }: Governed): Lifecycle {
  const stopped = Promise.withResolvers<void>();
  const gathering = new Map<number, (families: readonly MetricFamily[]) => void>();
  let lastId = 0;

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') stopped.resolve();
    else if (message.kind === 'reload') void reloader.run().then(() => tell({ kind: 'reloaded' }));
    else if (message.kind === 'collect') tell({ kind: 'metrics', id: message.id, families: ownMetrics() });
    else {
      gathering.get(message.id)?.(message.families);
      gathering.delete(message.id);
    }
  });
  process.on('disconnect', () => stopped.resolve());
  process.on('SIGTERM', () => stopped.resolve());
  // A terminal sends these to all processes; the supervisor passes on what they mean.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});

  return {
    gatherMetrics: () =>
      new Promise(resolve => {
        lastId++;
        gathering.set(lastId, resolve);
        tell({ kind: 'gather', id: lastId });
      }),
    async untilStop(lines) {
      tell({ kind: 'ready', lines });
      const signs = setInterval(() => {
        tell({ kind: 'metrics', id: null, families: ownMetrics() });
      }, SIGN_OF_LIFE_MS);
      await stopped.promise;
      clearInterval(signs);
      // What was counted since the last sign of life is not lost.
      tell({ kind: 'metrics', id: null, families: ownMetrics() });
    },
  };
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
