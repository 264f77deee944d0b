import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { bundleIn, dataKit, PACKS, untilUsed } from '../support/bundles.ts';
import { startServer } from '../support/process.ts';

const kit = dataKit();
afterAll(() => kit[Symbol.dispose]());
/** Bundles 1 and 2, with the embedded zones and holidays. */
let bundles: readonly string[];
beforeAll(async () => {
  bundles = await Promise.all([1, 2].map(number => bundleIn(kit.path, number, PACKS, kit.signers)));
});

test('two builds have the same bytes, and zones and holidays take less than 1 MB', async () => {
  const state = kit.newState('built');
  const built: Uint8Array[] = [];
  for (const name of ['a.bundle', 'b.bundle']) {
    const path = join(state, name);
    const args = ['build', path, '--sequence', '1', '--sets', 'tzdata,holidays'];
    expect(await kit.data(state, ...args)).toMatchObject({ exitCode: 0, stderr: '' });
    built.push(await Bun.file(path).bytes());
  }
  expect(built[0]!.length).toBeLessThan(1_000_000);
  expect(Buffer.compare(built[0]!, built[1]!)).toBe(0);
});

test('all workers switch to a bundle, and back by a rollback, without a restart or a failed request', async () => {
  const state = kit.newState('workers');
  using server = await startServer(['--state-dir', state, '--workers', '2']);
  let isDone = false;
  const statuses = new Set<number>();
  const client = (async () => {
    while (!isDone) {
      await Bun.sleep(5);
      statuses.add((await fetch(`${server.url}/v1/time/current?lat=48.85&lon=2.35`)).status);
    }
  })();
  expect(await kit.data(state, 'install', bundles[0]!)).toMatchObject({ exitCode: 0, stderr: '' });
  await untilUsed(server, 1, 2);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('data ok bundle 1\n');
  expect(await kit.data(state, 'install', bundles[1]!)).toMatchObject({ exitCode: 0 });
  await untilUsed(server, 2, 2);
  const refused = await kit.data(state, 'install', bundles[0]!);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is lower than 2') });
  expect((await kit.data(state, 'rollback')).stdout).toStartWith('rolled back to bundle 1;');
  await untilUsed(server, 1, 2);
  isDone = true;
  await client;
  expect([...statuses]).toEqual([200]);
});
