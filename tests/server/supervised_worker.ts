/**
 * A supervisor of one worker, and that worker, which is `disconnecting` (closes its channel and keeps running, as happens
 * briefly when a supervisor is killed) or `starting` (requires API keys before it is ready).
 */
import { readAssignment } from '../../src/server/worker.ts';
import { WorkerProcess } from '../../src/server/worker_process.ts';

const READY = { kind: 'ready', lines: [], problems: [], addresses: [], admin: [] };
const isDisconnecting = process.argv.includes('disconnecting');
if (readAssignment(process.env) === null) await superviseOne();
else beWorker();

async function superviseOne(): Promise<void> {
  const assignment = { index: 0, count: 1, requiresKeys: false, listen: [] };
  const keyed = Promise.withResolvers<void>();
  const worker = new WorkerProcess(assignment, { gather: async () => [], onKeyed: keyed.resolve });
  try {
    if (isDisconnecting) {
      await worker.ready;
      await worker.collect(); // takes a second without a reply
      worker.stop(false);
    } else {
      await keyed.promise;
      console.log(`starting: ${worker.silenceMs}`);
      worker.stop(false);
      await worker.ready;
      console.log(`ready: ${worker.silenceMs > 0 ? 'more' : 0}`);
    }
  } finally {
    worker.kill();
  }
  const { signal } = await worker.exited;
  if (isDisconnecting) console.log(signal);
  process.exit();
}

function beWorker(): void {
  process.send!(isDisconnecting ? READY : { kind: 'keyed' });
  if (isDisconnecting) process.disconnect!();
  else process.on('message', () => process.send!(READY));
  setInterval(() => {}, 1000);
}
