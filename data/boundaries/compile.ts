/**
 * Compiles the boundaries of the time zones from geo-tz's data: `build/boundaries.pack`, read in place by
 * src/places/boundaries.ts, and its manifest. The same input gives the same bytes.
 */
import { writeArtifact } from '../artifact.ts';
import { progressBar } from '../progress_bar.ts';
import { BoundaryPacker, type Quarter } from './boundary_packer.ts';
import { forEachGeoTzCell, type GeoTzBranch, geoTzIndex, geoTzRelease } from './geo_tz_source.ts';

const release = await geoTzRelease();
const { timezones, lookup } = await geoTzIndex();
const packer = new BoundaryPacker();
const cells = new Map<string, number>();
const total = countCells(lookup);
const showProgress = progressBar('boundaries');
forEachGeoTzCell(timezones, (path, shapes) => {
  cells.set(path, packer.addCell(shapes));
  showProgress(cells.size / total);
});
if (cells.size !== total) throw new Error(`geo-tz gave ${cells.size} of its ${total} cells`);

/** The lists of zones that share a whole quarter, by their names; they are numbered after the zones. */
const claims = new Map<string, string[]>();
const world = quarters(lookup, '');
const manifest = await writeArtifact(
  new URL('build/', import.meta.url),
  'boundaries.pack',
  packer.pack([...timezones.map(name => [name]), ...claims.values()], world),
  {
    name: 'boundaries',
    version: release.boundaries,
    date: release.date,
    source: `timezone-boundary-builder ${release.boundaries}, from npm geo-tz ${release.version}`,
    licence: 'ODbL-1.0',
    attribution: 'Time zone boundaries © OpenStreetMap contributors, ODbL 1.0',
  },
);
console.log(
  `boundaries: ${timezones.length} zones, ${total} cells, ${manifest.bytes} bytes, ${release.boundaries} of ${release.date}`,
);

function quarters(branch: GeoTzBranch, path: string): Quarter[] {
  return (['a', 'b', 'c', 'd'] as const).map(name => {
    const child = (branch as Record<string, GeoTzBranch | undefined>)[name];
    return child === undefined ? { kind: 'sea' } : quarter(child, path + name);
  });
}

function quarter(branch: GeoTzBranch, path: string): Quarter {
  if (Array.isArray(branch))
    return { kind: 'zone', zone: branch.length === 1 ? branch[0]! : claimOf(branch) };
  if ('pos' in branch) return { kind: 'cell', cell: cells.get(path)! };
  return { kind: 'quarters', quarters: quarters(branch, path) };
}

/** The number of a list of zones, in the order of geo-tz: the first takes precedence. */
function claimOf(zones: readonly number[]): number {
  const names = zones.map(zone => timezones[zone]!);
  claims.set(names.join(' '), names);
  return timezones.length + [...claims.keys()].indexOf(names.join(' '));
}

function countCells(branch: GeoTzBranch): number {
  if (Array.isArray(branch)) return 0;
  if ('pos' in branch) return 1;
  return Object.values(branch as Record<string, GeoTzBranch>).reduce(
    (sum, child) => sum + countCells(child),
    0,
  );
}
