import { expect, test } from 'bun:test';
import type { Script } from '../../src/redis/redis_connection.ts';
import { type SharedRedis, startHeartbeat } from '../../src/server/machines.ts';
import { recordedEvents } from '../support/process.ts';
import { testServer } from '../support/service.ts';

test('a stop waits for the first report, and removes only the report of this process', async () => {
  const calls: (readonly string[])[] = [];
  const reported = Promise.withResolvers<void>();
  const store = {
    async execute(_: Script, __: readonly string[], values: readonly string[]) {
      calls.push(values);
      if (calls.length === 1) await reported.promise;
    },
  };
  const revisions = () => ({ api_keys: '', plans: '' });
  const redis = { store, revisions, run: (command: () => unknown) => command() } as unknown as SharedRedis;
  const { stop } = startHeartbeat(
    redis,
    testServer(),
    { stateDirectory: '/state', workers: 1 },
    recordedEvents().log,
  );
  const stopped = stop();
  await Bun.sleep(1);
  expect(calls).toHaveLength(1);
  reported.resolve();
  await stopped;
  const [[machine, report], left] = calls as [[string, string], readonly string[]];
  const { pid, started } = JSON.parse(report);
  expect(left).toEqual([machine, `${JSON.stringify({ pid, started }).slice(1, -1)},`]);
  expect(report).toContain(left[1]!);
});
