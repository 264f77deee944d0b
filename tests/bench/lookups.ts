/**
 * How long a look-up of a place takes, over a million places anywhere: prints a JSON object of nanoseconds.
 */
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { readEmbeddedFile } from '../../src/places/embedded_file.ts';
import { randomNumbers } from '../random.ts';

const LOOKUPS = 1_000_000;

const boundaries = openBoundaries(await readEmbeddedFile(boundariesPath, boundariesManifest.sha256));
const random = randomNumbers();
const nanoseconds = new Float64Array(LOOKUPS);
for (let index = 0; index < LOOKUPS; index++) {
  const latitude = random() * 180 - 90;
  const longitude = random() * 360 - 180;
  const startMs = performance.now();
  boundaries.zoneNameAt(latitude, longitude);
  nanoseconds[index] = (performance.now() - startMs) * 1e6;
}
nanoseconds.sort();
const quantile = (part: number) => nanoseconds[Math.floor(LOOKUPS * part)]!;
console.log(
  JSON.stringify({
    'place to zone, median of a million': quantile(0.5),
    'place to zone, 99 % of a million': quantile(0.99),
    'place to zone, 99.9 % of a million': quantile(0.999),
  }),
);
