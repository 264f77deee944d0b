import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_ROUTES } from '../../src/api/routes.ts';
import { createApp } from '../../src/server/app.ts';
import { NOW_MS, testServer } from '../support/service.ts';
import { type CapacityFigures, capacityText, demands, keyedDemand, redisCapacity } from './capacity.ts';
import { computingApp } from './computing_app.ts';
import { COSTLY_PATHS } from './costly_requests.ts';
import { concretePath, INSTANT } from './load.ts';
import { NOTHING, report, withFigures } from './report.ts';
import { against, chooseScenarios, SCENARIOS } from './scenarios.ts';

test('every route is measured against both rivals', () => {
  const rivalled = SCENARIOS.filter(({ against }) => 'express' in against && 'elysia' in against);
  const paths = new Set(rivalled.flatMap(({ paths }) => paths.map(path => path.split('?')[0])));
  const routes = API_ROUTES.filter(({ isPublic }) => !isPublic).map(({ path }) => path);
  // The rivals' libraries lack working time, recurrences, clock changes in a range, past releases, names of places and abbreviations, and embeddable clocks.
  const rivalless =
    /^\/v1\/(work\/|recurrence$|time\/transitions$|tzdata|places$|abbreviations$|.*\.\w+$)|^\/(embed\/|oembed$)/;
  expect(routes.filter(path => !paths.has(path) && !rivalless.test(path))).toEqual([]);
});

test('every route is searched for its most expensive request', () => {
  expect(API_ROUTES.map(({ path }) => path).filter(path => !COSTLY_PATHS.includes(path))).toEqual([]);
});

test('a scenario is selected together with the one it is compared with', () => {
  expect(chooseScenarios(SCENARIOS, /^current by ip$/).map(({ name }) => name)).toEqual([
    'current',
    'current by ip',
  ]);
});

test('a baseline is an opponent of every scenario, and cached requests may be slower by a tenth', () => {
  const scenarios = against(SCENARIOS, new Set(['baseline', 'bare']));
  const required = new Map(scenarios.map(({ name, against }) => [name, against.baseline]));
  expect(required.get('current')).toBe(0.9);
  expect(required.get('durations that never repeat')).toBe(1);
  expect([...required.values()]).not.toContain(undefined);
  expect(scenarios.flatMap(({ against }) => Object.keys(against))).not.toContain('express');
});

test('the bare servers around the operations return the same bytes as the service', async () => {
  const service = createApp(testServer());
  const computing = [await computingApp(() => NOW_MS), await computingApp(() => NOW_MS, { validates: true })];
  const scenarios = SCENARIOS.filter(({ against }) => 'computing' in against);
  expect(scenarios.length).toBeGreaterThan(8);
  for (const path of scenarios.flatMap(({ paths }) => paths.map(concretePath))) {
    const request = () => new Request(`http://localhost${path}`, { headers: { 'X-Request-Id': 'one' } });
    const ours = await service.handle(request());
    const text = await ours.text();
    for (const app of computing) {
      const theirs = await app.fetch(request());
      expect(await theirs.text()).toBe(text);
      expect([...theirs.headers.keys()].sort()).toEqual([...ours.headers.keys()].sort());
    }
  }
});

test('the validating server rejects invalid queries', async () => {
  const app = await computingApp(() => NOW_MS, { validates: true });
  for (const query of [
    'diff?from=unix=0',
    'diff?from=&to=unix=1',
    'elapsed?unix=soon',
    'convert?unix=1&lat=x',
  ]) {
    const response = await app.fetch(new Request(`http://localhost/v1/time/${query}`));
    expect(response.status).toBe(422);
  }
});

test('an instant placeholder in a path differs in each request', () => {
  const paths = new Set(Array.from({ length: 100 }, () => concretePath(`/v1/time/elapsed?unix=${INSTANT}`)));
  expect(paths.size).toBe(100);
  for (const path of paths) expect(path).toMatch(/^\/v1\/time\/elapsed\?unix=\d{9,10}$/);
});

const README = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8');

test("figures replace only the text between the README's markers", () => {
  const once = withFigures(README, 'one table');
  const twice = withFigures(once, 'another table');
  expect(once).toContain('one table');
  expect(twice).toBe(once.replace('one table', 'another table'));
  const [before, after] = once.split('one table');
  expect(README.startsWith(before!.trimEnd())).toBe(true);
  expect(README.endsWith(after!.trimStart())).toBe(true);
});

test('a README without markers is not changed', () => {
  expect(() => withFigures('# meridian\n', 'a table')).toThrow('are missing from the README');
});

test('the report lists what has not been measured', () => {
  const nothing = report({ ...NOTHING, machine: '', versions: '', date: '' });
  expect(nothing).toContain('\n- not measured: functions, costliest, batches, growth, processes, page\n');
  expect(nothing).toContain('\n- current: not compared with bare, express, elysia\n');
  expect(nothing).toContain('\n- current, with a key: not compared with current\n');
});

const FIGURES: CapacityFigures = {
  machine: '2 cores of a processor',
  version: 'meridian 1.2.3',
  date: '2026-11-23',
  open: [
    { workers: 1, requestsPerSecond: 50_000, cpuMicroseconds: 20 },
    { workers: 2, requestsPerSecond: 90_000, cpuMicroseconds: 21 },
  ],
  keyed: { workers: 1, requestsPerSecond: 40_000, cpuMicroseconds: 25 },
  shared: [{ workers: 1, requestsPerSecond: 20_000, cpuMicroseconds: 50, redisMicroseconds: 10 }],
  responseBytes: 500,
};

test('the demand of 10⁹ requests a day is for its busiest second, minus what a CDN serves', () => {
  // 10⁹ / 86,400 × 3 = 34,722; × 20 µs = 0.694 cores, at 60 % each 1.16
  const [none, half, most] = demands(FIGURES).map(demand => ({
    ...demand,
    requestsPerSecond: Math.round(demand.requestsPerSecond),
    megabitsPerSecond: Math.round(demand.megabitsPerSecond),
  }));
  expect(none).toEqual({ cdnShare: 0, requestsPerSecond: 34_722, cores: 2, megabitsPerSecond: 139 });
  expect(half).toEqual({ cdnShare: 0.5, requestsPerSecond: 17_361, cores: 1, megabitsPerSecond: 69 });
  expect(most).toEqual({ cdnShare: 0.9, requestsPerSecond: 3472, cores: 1, megabitsPerSecond: 14 });
});

test('with API keys it is for all requests, and each Redis is planned at half its capacity', () => {
  expect(keyedDemand(FIGURES)).toEqual({ cores: 2, coresWithRedis: 3, redisServers: 1 });
  const slow = FIGURES.shared.map(measured => ({ ...measured, redisMicroseconds: 20 }));
  expect(keyedDemand({ ...FIGURES, shared: slow }).redisServers).toBe(2);
  expect(redisCapacity(slow)).toBe(50_000);
});

test('the tables fit in 80 columns and have every figure', () => {
  const text = capacityText(FIGURES);
  expect(text.split('\n').filter(line => [...line].length > 80 || line !== line.trimEnd())).toEqual([]);
  for (const line of [
    '    without API keys           2      90,000  21.0 µs',
    '    limits in Redis            1      20,000  50.0 µs       10.0 µs',
    '    requests/s at the servers      34,722  17,361  3,472',
    '    cores                               2       1      1',
    '    cores, limits in Redis  3',
  ]) {
    expect(text.split('\n').map(one => one.replace(/ +/g, ' '))).toContain(line.replace(/ +/g, ' '));
  }
});

test('the help page has the tables of a measurement', async () => {
  const page = await Bun.file(`${import.meta.dir}/../../src/cli/topics/capacity/figures.md`).text();
  const shape = (text: string) => text.match(/^(## .*| {4}[a-z][^\d\n]*?(?= {2}))/gm);
  expect(new Set(shape(page))).toEqual(new Set(shape(capacityText(FIGURES))));
});
