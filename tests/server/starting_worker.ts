/** A supervisor of one worker that requires API keys before it is ready. */
import { readAssignment, startWorker } from '../../src/server/workers.ts';

if (readAssignment(process.env) === null) await superviseOne();
else start();

async function superviseOne(): Promise<void> {
  const assignment = { index: 1, count: 1, requiresKeys: false, listen: [] };
  const keyed = Promise.withResolvers<void>();
  const worker = startWorker(assignment, { gather: async () => [], onKeyed: keyed.resolve });
  try {
    await keyed.promise;
    console.log(`starting: ${worker.silenceMs}`);
    worker.stop(false);
    await worker.ready;
    console.log(`ready: ${worker.silenceMs > 0 ? 'more' : 0}`);
  } finally {
    worker.kill();
  }
  await worker.exited;
  process.exit();
}

function start(): void {
  process.send!({ kind: 'keyed' });
  process.on('message', () => process.send!({ kind: 'ready', lines: [], problems: [], addresses: [] }));
}
