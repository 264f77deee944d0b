import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { chooseScenarios } from './routes.ts';
import { SCENARIOS } from './scenarios.ts';

test('every route is measured against both rivals', () => {
  const rivalled = SCENARIOS.filter(({ against }) => 'express' in against && 'elysia' in against);
  const paths = new Set(rivalled.flatMap(({ paths }) => paths.map(path => path.split('?')[0])));
  expect(API_ROUTES.map(({ path }) => path).filter(path => !paths.has(path))).toEqual([]);
});

test('a scenario is chosen together with the one that it is held against', () => {
  expect(chooseScenarios(SCENARIOS, /^current by ip$/).map(({ name }) => name)).toEqual([
    'current',
    'current by ip',
  ]);
});
