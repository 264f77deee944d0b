/**
 * How long the largest batches block other clients: prints a JSON object by kind, in milliseconds. What is measured is the time
 * that the thread itself ran in a turn, so that the noise of the machine counts little. It is a process of its own.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi';
import { createApp } from '../../src/server/app.ts';
import { testServer } from '../http/service.ts';
import { HUNDRED_ZONES } from './scenarios.ts';

const REPETITIONS = 12;

const times = (count: number, requestOf: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => requestOf(i));

/** Batches that are as large as they can be: in requests, in entries, or in the bytes of their response. */
const BATCHES: Readonly<Record<string, readonly string[]>> = {
  '1,000 times the present': times(1000, () => '/v1/time/current?tz=Asia/Tokyo'),
  '1,000 instants': times(1000, index => `/v1/time/convert?unix=${index * 86_400}&tz=Asia/Tokyo`),
  '100 zones 150 times': times(150, index => `/v1/time/current?tz=${HUNDRED_ZONES}&nonce=${index}`),
  '8 MB of clock changes': times(40, () => '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01'),
  '8 MB of lists of zones': times(1000, index => `/v1/timezones?unix=${index * 2_592_000}`),
};

const CLOCK_THREAD_CPUTIME_ID = 3;
const { symbols } = dlopen('libc.so.6', {
  clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
});
const timespec = new BigInt64Array(2);
const address = ptr(timespec);

/** The time that this thread has run, in milliseconds. */
function ranMs(): number {
  symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, address);
  return Number(timespec[0]) * 1000 + Number(timespec[1]) / 1e6;
}

const app = createApp({ ...testServer(), now: Date.now });

async function longestTurnMs(body: string, coding: string): Promise<number> {
  let longest = 0;
  let last = ranMs();
  const turn = () => {
    const now = ranMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  let timer = setImmediate(function next() {
    turn();
    timer = setImmediate(next);
  });
  const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': coding };
  const response = await app.handle(
    new Request('http://localhost/v1/batch', { method: 'POST', headers, body }),
  );
  clearImmediate(timer);
  turn();
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return longest;
}

const figures: Record<string, number> = {};
for (const [name, requests] of Object.entries(BATCHES)) {
  const body = JSON.stringify({ requests });
  for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
    const turns: number[] = [];
    for (let repetition = 0; repetition < REPETITIONS; repetition++)
      turns.push(await longestTurnMs(body, coding));
    figures[`${name}, ${coding}`] = Math.min(...turns);
  }
}
console.log(JSON.stringify(figures));
