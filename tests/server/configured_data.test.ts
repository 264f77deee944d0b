import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import { ConfiguredData } from '../../src/server/configured_data.ts';
import { LastGood } from '../../src/server/last_good.ts';
import { createEventLog } from '../../src/server/log.ts';
import { NO_FILES } from '../support/bundles.ts';
import { temporaryFolder } from '../support/process.ts';

test('a change of the data store is loaded once, however often it is noticed before its turn', async () => {
  using folder = temporaryFolder();
  const lines: Record<string, unknown>[] = [];
  const log = createEventLog('debug', 'json', line => lines.push(JSON.parse(line)));
  const store = new DataStore(folder.path);
  const lastGood = new LastGood(join(folder.path, 'last-good'));
  const data = await ConfiguredData.load({ settings: NO_FILES, lastGood, store, log, saves: false }, true);
  using interval = spyOn(globalThis, 'setInterval');
  const stop = data.follow(() => {});
  const poll = interval.mock.lastCall![0] as () => void;
  stop();
  await store.pin(7);
  for (let count = 0; count < 3; count++) poll();
  const [bundle] = data.reloadables(() => {});
  expect(await bundle!.reload()).toBeNull(); // after the polls
  expect(lines).toMatchObject([{ message: 'reloaded', what: 'data', now: 'embedded' }]);
});
