import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RunningServer, startServer } from '../binary/process.ts';
import { fc } from '../property.ts';
import { mostRequests, mutatedRequests } from './mutations.ts';
import { exchange, faultOf, isRefusal } from './raw_http.ts';

let server: RunningServer;
let port = 0;
beforeAll(async () => {
  server = await startServer();
  port = Number(new URL(server.url).port);
});
afterAll(() => server[Symbol.dispose]());

const RUNS = Number(process.env['FC_RUNS'] ?? 1000);

test('whatever bytes are sent, each request has one answer at most, by the contract, and the connection ends', async () => {
  await fc.assert(
    fc.asyncProperty(mutatedRequests, async bytes => {
      const { answers, rest } = await exchange(port, bytes);
      expect(rest).toBe('');
      expect(answers.map(faultOf)).toEqual(answers.map(() => null));
      const handled = answers.filter(answer => !isRefusal(answer));
      expect(handled.length).toBeLessThanOrEqual(mostRequests(bytes));
      // Once something was refused nothing behind it is read.
      expect(answers.slice(0, -1).filter(isRefusal)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  const response = await fetch(`${server.url}/v1/time/convert?unix=0&tz=Asia/Tokyo`);
  expect(await response.json()).toMatchObject({ iso_local: '1970-01-01T09:00:00+09:00' });
});
