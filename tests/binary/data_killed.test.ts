import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { DataStore, loadInstalled } from '../../src/server/bundles/data_store.ts';
import { bundleIn, dataKit, NO_FILES, PACKS } from '../support/bundles.ts';
import { BINARY } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF, runs, sampleNumbers } from '../support/proof.ts';

setDefaultTimeout(3_600_000);

const kit = dataKit();
afterAll(() => kit[Symbol.dispose]());
const random = sampleNumbers();

const ATTEMPTS = runs(15, 300);
/** Stores whose processes are killed in parallel. */
const STORES = 3;
/** How many attempts there are per attempt that loads all data. */
const LOADED_EACH = 10;

let bundles: readonly string[];
beforeAll(async () => {
  bundles = await Promise.all([1, 2, 3].map(number => bundleIn(kit.path, number, PACKS, kit.signers)));
});

/** The processes killed before and after they had changed the store. */
const moments = { before: 0, after: 0 };
const differences: string[] = [];

/** Kills installations and rollbacks of one store. */
async function killInStore(state: string, attempts: number): Promise<void> {
  const store = new DataStore(state);
  for (const bundle of bundles.slice(0, 2)) {
    expect(await kit.data(state, 'install', bundle)).toMatchObject({ exitCode: 0, stderr: '' });
  }
  const startedMs = performance.now();
  expect(await kit.data(state, 'install', bundles[2]!)).toMatchObject({ exitCode: 0, stderr: '' });
  const installationMs = performance.now() - startedMs;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { current, generations } = await store.read();
    const inUse = generations.find(({ digest }) => digest === current)?.sequence;
    const isRollback = attempt % 3 === 2 && current !== null;
    const others = bundles.filter((_, index) => index + 1 !== inUse);
    const install = ['install', others[Math.floor(random() * others.length)]!, '--downgrade'];
    // A rollback takes about a fifth of the time.
    await killAfter(random() * installationMs * (isRollback ? 0.3 : 1.2), [
      ...(isRollback ? ['rollback'] : install),
      ...['--state-dir', state, '--data-keys', kit.keys],
    ]);
    const fault = await faultOf(store, attempt % LOADED_EACH === 0);
    if (fault !== null) differences.push(`${isRollback ? 'rollback' : 'install'} ${attempt}: ${fault}`);
    moments[(await store.read()).current === current ? 'before' : 'after']++;
  }
  const last = ['install', bundles[0]!, '--downgrade'];
  expect(await kit.data(state, ...last)).toMatchObject({ exitCode: 0, stderr: '' });
  const isExpected = (name: string) => /^(?:lock|store\.json|[0-9a-f]{64}\.bundle)$/.test(name);
  differences.push(...readdirSync(store.folder).filter(name => !isExpected(name)));
}

async function killAfter(delayMs: number, args: readonly string[]): Promise<void> {
  const child = Bun.spawn([BINARY, 'data', ...args], { stdout: 'ignore', stderr: 'ignore' });
  await Bun.sleep(delayMs);
  child.kill('SIGKILL');
  await child.exited;
}

/** What is wrong with a store: every generation in its index must be complete, and the current one must be in use. */
async function faultOf(store: DataStore, loads: boolean): Promise<string | null> {
  try {
    const { current, generations } = await store.read();
    for (const { digest } of generations) await store.open(digest);
    if (generations.length === 0) return 'there is no generation';
    if (current !== null && !generations.some(({ digest }) => digest === current)) {
      return `the current ${current} is none of ${JSON.stringify(generations)}`;
    }
    if (!loads) return null;
    const { bundle, problems } = await loadInstalled(NO_FILES, store);
    return (bundle?.digest ?? null) === current && problems.length === 0 ? null : problems.join();
  } catch (error) {
    return String(error);
  }
}

test(`after each of ${ATTEMPTS} killed installations and rollbacks the store has a complete generation`, async () => {
  const states = Array.from({ length: STORES }, (_, index) => kit.newState(`killed-${index}`));
  await Promise.all(states.map(state => killInStore(state, ATTEMPTS / STORES)));
  if (IS_PROOF) {
    console.log(`proof: ${moments.before} were killed before they changed the store, ${moments.after} after`);
    expect(Math.min(moments.before, moments.after)).toBeGreaterThan(0);
  }
  expectNoDifferences(
    'killed installations and rollbacks',
    moments.before + moments.after,
    differences,
    ATTEMPTS,
  );
});
