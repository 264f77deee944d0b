/** Compiles `outlines.svg` and its manifest from the boundaries: `bun data/outlines/compile.ts`. The result is committed. */
import { type Boundaries, openBoundaries } from '../../src/places/boundaries.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { writeArtifact } from '../artifact.ts';
import boundariesManifest from '../boundaries/build/boundaries.manifest.json' with { type: 'json' };
import { progressBar } from '../progress_bar.ts';
import { readZonePack } from '../zones/embedded.ts';
import { type Grid, traceOutlines } from './trace.ts';

const BOUNDARIES = new URL('../boundaries/build/boundaries.pack', import.meta.url);
/** With territorial waters, the smallest island is four cells wide. */
const CELLS_PER_DEGREE = 10;
/** In cells: a diagonal border of square cells is within 0.71 of a straight one. */
const TOLERANCE = 0.9;

/** The zone at the centre of each cell. */
function sampleZones(boundaries: Boundaries): { readonly grid: Grid; readonly names: readonly string[] } {
  const zones = openZonePack(readZonePack());
  const [width, height] = [360 * CELLS_PER_DEGREE, 180 * CELLS_PER_DEGREE];
  const regions = new Uint16Array(width * height);
  const numbers = new Map<string, number>();
  const showProgress = progressBar('outlines');
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const zone = boundaries.zoneNameAt(
        90 - (y + 0.5) / CELLS_PER_DEGREE,
        (x + 0.5) / CELLS_PER_DEGREE - 180,
      );
      if (zone.startsWith('Etc/')) continue; // the sea
      const name = zones.find(zone)!.canonicalName;
      if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
      regions[y * width + x] = numbers.get(name)!;
    }
    showProgress((y + 1) / height);
  }
  return { grid: { width, height, regions }, names: [...numbers.keys()] };
}

/** An SVG of the world with a path for each zone, whose id is its canonical name; its units are tenths of a degree from 90° N 180° W. */
function drawOutlines({ grid, names }: ReturnType<typeof sampleZones>): string {
  const outlines = traceOutlines(grid, TOLERANCE);
  const paths = names
    .map((name, index) => `<path id="${name}" d="${(outlines.get(index + 1) ?? []).map(pathOf).join('')}"/>`)
    .sort();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${grid.width} ${grid.height}">\n<title>Time zones of the world</title>\n${paths.join('\n')}\n</svg>\n`;
}

/** A closed ring in relative steps, which are shorter than coordinates. */
function pathOf(ring: readonly (readonly [number, number])[]): string {
  const steps = ring.slice(1).flatMap(([x, y], index) => [x - ring[index]![0], y - ring[index]![1]]);
  return `M${ring[0]!.join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`;
}

const boundaries = openBoundaries(await Bun.file(BOUNDARIES).bytes());
const svg = new TextEncoder().encode(drawOutlines(sampleZones(boundaries)));
// The attribution of the boundaries also applies to the outlines.
const { version, date, source, licence } = boundariesManifest;
const { bytes } = await writeArtifact(new URL('./', import.meta.url), 'outlines.svg', svg, {
  name: 'outlines',
  version,
  date,
  source,
  licence,
});
console.log(`outlines.svg: ${bytes} bytes, ${Bun.gzipSync(svg).length} compressed`);
