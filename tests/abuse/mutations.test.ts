import { afterAll, beforeAll, expect, test } from 'bun:test';
import { exchange, faultOf, isRejection } from '../support/clients.ts';
import { type RunningServer, startServer } from '../support/process.ts';
import { fc } from '../support/property.ts';
import { mostRequests, mutatedRequests } from './mutations.ts';

let server: RunningServer;
let port = 0;
beforeAll(async () => {
  server = await startServer();
  port = Number(new URL(server.url).port);
});
afterAll(() => server[Symbol.dispose]());

const RUNS = Number(process.env['FC_RUNS'] ?? 1000);

test('whatever bytes are sent, each request gets at most one response, which follows the contract, and the connection ends', async () => {
  await fc.assert(
    fc.asyncProperty(mutatedRequests, async bytes => {
      const { responses, rest } = await exchange(port, bytes);
      expect(rest).toBe('');
      expect(responses.map(faultOf)).toEqual(responses.map(() => null));
      const handled = responses.filter(response => !isRejection(response));
      expect(handled.length).toBeLessThanOrEqual(mostRequests(bytes));
      // Nothing after a rejected request is read.
      expect(responses.slice(0, -1).filter(isRejection)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  const response = await fetch(`${server.url}/v1/time/convert?unix=0&tz=Asia/Tokyo`);
  expect(await response.json()).toMatchObject({ iso_local: '1970-01-01T09:00:00+09:00' });
});
