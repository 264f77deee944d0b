import { BoundedCache } from '../../common/caching.ts';
import { quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { dataInUse } from '../../http/data_use.ts';
import type { Query } from '../../http/query.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import { dataSets } from '../../operations/served_data.ts';
import type { ReleaseHistory } from '../../zones/releases.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { type InputFactory, optional, text } from '../inputs.ts';

/** The tzdata release of a response. The snapshot already has its zones, from {@link asOfRelease}, unless the server lacks it. */
export const release: InputFactory<null> = optional(
  text(
    'tzdata release to compute the response with, one of those in `/v1/tzdata`; by default the current one. For a zone name ' +
      'that it lacks, it uses a name that is linked to the same zone today.',
    '2024a',
  ),
  (version, name, { snapshot }) => {
    if (version !== snapshot.zones.version) throw unknownRelease(version, name, snapshot.releases.get());
    return null;
  },
  dataSets('zones'),
);

/** The zones of a release; undefined if it is neither available nor the operator's. Throws `DEPENDENCY_NOT_READY`. */
export async function openRelease(version: string, snapshot: Snapshot): Promise<ZoneDatabase | undefined> {
  const { releases } = snapshot;
  await releases.load();
  const zones = await releases.get().open(version);
  return zones ?? (version === snapshot.zones.version ? snapshot.zones : undefined);
}

/** An `INVALID_PARAMETER` that lists all releases. */
export function unknownRelease(version: string, parameter: string, history: ReleaseHistory): ServiceError {
  const releases = history.releases.map(known => known.version);
  const { message } = unreadable(
    parameter,
    `${quoted(version)} is not a tzdata release on this server, which has ${releases.join(', ')}`,
  );
  return new ServiceError('INVALID_PARAMETER', message, { parameter, releases });
}

/** The snapshots of releases in use, by version; half their maximum number. */
const snapshotsOfReleases = perSnapshot(() => new BoundedCache<string, Snapshot>(4));

/** The snapshot for a query with `tzdata`, with the zones of that release if it is known; a promise if it must be opened. */
export function asOfRelease(query: Query, snapshot: Snapshot): Snapshot | Promise<Snapshot> {
  const version = query.peek('tzdata');
  if (version === snapshot.zones.version) return snapshot;
  return snapshotsOfReleases(snapshot).get(version) ?? openSnapshot(version, snapshot);
}

async function openSnapshot(version: string, snapshot: Snapshot): Promise<Snapshot> {
  const zones = await openRelease(version, snapshot);
  if (zones === undefined || zones === snapshot.zones) return snapshot;
  const digests = { ...snapshot.digests, zones: dataInUse('releases', snapshot).sha256 };
  return snapshotsOfReleases(snapshot).getOrInsertComputed(version, () => ({ ...snapshot, zones, digests }));
}
