import { beforeEach, expect } from 'bun:test';
import {
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newFolder, requiring, run, startServer } from '../support/process.ts';
import { sample } from '../support/proof.ts';

/** A user who owns nothing but the state directory. */
const OWNER = 65_532;
const asRoot = requiring('Linux', 'root');

/** As set up by systemd for a dynamic user: only root can enter the parent of the state directory. */
const folder = newFolder();
const state = join(folder, 'private/state');
const calendar = join(folder, 'private/calendar');

beforeEach(() => {
  rmSync(join(folder, 'private'), { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  chownSync(state, OWNER, OWNER);
  writeFileSync(calendar, '2026-12-24 holiday Closing day\n', { mode: 0o600 });
});

const meridian = (...args: string[]) => run([...args, '--state-dir', state]);
const addToken = () => meridian('tokens', 'add', '--name', 'test');
const rotateKeys = () => meridian('keys', 'rotate', '--force');

/** Starts a server, which saves the calendar as last good, reloads it and stops. Null if it does not start. */
async function serveOnce(): Promise<{ uid: string; reload: number; exitCode: number } | null> {
  const server = await startServer(['--calendar', calendar, '--state-dir', state]).catch(() => null);
  if (server === null) return null;
  using _ = server;
  const { pid } = server.child;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const reload = await meridian('reload', String(pid));
  server.child.kill('SIGTERM');
  return {
    uid: /^Uid:\t(.*)$/m.exec(status)![1]!,
    reload: reload.exitCode,
    exitCode: await server.child.exited,
  };
}

/** The files in a folder with their owners, modes and contents. */
function inventory(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(name => {
      const { uid, mode } = statSync(join(path, name));
      const contents = statSync(join(path, name)).isDirectory()
        ? ''
        : Bun.hash(readFileSync(join(path, name)));
      return `${name} ${uid} ${mode.toString(8)} ${contents}`;
    });
}

asRoot("root works in another user's state directory as that user", async () => {
  expect(await addToken()).toMatchObject({ exitCode: 0 });
  expect(await rotateKeys()).toMatchObject({ exitCode: 0 });
  const uid = [OWNER, OWNER, OWNER, OWNER].join('\t');
  expect(await serveOnce()).toEqual({ uid, reload: 0, exitCode: 0 });
  expect(await meridian('check', '--calendar', calendar)).toMatchObject({ exitCode: 0 });
  expect((await meridian('doctor', '--calendar', calendar)).stdout).toContain('API keys: 1,');
  const names = readdirSync(state, { recursive: true, encoding: 'utf8' });
  expect(names.sort()).toEqual([
    'access.sqlite',
    'last-good',
    `last-good/calendar-${new Bun.CryptoHasher('sha256').update(readFileSync(calendar)).digest('hex')}`,
    'last-good/calendar.json',
    'signing-keys',
    expect.stringMatching(/^signing-keys\/ed25519-.*\.json$/),
    'signing-keys/lock',
  ]);
  expect(names.filter(name => statSync(join(state, name)).uid !== OWNER)).toEqual([]);
});

asRoot('links in the state directory lead no command to files that only root may change', async () => {
  await addToken();
  await rotateKeys();
  await serveOnce();
  const good = join(folder, 'private/good');
  cpSync(state, good, { recursive: true, preserveTimestamps: true });
  const names = readdirSync(good, { recursive: true, encoding: 'utf8' });
  const [key] = names.filter(name => name.startsWith('signing-keys/ed25519'));
  const others = ['access.sqlite-wal', 'access.sqlite-shm', 'access.sqlite-journal', `${key}.tmp`];
  const targets = join(folder, 'private/targets');
  for (const name of sample([...names, ...others], 4)) {
    for (const link of [symlinkSync, linkSync]) {
      rmSync(targets, { recursive: true, force: true });
      mkdirSync(targets);
      const target = join(targets, 'target');
      if (names.includes(name)) cpSync(join(good, name), target, { recursive: true });
      else copyFileSync(join(good, 'access.sqlite'), target);
      if (link === linkSync && statSync(target).isDirectory()) continue;
      restore(good);
      rmSync(join(state, name), { recursive: true, force: true });
      link(target, join(state, name));
      const before = inventory(targets);
      await Promise.all([addToken(), rotateKeys(), serveOnce(), meridian('check'), meridian('doctor')]);
      expect([link.name, name, ...inventory(targets)]).toEqual([link.name, name, ...before]);
    }
  }
});

/** Restores the state directory and its owner. */
function restore(good: string): void {
  rmSync(state, { recursive: true });
  cpSync(good, state, { recursive: true });
  for (const name of ['', ...readdirSync(state, { recursive: true, encoding: 'utf8' })])
    chownSync(join(state, name), OWNER, OWNER);
}

/** Replaces a folder with a link as soon as a command has put a file there, before it finishes. */
const SWAPPING = `
  const { readdirSync, renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const [path, target] = process.argv.slice(1);
  const files = () => readdirSync(path).filter(name => !name.endsWith('.tmp')).join();
  process.stdout.write('.');
  for (let before = files(); ; before = files()) {
    while (files() === before);
    try {
      renameSync(path, path + '.aside');
      symlinkSync(target, path);
      Bun.sleepSync(20);
      unlinkSync(path);
      renameSync(path + '.aside', path);
    } catch {} // a command created the folder in the meantime
  }`;

asRoot('folders replaced by links while commands run do not redirect them', async () => {
  await rotateKeys();
  await serveOnce();
  for (const [name, work] of [
    ['signing-keys', rotateKeys],
    ['last-good', () => changedCalendar().then(serveOnce)],
  ] as const) {
    const target = join(folder, 'private', `only root ${name}`);
    cpSync(join(state, name), target, { recursive: true });
    const before = inventory(target);
    const swapping = Bun.spawn([process.execPath, '-e', SWAPPING, join(state, name), target], {
      stdout: 'pipe',
      stderr: 'ignore',
    });
    await swapping.stdout.getReader().read();
    for (let round = 0; round < 10; round++) await work();
    expect(swapping.exitCode).toBeNull();
    swapping.kill();
    expect(inventory(target)).toEqual(before);
  }
});

async function changedCalendar(): Promise<void> {
  writeFileSync(calendar, `${readFileSync(calendar, 'utf8')}# another\n`);
}
