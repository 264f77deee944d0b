import type { Reader } from 'mmdb-lib';
import { checkMmdb } from './mmdb_check.ts';

/** How long the check runs before other tasks get a turn, in milliseconds. */
const SLICE_MS = 4;

/**
 * Reads a location database and checks it in slices, so that a server goes on serving meanwhile.
 * @throws Error with the file and the reason, without a trailing period
 */
export async function readIpFile(path: string): Promise<Reader<never>> {
  try {
    return await runInSlices(checkMmdb(await Bun.file(path).bytes()));
  } catch (error) {
    throw new Error(`Cannot use ${path} as IP database: ${(error as Error).message}`);
  }
}

async function runInSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEnd) continue;
    await new Promise(resolve => setImmediate(resolve));
    sliceEnd = performance.now() + SLICE_MS;
  }
}
