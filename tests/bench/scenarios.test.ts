import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { createApp } from '../../src/server/app.ts';
import { NOW_MS, testServer } from '../http/service.ts';
import { computingApp } from './computing_app.ts';
import { COSTLY_PATHS } from './costly_requests.ts';
import { against, chooseScenarios } from './routes.ts';
import { SCENARIOS } from './scenarios.ts';
import { concretePath, INSTANT } from './wrk.ts';

test('every route is measured against both rivals', () => {
  const rivalled = SCENARIOS.filter(({ against }) => 'express' in against && 'elysia' in against);
  const paths = new Set(rivalled.flatMap(({ paths }) => paths.map(path => path.split('?')[0])));
  const routes = API_ROUTES.filter(({ isPublic }) => !isPublic).map(({ path }) => path);
  // No library of the rivals has working time, recurrences, the clock changes of a range, past releases, names of places and abbreviations, and clocks to embed.
  const rivalless =
    /^\/v1\/(work\/|recurrence$|time\/transitions$|tzdata|places$|abbreviations$|.*\.\w+$)|^\/(embed\/|oembed$)/;
  expect(routes.filter(path => !paths.has(path) && !rivalless.test(path))).toEqual([]);
});

test('the most expensive request of every route is searched', () => {
  expect(API_ROUTES.map(({ path }) => path).filter(path => !COSTLY_PATHS.includes(path))).toEqual([]);
});

test('a scenario is chosen together with the one that it is held against', () => {
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

test('the server around the operations responds as the service does', async () => {
  const service = createApp(testServer());
  const computing = await computingApp(() => NOW_MS);
  const scenarios = SCENARIOS.filter(({ against }) => 'computing' in against);
  expect(scenarios.length).toBeGreaterThan(8);
  for (const path of scenarios.flatMap(({ paths }) => paths.map(concretePath))) {
    const request = () => new Request(`http://localhost${path}`, { headers: { 'X-Request-Id': 'one' } });
    const [ours, theirs] = [await service.handle(request()), await computing.fetch(request())];
    expect(await theirs.text()).toBe(await ours.text());
    expect([...theirs.headers.keys()].sort()).toEqual([...ours.headers.keys()].sort());
  }
});

test('an instant in a path is another one each time', () => {
  const paths = new Set(Array.from({ length: 100 }, () => concretePath(`/v1/time/elapsed?unix=${INSTANT}`)));
  expect(paths.size).toBe(100);
  for (const path of paths) expect(path).toMatch(/^\/v1\/time\/elapsed\?unix=\d{9,10}$/);
});
