/**
 * A supervisor of one worker, and that worker, which is `disconnecting` (closes its channel and keeps running, like briefly
 * after its supervisor's end), `starting` (requires API keys before it is ready) or `hanging` (twice it is never ready).
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEventLog } from '../../src/server/log.ts';
import { Workers } from '../../src/server/supervisor.ts';
import { readAssignment } from '../../src/server/worker.ts';
import { WorkerProcess } from '../../src/server/worker_process.ts';

const READY = { kind: 'ready', lines: [], problems: [], addresses: [], admin: [] };
const ASSIGNMENT = { index: 0, count: 1, requiresKeys: false, listen: [] };
const [mode, folder = ''] = process.argv.slice(2);
if (readAssignment(process.env) !== null) beWorker();
else if (mode === 'hanging') await superviseHanging();
else await superviseOne();

/** Prints how the reload ends, and what is logged from the death of the first worker until one replaces it. */
async function superviseHanging(): Promise<void> {
  const replaced = Promise.withResolvers<void>();
  let diedMs = 0;
  const log = createEventLog('info', 'json', line => {
    const { message } = JSON.parse(line);
    console.log(message);
    if (message === 'worker died') diedMs = performance.now();
    if (message === 'worker replaced') replaced.resolve();
  });
  const workers = new Workers(log, { startingMs: 3000, checkMs: 1000, stableMs: 1000, firstDelayMs: 50 });
  await workers.start([ASSIGNMENT]);
  process.kill(Number(readdirSync(folder)[0]), 'SIGKILL');
  while (readdirSync(folder).length < 2) await Bun.sleep(1);
  console.log(`reloaded: ${(await workers.reload()).failures.length} failures`);
  await replaced.promise;
  console.log(`backed off: ${performance.now() - diedMs >= 200}`); // not 50 ms, as after a crash of a stable one
  await workers.stop(null);
  process.exit();
}

async function superviseOne(): Promise<void> {
  const keyed = Promise.withResolvers<void>();
  const worker = new WorkerProcess(ASSIGNMENT, { gather: async () => [], onKeyed: keyed.resolve });
  try {
    if (mode === 'disconnecting') {
      await worker.ready;
      await worker.collect(); // takes a second without a reply
      worker.stop(null);
    } else {
      await keyed.promise;
      console.log(`starting: ${worker.silenceMs}`);
      worker.stop(null);
      await worker.ready;
      console.log(`ready: ${worker.silenceMs > 0 ? 'more' : 0}`);
    }
  } finally {
    worker.kill();
  }
  const { signal } = await worker.exited;
  if (mode === 'disconnecting') console.log(signal);
  process.exit();
}

function beWorker(): void {
  if (mode === 'hanging') {
    const earlier = readdirSync(folder).length;
    writeFileSync(join(folder, `${process.pid}`), '');
    process.on('message', ({ kind }: { readonly kind: string }) => kind === 'stop' && process.exit());
    if (earlier !== 1 && earlier !== 2) process.send!(READY);
  } else {
    process.send!(mode === 'disconnecting' ? READY : { kind: 'keyed' });
    if (mode === 'disconnecting') process.disconnect!();
    else process.on('message', () => process.send!(READY));
  }
  setInterval(() => {}, 1000);
}
