/** A supervisor of one worker that closes its channel and keeps running, as happens briefly when a supervisor is killed. */
import { readAssignment, startWorker } from '../../src/server/workers.ts';

if (readAssignment(process.env) === null) await superviseOne();
else disconnect();

async function superviseOne(): Promise<void> {
  const assignment = { index: 1, count: 1, requiresKeys: false, listen: [] };
  const worker = startWorker(assignment, { gather: async () => [], onKeyed() {} });
  try {
    await worker.ready;
    await worker.collect(); // takes a second without a reply
    worker.stop(false);
  } finally {
    worker.kill();
  }
  console.log((await worker.exited).signal);
  process.exit();
}

function disconnect(): void {
  process.send!({ kind: 'ready', lines: [], problems: [], addresses: [] });
  process.disconnect!();
  setInterval(() => {}, 1000);
}
