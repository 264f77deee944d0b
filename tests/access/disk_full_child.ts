/**
 * Run by `disk_full.test.ts` on a small file system. Fills it, records the store's behaviour, makes room, and records it
 * again. Prints one line of JSON.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addKey, authoriseOften, control, NOW_MS, openStore, quiet } from './control.ts';

const folder = process.argv[2]!;
const MONTH = 2026 * 12 + 10;
const KEYS = 200;

const store = openStore(folder);
const keys = Array.from({ length: KEYS }, (_, number) => addKey(store, number));
const { access, log } = control(folder);

/** Sends a request with every key. */
async function sendAll(): Promise<number> {
  let granted = 0;
  for (const { key } of keys) granted += (await authoriseOften(access, key, 1)).counts['granted'] ?? 0;
  return granted;
}

async function seconds(from: number, to: number): Promise<void> {
  for (let second = from; second <= to; second++) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
}

const filler = join(folder, 'filler');
for (const bytes of [65_536, 4096, 512, 64, 1]) {
  try {
    for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
  } catch {
    // Not even a little fits any more.
  }
}

const grantedWhileFull = await sendAll();
await seconds(1, 3);
let refusal = '';
let added = 0;
try {
  for (; added < 55; added++) addKey(store, KEYS + added);
} catch (error) {
  refusal = String(error);
}
const [problem, logWhileFull] = [access.problem('usage'), [...log]];
rmSync(filler);
const grantedAfter = await sendAll();
await seconds(4, 5);
await access.stop();
const used = keys.map(({ id }) => store.used(id, MONTH));
const reopened = openStore(folder).keys().length;
console.log(
  JSON.stringify({
    grantedWhileFull,
    refusal,
    problem,
    logWhileFull,
    grantedAfter,
    log,
    used,
    missing: KEYS + added - reopened,
  }),
);
