import { expect, test } from 'bun:test';
import type { Script } from '../../src/redis/redis_connection.ts';
import { type SharedRedis, startHeartbeat } from '../../src/server/machines.ts';
import { recordedEvents } from '../support/process.ts';
import { testServer } from '../support/service.ts';

test('a stop waits for the first report, and removes only the report of this process', async () => {
  const calls: (readonly string[])[] = [];
  const reported = Promise.withResolvers<void>();
  const execute = async (_: Script, __: readonly string[], values: readonly string[]) => {
    calls.push(values);
    if (calls.length === 1) await reported.promise;
  };
  const revisions = () => ({ api_keys: '', plans: '' });
  const run = (command: () => unknown) => command();
  const redis = { store: { execute }, revisions, run } as unknown as SharedRedis;
  const machine = { stateDirectory: '/state', workers: 1 };
  const { stop } = startHeartbeat(redis, testServer(), machine, recordedEvents().log);
  const stopped = stop();
  await Bun.sleep(1);
  expect(calls).toHaveLength(1);
  reported.resolve();
  await stopped;
  const [[name, report], left] = calls as [[string, string], readonly string[]];
  const { pid, started } = JSON.parse(report);
  expect(left).toEqual([name, `${JSON.stringify({ pid, started }).slice(1, -1)},`]);
  expect(report).toContain(left[1]!);
});
