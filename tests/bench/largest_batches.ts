/**
 * How long the largest batches block other clients: prints a JSON object by kind, in milliseconds, from a separate process.
 * Measures the CPU time of the thread in a turn, from parsing a batch until its response is sent, so that machine noise
 * matters little.
 */
import { createApp } from '../../src/server/app.ts';
import { testServer } from '../support/service.ts';
import { HUNDRED_ZONES } from './scenarios.ts';
import { longestTurnMs } from './thread_clock.ts';

const REPETITIONS = 12;

const times = (count: number, requestOf: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => requestOf(i));

/** Batches of the maximum size: in requests, in entries, or in response bytes. */
const BATCHES: Readonly<Record<string, readonly string[]>> = {
  '1,000 times the present': times(1000, () => '/v1/time/current?tz=Asia/Tokyo'),
  '1,000 instants': times(1000, index => `/v1/time/convert?unix=${index * 86_400}&tz=Asia/Tokyo`),
  '100 zones 150 times': times(150, index => `/v1/time/current?tz=${HUNDRED_ZONES}&nonce=${index}`),
  '8 MB of clock changes': times(40, () => '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01'),
  '8 MB of places': times(
    1000,
    index => `/v1/places?q=${'abcdefghijklmnopqrstuvwxyz'[index % 26]}&limit=50&nonce=${index}`,
  ),
  '8 MB of lists of zones': times(1000, index => `/v1/timezones?unix=${index * 2_592_000}`),
};

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: createApp({ ...testServer(), now: Date.now }).handle,
});

/** Sends a batch from another process, which reads the response as fast as it can. */
async function send(body: Blob, coding: string): Promise<void> {
  const headers = ['Content-Type: application/json', `Accept-Encoding: ${coding}`];
  const given = headers.flatMap(header => ['--header', header]);
  const url = `${server.url}v1/batch`;
  const client = Bun.spawn(
    ['curl', '--silent', '--fail', '--output', '/dev/null', '--data-binary', '@-', ...given, url],
    {
      stdin: body,
    },
  );
  if ((await client.exited) !== 0) throw new Error(`A batch failed: curl exited with ${client.exitCode}`);
}

const figures: Record<string, number> = {};
for (const [name, requests] of Object.entries(BATCHES)) {
  const body = new Blob([JSON.stringify({ requests })]);
  for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
    const turns: number[] = [];
    for (let repetition = 0; repetition < REPETITIONS; repetition++)
      turns.push(await longestTurnMs(() => send(body, coding)));
    figures[`${name}, ${coding}`] = Math.min(...turns);
  }
}
console.log(JSON.stringify(figures));
process.exit();
