import { describe, expect, spyOn, test } from 'bun:test';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDataAge } from '../../src/cli/flags.ts';
import { createApp } from '../../src/server/app.ts';
import { openBundle } from '../../src/server/bundles/bundle_file.ts';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import { type DataAgeSettings, dataAgeStatus } from '../../src/server/data_age.ts';
import type { DataSettings } from '../../src/server/data_sets.ts';
import { LastGood } from '../../src/server/last_good.ts';
import { LiveData } from '../../src/server/live_data.ts';
import type { Pack } from '../../src/server/packs.ts';
import { bundleIn, NO_FILES, PACKS, zonesOf } from '../support/bundles.ts';
import { newFolder, recordedEvents } from '../support/process.ts';
import { send, testServer, testSnapshot } from '../support/service.ts';

/** A new data store and configured files, what is logged about them, and functions that load them and install a bundle. */
function dataPlaces() {
  const folder = newFolder();
  const store = new DataStore(folder);
  const lastGood = new LastGood(join(folder, 'last-good'));
  const { log, lines } = recordedEvents();
  return {
    store,
    lines,
    lastGood,
    file: join(folder, "Founder's calendar"),
    load: (files: Partial<DataSettings>, isRequired: boolean) => {
      const settings = { ...NO_FILES, ...files };
      return LiveData.load({ settings, lastGood, store, log, isWriter: false, isRequired });
    },
    install: async (packs: readonly Pack[]) => {
      const bundle = await openBundle(await bundleIn(folder, 42, packs, []));
      await store.change(index => store.adopt(index, bundle, { keys: null, download: null }));
    },
  };
}

test('a change of the data store is loaded once, however often it is noticed before its turn', async () => {
  const { store, lines, load } = dataPlaces();
  const data = await load({}, true);
  using timeout = spyOn(globalThis, 'setTimeout');
  const stop = data.follow(() => {});
  const poll = timeout.mock.lastCall![0] as () => void;
  await stop();
  await store.pin(7);
  for (let count = 0; count < 3; count++) poll();
  const [bundle] = data.reloadables(() => {});
  expect(await bundle!.reload()).toBeNull(); // after the polls
  expect(lines).toMatchObject([{ message: 'reloaded', what: 'data', now: 'embedded' }]);
});

test('configured files that cannot be used are replaced by the data of the bundle in use', async () => {
  const { lines, file, load, install } = dataPlaces();
  await install(PACKS);
  writeFileSync(file, "Founder's day secret\n");
  const data = await load({ calendar: file, 'ip-db': ['/nowhere/ip'] }, false);
  expect(lines.map(({ what, uses }) => [what, uses])).toEqual([
    ['calendar', 'bundle 42'],
    ['ip-db', 'the embedded data'],
  ]);
  expect(data.problems[0]).toStartWith(`degraded to bundle 42: ${file}:1:1: `);
  const details = data.status(data.loaded.data).map(({ detail }) => detail);
  expect(details).toContainEqual(expect.stringContaining(' of bundle 42, as --calendar cannot be used'));
  expect(details.join()).not.toContain('secret');
});

test.each([false, true])('a switch of bundles keeps a damaged file; required: %p', async isRequired => {
  const { lines, lastGood, file, load, install } = dataPlaces();
  const networks = '127.0.0.0/8,Asia/Tokyo\n';
  writeFileSync(file, networks);
  await lastGood.save('ip-zones', [{ path: '', contents: Buffer.from('10.0.0.0/8,Asia/Tokyo\n') }]);
  const data = await load({ 'ip-zones': file, 'allow-older-data': true }, isRequired);
  const inUse = () => {
    const { bundle, configured } = data.loaded;
    const [used] = configured.get('ownNetworks')?.used?.files ?? [];
    return [bundle?.manifest.sequence ?? 0, String(used?.contents)];
  };
  const reload = async () => await data.reloadables(() => {})[0]!.reload();
  await install([zonesOf('2025a')]);
  writeFileSync(file, 'nonsense');
  if (isRequired) {
    await expect(reload()).rejects.toThrow(`${file}:1:1: 'nonsense' is not a network`);
    expect(inUse()).toEqual([0, networks]);
    const states = data.status(data.loaded.data).map(({ name, state }) => `${name} ${state}`);
    expect(states).toContain('data degraded');
    writeFileSync(file, networks);
  }
  expect(await reload()).toBe('bundle 42');
  expect(inUse()).toEqual([42, networks]);
  const errors = lines.filter(({ level }) => level === 'error').map(({ what }) => what);
  expect(errors).toEqual(isRequired ? [] : ['ip-zones']);
});

const RELEASED_MS = Date.UTC(2026, 9, 27); // tzdata 2026f
const MS_PER_DAY = 86_400_000;

function settingsOf(limits: readonly string[], isRequired = false): DataAgeSettings {
  return { 'max-data-age': limits.map(parseDataAge), 'require-fresh-data': isRequired };
}

/** `/readyz` at an age of tzdata 2026f: the status and the lines about age. */
async function readiness(limits: readonly string[], days: number, isRequired = false) {
  const dataStatus = () =>
    dataAgeStatus(testSnapshot(), settingsOf(limits, isRequired), RELEASED_MS + days * MS_PER_DAY);
  const { status, body } = await send('/readyz', {}, createApp(testServer({ dataStatus })));
  return [
    status,
    ...String(body)
      .split('\n')
      .filter(line => line.startsWith('data-age ')),
  ];
}

describe('--max-data-age', () => {
  test('is a warning above the limit, and a failure with --require-fresh-data', async () => {
    const line = (state: string, days: number) =>
      `data-age ${state} tzdata 2026f is ${days} days old, --max-data-age tzdata=120`;
    expect(await readiness(['tzdata=120'], 120)).toEqual([200, line('ok', 120)]);
    expect(await readiness(['tzdata=120'], 120, true)).toEqual([200, line('ok', 120)]);
    expect(await readiness(['tzdata=120'], 120.5)).toEqual([200, line('warning', 120)]);
    expect(await readiness(['tzdata=120'], 121, true)).toEqual([503, line('broken', 121)]);
  });

  test('limits each data set separately; the last of several limits for a set counts', async () => {
    expect(await readiness([], 10_000, true)).toEqual([200]);
    expect(await readiness(['tzdata=1', 'holidays=1000', 'tzdata=50'], 40)).toEqual([
      200,
      'data-age ok tzdata 2026f is 40 days old, --max-data-age tzdata=50',
      expect.stringMatching(/^data-age ok holidays [0-9.]+ is \d+ days old, --max-data-age holidays=1000$/),
    ]);
  });

  test('reports data whose date is unknown, which may be of any age', () => {
    const snapshot = testSnapshot();
    const zones = Object.create(snapshot.zones, { version: { value: 'unknown' } });
    const [status] = dataAgeStatus({ ...snapshot, zones }, settingsOf(['tzdata=99999']), RELEASED_MS);
    expect(status).toEqual({
      name: 'data-age',
      state: 'warning',
      detail: 'tzdata unknown is of unknown date, --max-data-age tzdata=99999',
    });
  });

  test('counts data from the future as new', async () => {
    expect(await readiness(['tzdata=1'], -5, true)).toEqual([
      200,
      'data-age ok tzdata 2026f is 0 days old, --max-data-age tzdata=1',
    ]);
  });

  test('rejects anything but SET=DAYS', () => {
    expect(parseDataAge('ip=30')).toEqual({ set: 'ip', days: 30 });
    for (const text of ['tzdata', '=5', 'zones=5', '', 'tz=data=5']) {
      expect(() => parseDataAge(text)).toThrow(`'${text}' is not SET=DAYS with one of the sets tzdata, `);
    }
    for (const days of ['', '0', '-1', '1.5', 'x']) {
      expect(() => parseDataAge(`tzdata=${days}`)).toThrow(`'${days}' is not an integer of at least 1`);
    }
  });
});

const filesOf = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ path: `/etc/${index}`, contents: Buffer.from(text) }));

async function textsOf(store: LastGood, name: string): Promise<string[] | null> {
  const files = await store.read(name);
  return files?.map(({ contents }) => Buffer.from(contents).toString()) ?? null;
}

test('the last saved files of a set are returned, also by another process', async () => {
  const folder = newFolder();
  const path = join(folder, 'last-good');
  const store = new LastGood(path);
  expect(await store.read('ip-db')).toBeNull();
  await store.save('ip', filesOf('another set'));
  void store.save('ip-db', filesOf('old'));
  await store.save('ip-db', filesOf('v4', 'v6'));
  expect(await textsOf(new LastGood(path), 'ip-db')).toEqual(['v4', 'v6']);
  expect(await textsOf(store, 'ip')).toEqual(['another set']);
  expect(readdirSync(path)).toHaveLength(5); // two indexes, three copies: the copy of 'old' is removed
});

test('truncated or modified copies are not returned', async () => {
  const folder = newFolder();
  const store = new LastGood(folder);
  const damages: readonly ((copies: readonly string[]) => void)[] = [
    ([first]) => writeFileSync(first!, 'v'),
    ([, second]) => writeFileSync(second!, 'V6'),
    () => writeFileSync(join(folder, 'ip-db.json'), '{"saved":"2026'),
    () => writeFileSync(join(folder, 'ip-db.json'), '{"sha256":["../../etc/passwd"]}'),
    () => writeFileSync(join(folder, 'ip-db.json'), '{"sha256":[]}'),
  ];
  for (const damage of damages) {
    await store.save('ip-db', filesOf('v4', 'v6'));
    damage((await store.read('ip-db'))!.map(({ path }) => path));
    expect(await store.read('ip-db')).toBeNull();
    await store.save('ip-db', filesOf('other'));
    expect(await textsOf(store, 'ip-db')).toEqual(['other']);
  }
});

test('a state directory that is not writable only makes saving fail', async () => {
  const folder = newFolder();
  const path = join(folder, 'file');
  writeFileSync(path, '');
  const store = new LastGood(join(path, 'last-good'));
  await expect(store.save('calendar', filesOf('a'))).rejects.toThrow('ENOTDIR');
  await store.finish();
  expect(await store.read('calendar')).toBeNull();
});

test('a symbolic link in place of the folder is rejected, and its target unchanged', async () => {
  const folder = newFolder();
  const path = join(folder, 'last-good');
  const target = join(folder, 'target');
  mkdirSync(target);
  symlinkSync(target, path);
  await expect(new LastGood(path).save('calendar', filesOf('a'))).rejects.toThrow('is a symbolic link');
  expect(readdirSync(target)).toEqual([]);
});

test('copies are not read through symbolic links or from pipes', async () => {
  const folder = newFolder();
  const path = join(folder, 'last-good');
  const moved = join(folder, 'moved');
  const store = new LastGood(path);
  await store.save('calendar', filesOf('a'));
  const [copy] = (await store.read('calendar'))!;
  for (const name of [path, join(path, 'calendar.json'), copy!.path]) {
    renameSync(name, moved);
    symlinkSync(moved, name);
    expect([name, await store.read('calendar')]).toEqual([name, null]);
    rmSync(name);
    Bun.spawnSync(['mkfifo', name]);
    expect([name, await store.read('calendar')]).toEqual([name, null]);
    rmSync(name, { force: true });
    renameSync(moved, name);
  }
  expect(await textsOf(store, 'calendar')).toEqual(['a']);
});
