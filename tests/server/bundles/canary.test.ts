import { expect, spyOn, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { boundariesPath } from '../../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../../data/holidays/embedded.ts';
import { placesPath } from '../../../data/places/embedded.ts';
import { readReleasePack } from '../../../data/releases/embedded.ts';
import { readZonePack } from '../../../data/zones/embedded.ts';
import { openBundle } from '../../../src/server/bundles/bundle_file.ts';
import { tryBundle } from '../../../src/server/bundles/canary.ts';
import { Pulls, pauseMs } from '../../../src/server/bundles/pulls.ts';
import type { DataSettings, Pack } from '../../../src/server/data_sets.ts';
import { loadData } from '../../../src/server/load_data.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../../../src/zones/zone_pack.ts';
import { bundleIn, NO_FILES, packOf, zonesOf } from '../../support/bundles.ts';
import { newFolder, until } from '../../support/process.ts';
import { CITY_DATABASE } from '../../support/service.ts';

/** 2026-11-23T00:00:00Z */
const NOW_SECONDS = 1_795_392_000;

async function trial(packs: readonly Pack[], changes: Partial<DataSettings> = {}) {
  const folder = newFolder();
  const settings = { ...NO_FILES, ...changes };
  const bundle = await openBundle(await bundleIn(folder, 1, packs, []));
  return await tryBundle(bundle, settings, await loadData(settings), NOW_SECONDS);
}

/** The embedded zones with changes. */
function changedZones(changes: (source: ZoneSource) => Partial<ZoneSource>): Pack {
  const source = decodeZonePack(readZonePack());
  return packOf('tzdata', encodeZonePack({ ...source, ...changes(source) }));
}

test('changed zones are listed, and those that differ at present', async () => {
  const swapped = changedZones(({ files }) => ({
    files: new Map([...files, ['Asia/Almaty', files.get('Asia/Tokyo')!]]),
  }));
  const report = await trial([swapped]);
  expect(report.changedZones).toEqual([{ zone: 'Asia/Almaty', sinceEpochSeconds: null }]);
  expect(report.changedNow).toEqual(['Asia/Almaty']);
  expect(report.sets).toMatchObject([{ name: 'tzdata', replaces: '2026f' }]);
});

test('an older release lists the changes since, and requires permission', async () => {
  await expect(trial([zonesOf('2016a')])).resolves.toMatchObject({
    changedZones: [],
    sets: [{ replaces: null }],
  });
  const report = await trial([zonesOf('2023c')], { 'allow-older-data': true });
  // Kazakhstan united its zones on 2024-03-01, in 2024a.
  expect(report.changedZones).toContainEqual({ zone: 'Asia/Almaty', sinceEpochSeconds: 1_709_229_600 });
  expect(report.changedNow).toContain('Asia/Almaty');
});

test('zones that lack one used by another data set are rejected', async () => {
  const without = changedZones(({ files, countryOfZone }) => ({
    files: new Map([...files].filter(([name]) => name !== 'Europe/Paris')),
    countryOfZone: new Map([...countryOfZone].filter(([name]) => name !== 'Europe/Paris')),
  }));
  await expect(trial([without])).rejects.toThrow('Europe/Paris');
});

test('wrong facts are rejected', async () => {
  const wrong = changedZones(({ files }) => ({
    files: new Map([...files, ['Europe/Paris', files.get('Asia/Tokyo')!]]),
  }));
  await expect(trial([wrong])).rejects.toThrow(
    'it contradicts that Europe/Paris was 7200 s east of UTC on 2000-07-01',
  );
});

test('data with a damaged part is rejected', async () => {
  const truncated = [
    packOf('holidays', readHolidayPack().subarray(0, 1000)),
    packOf('tzdata releases', readReleasePack().subarray(0, 1000)),
    packOf('tzdata', readZonePack().subarray(0, 300_000)),
    packOf('places', readHolidayPack()),
    packOf('ip', readHolidayPack()),
  ];
  for (const pack of truncated) await expect(trial([pack]), pack.manifest.name).rejects.toThrow(Error);
  const places = packOf('places', readFileSync(placesPath).subarray(0, -1));
  await expect(trial([places])).rejects.toThrow(
    'gazetteer: The file of places is truncated or has trailing bytes',
  );
  const boundaries = readFileSync(boundariesPath);
  boundaries.fill(0xff, boundaries.length - 100); // in the last cell
  await expect(trial([packOf('boundaries', boundaries)])).rejects.toThrow(
    'a cell of its boundaries is damaged',
  );
});

test('IP data is not checked if a configured database replaces it', async () => {
  const damaged = packOf('ip', readHolidayPack());
  const report = await trial([damaged], { 'ip-db': [CITY_DATABASE] });
  expect(report.sets).toMatchObject([{ name: 'ip' }]);
});

test('pulls of a fleet are spread over half an interval, and over ten minutes after a start', () => {
  const HOUR_MS = 3_600_000;
  expect([0, 0.5, 1].map(random => pauseMs(12 * HOUR_MS, false, random) / HOUR_MS)).toEqual([9, 12, 15]);
  expect([0, 0.5, 1].map(random => pauseMs(12 * HOUR_MS, true, random) / 60_000)).toEqual([0, 5, 10]);
});

test('a pull that cannot be started is a warning, and later pulls run', async () => {
  const warnings: unknown[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: string, fields?: object) => warnings.push(fields),
    error() {},
  };
  using spawn = spyOn(Bun, 'spawn').mockImplementation(() => {
    throw new Error('EAGAIN: posix_spawn failed');
  });
  const pulls = new Pulls('/nowhere', 1, [], log);
  await until(() => spawn.mock.calls.length > 2);
  pulls.stop();
  expect(pulls.status()).toMatchObject([{ name: 'pull', state: 'warning' }]);
  expect(warnings[0]).toEqual({ error: 'EAGAIN: posix_spawn failed' });
});
