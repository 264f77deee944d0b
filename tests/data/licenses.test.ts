import { expect, test } from 'bun:test';
import { bundledPackages } from '../../data/licenses/bundled_packages.ts';
import { readLicenses } from '../../data/licenses/embedded.ts';

test('the licence texts match the bundled packages; otherwise run make licenses', async () => {
  const titles = [...readLicenses().matchAll(/^={80}\n(.+)\n={80}$/gm)].map(([, title]) => title!);
  const packages = (await bundledPackages()).map(
    ({ name, version, licence }) => `${name} ${version}: ${licence}`,
  );
  expect(titles.filter(title => !/^(meridian |Data inside$|bun |Text of )/.test(title))).toEqual(packages);
});
