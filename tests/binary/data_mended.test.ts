import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { bundleIn, bundlesInUse, dataKit, PACKS, packOf, untilUsed } from '../support/bundles.ts';
import { eventsOf, startServer } from '../support/process.ts';

const kit = dataKit();
afterAll(() => kit[Symbol.dispose]());

/** A state directory with a bundle, and functions that damage and repair its file, but not its index. */
async function installedState(name: string) {
  const state = kit.newState(name);
  const packs = [...PACKS, packOf('tzdata releases', readReleasePack())];
  const bundle = await bundleIn(state, 7, packs, kit.signers);
  expect(await kit.data(state, 'install', bundle)).toMatchObject({ exitCode: 0, stderr: '' });
  const folder = join(state, 'data');
  const path = join(folder, readdirSync(folder).find(file => file.endsWith('.bundle'))!);
  const intact = readFileSync(path);
  const damaged = Buffer.from(intact);
  damaged[intact.length - 1000]! ^= 1; // in the releases, the last set
  return {
    flags: ['--state-dir', state],
    damage: () => writeFileSync(path, damaged),
    mend: () => writeFileSync(path, intact),
  };
}

test('SIGHUP uses a bundle whose file was damaged at startup and has been repaired', async () => {
  const { flags, damage, mend } = await installedState('start');
  damage();
  using server = await startServer(flags);
  const events = eventsOf(server.child.stderr);
  const { error } = await events.next('installed data cannot be used');
  expect(error).toContain('its tzdata releases is damaged');
  expect(await bundlesInUse(server)).toEqual([0]);
  server.child.kill('SIGHUP');
  expect(await events.next('reload failed', 'data')).toMatchObject({ error });
  mend();
  server.child.kill('SIGHUP');
  expect(await events.next('reloaded', 'data')).toMatchObject({ now: 'bundle 7' });
  await untilUsed(server, 7);
  const ready = await (await fetch(`${server.url}/readyz`)).text();
  expect(ready).toContain('data ok bundle 7\n');
});

test('SIGHUP rereads data that could not be read at its first use', async () => {
  const { flags, damage, mend } = await installedState('first-use');
  using server = await startServer(flags);
  const events = eventsOf(server.child.stderr);
  const status = async () => (await fetch(`${server.url}/v1/tzdata/changes?from=2025a&to=2026f`)).status;
  damage();
  expect(await status()).toBe(501);
  mend();
  server.child.kill('SIGHUP');
  expect(await events.next('reloaded', 'data')).toMatchObject({ now: 'bundle 7' });
  expect(await status()).toBe(200);
});
