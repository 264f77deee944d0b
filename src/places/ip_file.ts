import type { Reader } from 'mmdb-lib';
import { checkMmdb } from './mmdb_zones.ts';

/** How long the check runs before yielding to other tasks, in milliseconds. */
const SLICE_MS = 4;

/**
 * Checks a location database in slices, so that the server can serve requests meanwhile.
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
