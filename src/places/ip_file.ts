import type { Reader } from 'mmdb-lib';
import { checkMmdb } from './mmdb_check.ts';

/** How long the check runs before other tasks get a turn, in milliseconds. */
const SLICE_MS = 4;

/**
 * Checks a location database in slices, so that a server goes on serving meanwhile.
 * @throws Error with the reason, without a trailing period
 */
export function checkIpFile(contents: Uint8Array): Promise<Reader<never>> {
  return runInSlices(checkMmdb(contents));
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
