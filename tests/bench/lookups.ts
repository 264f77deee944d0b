/**
 * How long a look-up of a place takes, over a million places anywhere, and what the process then holds: run by
 * `make bench` in a process of its own, so that its memory is its own.
 */
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { readArtifact } from '../../src/places/artifact_file.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { randomNumbers } from '../random.ts';

const LOOKUPS = 1_000_000;

const beganMs = performance.now();
const boundaries = openBoundaries(await readArtifact(boundariesPath, boundariesManifest.sha256));
const readMs = performance.now() - beganMs;

const random = randomNumbers();
const microseconds = new Float64Array(LOOKUPS);
for (let index = 0; index < LOOKUPS; index++) {
  const latitude = random() * 180 - 90;
  const longitude = random() * 360 - 180;
  const startMs = performance.now();
  boundaries.zoneNameAt(latitude, longitude);
  microseconds[index] = (performance.now() - startMs) * 1000;
}
microseconds.sort();
const quantile = (part: number) => microseconds[Math.floor(LOOKUPS * part)]!.toFixed(2);
console.log(
  `boundaries: read and checked in ${readMs.toFixed(0)} ms; over a million places a look-up takes ${quantile(0.5)} µs ` +
    `(median), ${quantile(0.99)} µs (p99), ${quantile(0.999)} µs (p99.9); memory ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB`,
);
