import { quoted, ServiceError } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import type { ReleaseHistory } from '../../zones/release_history.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { text } from './schemas.ts';

/** The release of tzdata that a response is computed with. */
export const TzdataText = text(
  'Release of tzdata that the response is computed with, one of `/v1/tzdata`; by default the current one. A name that the ' +
    'release lacks is another name of the same zone there.',
  '2024a',
);

/** The releases that a server has; throws `DEPENDENCY_NOT_READY` if they cannot be read. */
export async function loadReleases({ releases }: Snapshot): Promise<ReleaseHistory> {
  await releases.load();
  return releases.get();
}

/** The zones of a release. Throws `INVALID_PARAMETER` with all releases for an unknown one. */
export async function openRelease(
  version: string,
  parameter: string,
  snapshot: Snapshot,
): Promise<ZoneDatabase> {
  const history = await loadReleases(snapshot);
  const zones = await history.open(version);
  if (zones !== undefined) return zones;
  if (version === snapshot.zones.version) return snapshot.zones; // the operator's
  const releases = history.releases.map(release => release.version);
  throw new ServiceError(
    'INVALID_PARAMETER',
    `Cannot read '${parameter}': ${quoted(version)} is not a release of tzdata that this server has, which are ${releases.join(', ')}`,
    { parameter, releases },
  );
}

const snapshotsOfReleases = perSnapshot(() => new WeakMap<ZoneDatabase, Snapshot>());

/** A snapshot with the zones of the release in `tzdata`, which the query has. */
export async function asOfRelease(query: Query, snapshot: Snapshot): Promise<Snapshot> {
  const version = query.get('tzdata')!; // it was supplied, so that `get` returns a text or throws
  if (version === snapshot.zones.version) return snapshot;
  const zones = await openRelease(version, 'tzdata', snapshot);
  const changed = snapshotsOfReleases(snapshot).get(zones) ?? { ...snapshot, zones };
  snapshotsOfReleases(snapshot).set(zones, changed);
  return changed;
}
