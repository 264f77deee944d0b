import { expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFiles } from '../../src/server/lifecycle.ts';

test('a file that is written, replaced, removed or created is reported once, and an unchanged one never', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
  const [calendar, networks, next] = ['calendar', 'networks', 'next'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(calendar, '2026-12-24 holiday\n');
  let noticed = Promise.withResolvers<void>();
  let changes = 0;
  const stop = watchFiles(
    [calendar, networks],
    () => {
      changes++;
      noticed.resolve();
    },
    1,
  );
  const steps = [
    () => writeFileSync(calendar, '2026-12-24 holiday\n2026-12-31 holiday\n'),
    () => {
      writeFileSync(next, '2026-12-24 workday\n');
      renameSync(next, calendar);
    },
    () => rmSync(calendar),
    () => writeFileSync(networks, '10.0.0.0/8,Europe/Berlin\n'),
  ];
  for (const [index, step] of steps.entries()) {
    noticed = Promise.withResolvers<void>();
    step();
    await noticed.promise;
    await Bun.sleep(10); // several polls without a change
    expect(changes).toBe(index + 1);
  }
  stop();
  rmSync(folder, { recursive: true });
});
