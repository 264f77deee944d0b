import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { diff } from '../../src/operations/diff.ts';
import { elapsed } from '../../src/operations/elapsed.ts';
import { NO_TARGET, zoneTarget } from '../../src/operations/target.ts';
import { timePayloadJson } from '../../src/text/time_payload.ts';
import { randomNumbers } from '../random.ts';
import { zoneOf } from '../zones/embedded_zones.ts';
import { diffPayload, elapsedPayload, tokyoPayload } from './computed_payloads.ts';
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

const NO_OPTIONS = { businessDays: null, largestUnit: null, format: null };
const at = (epochSeconds: number) => ({ epochMs: epochSeconds * 1000, frame: NO_TARGET });

test('the payloads of the server that computes them are those of the service', () => {
  const tokyo = zoneTarget(zoneOf('Asia/Tokyo'));
  const random = randomNumbers();
  for (let count = 0; count < 1000; count++) {
    const unix = Math.floor(random() * 4_000_000_000);
    expect(JSON.stringify(tokyoPayload(unix))).toBe(timePayloadJson(unix * 1000, tokyo));
    const other = Math.floor(random() * 4_000_000_000);
    expect(JSON.stringify(diffPayload(unix, other))).toBe(
      JSON.stringify(diff(at(unix), at(other), NO_OPTIONS)),
    );
    expect(JSON.stringify(elapsedPayload(unix, other))).toBe(
      JSON.stringify(elapsed(at(unix), at(other), NO_OPTIONS)),
    );
  }
});

test('an instant in a path is another one each time', () => {
  const paths = new Set(Array.from({ length: 100 }, () => concretePath(`/v1/time/elapsed?unix=${INSTANT}`)));
  expect(paths.size).toBe(100);
  for (const path of paths) expect(path).toMatch(/^\/v1\/time\/elapsed\?unix=\d{9,10}$/);
});
