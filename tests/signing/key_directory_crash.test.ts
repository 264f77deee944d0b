import { expect, test } from 'bun:test';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { keyIdOf } from '../../src/signing/signing_key.ts';
import { runs } from '../support/proof.ts';
import { dayOf, filesIn, type Rotating, startRotating, temporaryFolders } from './key_folder.ts';

const { freshPath } = temporaryFolders();

const MS_PER_DAY = 86_400_000;
const ROTATIONS = runs(60, 300);

/** The date after a `kid`'s. */
function dateAfter(kid: string): string {
  return keyIdOf(dayOf(kid.slice('ed25519-'.length)) * MS_PER_DAY, 1).slice('ed25519-'.length);
}

/** Reads the changing store a random number of times, like a server: published keys must stay. */
async function watch(reader: KeyDirectory, published: Set<string>, rotating: Rotating): Promise<void> {
  for (let reads = Math.floor(Math.random() * 120); reads > 0; reads--) {
    const kids = new Set((await reader.load()).map(({ kid }) => kid));
    expect([...published.difference(kids)]).toEqual([]);
    for (const kid of [...kids, ...rotating.lines.slice(0, -1)]) published.add(kid);
  }
}

test(`kill -9 at random moments of ${ROTATIONS} rotations: every store loads, no published key is missing`, async () => {
  const path = freshPath();
  const published = new Set<string>();
  const server = new KeyDirectory(path);
  let kids: string[] = [];
  while (kids.length < ROTATIONS) {
    const rotating = startRotating(path, kids[0] ? dateAfter(kids[0]) : '2026-01-01', ROTATIONS);
    await rotating.begun;
    await watch(server, published, rotating);
    rotating.kill();
    await rotating.ended;
    for (const kid of rotating.lines) published.add(kid);
    const keys = await new KeyDirectory(path).load();
    kids = keys.map(({ kid }) => kid);
    expect([...published.difference(new Set(kids))]).toEqual([]);
    // Each rotation is a day later than the previous one, so that the creation order is the date order.
    expect(kids).toEqual(kids.toSorted().reverse());
    expect(keys[0]?.privateKey).toBeDefined();
  }
  const mended = await new KeyDirectory(path).rotate({
    epochMs: 0,
    seed: new Uint8Array(32),
    onlyIf: () => false,
  });
  expect(mended.filter(({ privateKey }) => privateKey !== undefined).map(({ kid }) => kid)).toEqual([
    kids[0]!,
  ]);
  expect(filesIn(path)).toEqual([...kids.toReversed().map(kid => `${kid}.json`), 'lock']);
});

test('processes that rotate concurrently lose no key, and agree on the active one', async () => {
  const path = freshPath();
  const processes = [1, 2, 3].map(() => startRotating(path, '2026-01-01', 10));
  await Promise.all(processes.map(({ ended }) => ended));
  const printed = processes.flatMap(({ lines }) => lines);
  expect(new Set(printed).size).toBe(30);
  const keys = await new KeyDirectory(path).load();
  expect(keys.map(({ kid }) => kid).toSorted()).toEqual(printed.toSorted());
  expect(keys.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 30 }, (_, index) => 30 - index));
  expect(keys.map(({ privateKey }) => privateKey !== undefined)).toEqual(keys.map((_, index) => index === 0));
});

test('the lock of a killed process is released', async () => {
  const path = freshPath();
  for (let round = 0; round < 3; round++) {
    const killed = startRotating(path, `20${26 + round}-01-01`, 1000);
    await killed.begun;
    killed.kill();
    await killed.ended;
    const seed = new Uint8Array(32).fill(round + 1);
    const keys = await new KeyDirectory(path).rotate({
      epochMs: dayOf('2001-01-01') * MS_PER_DAY,
      seed,
      force: true,
    });
    expect(keys[0]?.kid).toBe(`ed25519-2001-01-0${round + 1}`);
  }
  expect(filesIn(path).filter(name => name.startsWith('lock'))).toEqual(['lock']);
});
