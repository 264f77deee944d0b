import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { createApp } from '../../src/server/app.ts';
import { NOW_MS, testServer } from '../support/service.ts';
import { computingApp } from './computing_app.ts';
import { COSTLY_PATHS } from './costly_requests.ts';
import { against, chooseScenarios } from './routes.ts';
import { SCENARIOS } from './scenarios.ts';
import { concretePath, INSTANT } from './wrk.ts';

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
