import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMBEDDED_DATA } from '../../data/manifests.ts';

const DATA = join(import.meta.dir, '../../data');

test('every data set with a manifest is listed in reports, metrics and licences', () => {
  const paths = [...new Bun.Glob('**/*.manifest.json').scanSync(DATA)];
  const names = paths.map(path => JSON.parse(readFileSync(join(DATA, path), 'utf8')).name);
  expect(names.length).toBeGreaterThan(3);
  expect(names.sort()).toEqual(EMBEDDED_DATA.map(({ name }) => name).sort());
});
