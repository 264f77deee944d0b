import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTHING } from './figures.ts';
import { report, withFigures } from './report.ts';

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
