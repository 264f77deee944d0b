import { setCache } from 'geo-tz/all';
import type { Ring, Shape } from './boundary_packer.ts';

/**
 * The boundary release in each version of geo-tz. The package does not name it, so a new version needs an entry; the
 * compiler rejects unknown versions.
 */
const RELEASES: Readonly<Record<string, { readonly boundaries: string; readonly date: string }>> = {
  '8.1.9': { boundaries: '2026d', date: '2026-09-16' },
};

/** The folder of the geo-tz package. */
const PACKAGE = new URL('../../node_modules/geo-tz/', import.meta.url);

/** The installed version of geo-tz, and its release of timezone-boundary-builder. */
export async function geoTzRelease() {
  const { version } = (await Bun.file(new URL('package.json', PACKAGE)).json()) as { version: string };
  const release = RELEASES[version];
  if (!release) throw new Error(`geo-tz ${version} is new: add its boundary release to ${import.meta.path}`);
  return { version, ...release };
}

/** A branch of geo-tz's quadtree: zone indexes, a section of its data file, or further branches; open sea if absent. */
export type GeoTzBranch = number[] | { readonly pos: number; readonly len: number } | GeoTzQuarters;
export interface GeoTzQuarters {
  readonly a?: GeoTzBranch;
  readonly b?: GeoTzBranch;
  readonly c?: GeoTzBranch;
  readonly d?: GeoTzBranch;
}

/** geo-tz's index: the names of its zones, and its quadtree. */
export async function geoTzIndex() {
  const file = Bun.file(new URL('data/timezones.geojson.index.json', PACKAGE));
  return (await file.json()) as { readonly timezones: readonly string[]; readonly lookup: GeoTzQuarters };
}

interface Feature {
  readonly properties: { readonly tzid: string };
  readonly geometry:
    | { readonly type: 'Polygon'; readonly coordinates: readonly Ring[] }
    | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Ring[])[] };
}

/**
 * Decodes geo-tz's cells one by one, and passes each to `onCell` with its path through the quadtree (`abcd…`). The decoder
 * is geo-tz's own: it preloads everything, into a cache that stores nothing.
 */
export function forEachGeoTzCell(
  zoneNames: readonly string[],
  onCell: (path: string, shapes: Shape[]) => void,
): void {
  const zones = new Map(zoneNames.map((name, zone) => [name, zone]));
  const store = {
    get: () => undefined,
    set(path: string, cell: { readonly features: readonly Feature[] }) {
      onCell(
        path,
        cell.features.flatMap(feature => shapesOf(feature, zones)),
      );
    },
  };
  setCache({ preload: true, store });
}

function shapesOf({ properties, geometry }: Feature, zones: ReadonlyMap<string, number>): Shape[] {
  const zone = zones.get(properties.tzid);
  if (zone === undefined) throw new Error(`A cell has a zone that is not in the index: ${properties.tzid}`);
  switch (geometry.type) {
    case 'Polygon':
      return [{ zone, rings: geometry.coordinates }];
    case 'MultiPolygon':
      return geometry.coordinates.map(rings => ({ zone, rings }));
    default:
      throw new Error(`A cell holds ${JSON.stringify(geometry)}, which is not a polygon`);
  }
}
