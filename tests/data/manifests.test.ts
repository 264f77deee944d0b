import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bundledPackages } from '../../data/licenses/bundled_packages.ts';
import { readLicenses } from '../../data/licenses/embedded.ts';
import { EMBEDDED_DATA } from '../../data/manifests.ts';

const DATA = join(import.meta.dir, '../../data');
const PATHS = [...new Bun.Glob('**/*.manifest.json').scanSync(DATA)].map(path => join(DATA, path));
/** The maximum sizes of packs, in bytes. */
const SIZES: Readonly<Record<string, number>> = {
  holidays: 400_000,
  places: 3_000_000,
  'tzdata releases': 200_000,
};

test('every data set with a manifest is listed in reports, metrics and licences', () => {
  const names = PATHS.map(path => JSON.parse(readFileSync(path, 'utf8')).name);
  expect(names.length).toBeGreaterThan(3);
  expect(names.sort()).toEqual(EMBEDDED_DATA.map(({ name }) => name).sort());
});

test.each(PATHS)('%s matches its artifact', path => {
  const { name, sha256, bytes } = JSON.parse(readFileSync(path, 'utf8'));
  const prefix = basename(path, 'manifest.json');
  const [artifact] = readdirSync(dirname(path)).filter(
    file => file.startsWith(prefix) && file !== basename(path),
  );
  const content = readFileSync(join(dirname(path), artifact!));
  expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  expect(content.length).toBe(bytes);
  expect(content.length).toBeLessThanOrEqual(SIZES[name] ?? Infinity);
});

test('the licence texts match the bundled packages; otherwise run make licenses', async () => {
  const titles = [...readLicenses().matchAll(/^={80}\n(.+)\n={80}$/gm)].map(([, title]) => title!);
  const packages = (await bundledPackages()).map(
    ({ name, version, licence }) => `${name} ${version}: ${licence}`,
  );
  expect(titles.filter(title => !/^(meridian |Data inside$|bun |Text of )/.test(title))).toEqual(packages);
});
