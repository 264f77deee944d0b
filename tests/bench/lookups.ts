/**
 * How long lookups take, one by one: a million random places, and 100,000 place-name searches. Prints a JSON object of
 * nanoseconds.
 */
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { placesManifest, placesPath } from '../../data/places/embedded.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { readEmbeddedFile } from '../../src/places/embedded_file.ts';
import { Gazetteer } from '../../src/places/gazetteer.ts';
import { randomNumbers } from '../support/property.ts';

const PLACES = 1_000_000;
const SEARCHES = 100_000;
const MAX_PLACES = 50;

const random = randomNumbers();
const boundaries = openBoundaries(await readEmbeddedFile(boundariesPath, boundariesManifest.sha256));
const pack = await readEmbeddedFile(placesPath, placesManifest.sha256);
const gazetteer = new Gazetteer(await Bun.zstdDecompress(pack.subarray(0, pack.length)));
const below = (limit: number) => Math.floor(random() * limit);

/** Letters with roughly their frequency in names. */
const LETTERS = 'aaaaaeeeeiiiinnnnrrrrooooslltttuumdhkgcbpvyzjwf   ';
/** One to eight letters, as typed on the way to a name, mostly with typos. */
function typed(): string {
  return Array.from({ length: 1 + below(8) }, () => LETTERS[below(LETTERS.length)]).join('');
}

function nanosecondsOf<Argument>(count: number, make: () => Argument, work: (argument: Argument) => void) {
  const nanoseconds = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const argument = make();
    const startMs = performance.now();
    work(argument);
    nanoseconds[index] = (performance.now() - startMs) * 1e6;
  }
  return nanoseconds.sort();
}

function quantiles(name: string, nanoseconds: Float64Array): Record<string, number> {
  const quantile = (part: number) => nanoseconds[Math.floor(nanoseconds.length * part)]!;
  return {
    [`${name}, median`]: quantile(0.5),
    [`${name}, 99 %`]: quantile(0.99),
    [`${name}, 99.9 %`]: quantile(0.999),
  };
}

const anywhere = () => [random() * 180 - 90, random() * 360 - 180] as const;
const zoneLookups = nanosecondsOf(PLACES, anywhere, place => boundaries.zoneNameAt(...place));
const searches = nanosecondsOf(SEARCHES, typed, text => gazetteer.search(text, MAX_PLACES));
const names = nanosecondsOf(SEARCHES, typed, text => gazetteer.resolve(text, 10));
console.log(
  JSON.stringify({
    ...quantiles('place to zone, of a million', zoneLookups),
    ...quantiles('search for a place, of 100,000', searches),
    ...quantiles('place by name, of 100,000', names),
  }),
);
