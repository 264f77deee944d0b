import { expect, test } from 'bun:test';
import { eventsOf, run, startServer } from '../support/process.ts';

/** The embedded populations are from 2020. */
const LIMIT = ['--max-data-age', 'populations=1'];
const LINE = /^data-age (\w+) populations 3\.1\.0 is \d+ days old, --max-data-age populations=1$/m;

test.each([
  ['200 warning', []],
  ['503 broken', ['--require-fresh-data']],
])('old data is %s in /readyz, the log and the metrics, and is still served', async (state, flags) => {
  using server = await startServer([...LIMIT, ...flags]);
  const { level, what } = await eventsOf(server.child.stderr).next('data is too old');
  expect([level, what]).toEqual(['warn', expect.stringContaining('populations 3.1.0 is ')]);
  const ready = await fetch(`${server.url}/readyz`);
  expect(`${ready.status} ${LINE.exec(await ready.text())?.[1]}`).toBe(state);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('meridian_data_max_age_seconds{set="populations"} 86400\n');
  expect(metrics).toContain('meridian_data_info{set="populations",release="3.1.0",source="embedded"} 1\n');
  expect((await fetch(`${server.url}/v1/time/current?tz=UTC`)).status).toBe(200);
});

test('--require-fresh-data without a limit is an error', async () => {
  const { exitCode, stderr } = await run(['serve', '--require-fresh-data']);
  expect([exitCode, stderr]).toEqual([2, 'meridian: --require-fresh-data requires --max-data-age\n']);
});
