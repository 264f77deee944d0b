import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { temporaryFolder } from '../access/folders.ts';
import { keyFileIn, keySetOf, newKey, packOf } from '../server/bundles/bundle_kit.ts';
import { type Outcome, type RunningServer, run } from './process.ts';

/** The executable's zones and holidays. */
export const PACKS = [packOf('tzdata', readZonePack()), packOf('holidays', readHolidayPack())];

/** Two keys that must both sign, in a temporary folder; dispose of it to remove the folder. */
export function dataKit() {
  const folder = temporaryFolder();
  const signers = [newKey(), newKey()];
  const keys = keyFileIn(folder.path, keySetOf(signers, { threshold: 2 }));
  return {
    path: folder.path,
    signers,
    /** The path of the key file. */
    keys,
    /** Creates a state directory. */
    newState(name: string): string {
      const state = join(folder.path, name);
      mkdirSync(state);
      return state;
    },
    /** Runs `meridian data`. */
    data: (state: string, ...args: readonly string[]): Promise<Outcome> =>
      run(['data', ...args, '--state-dir', state, '--data-keys', keys]),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The sequence numbers of the bundles in use by a server's workers, from its metrics; 0 for none. */
export async function bundlesInUse({ url }: Pick<RunningServer, 'url'>): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.matchAll(/^meridian_data_bundle_sequence(?:\{.*\})? (\d+)$/gm);
  return [...samples].map(([, sequence]) => Number(sequence));
}

/** Waits until all workers of a server use a bundle. */
export async function untilUsed(
  server: Pick<RunningServer, 'url'>,
  sequence: number,
  workers = 1,
): Promise<void> {
  for (;;) {
    const used = await bundlesInUse(server);
    if (used.length === workers && used.every(each => each === sequence)) return;
    await Bun.sleep(50);
  }
}
