import { once } from '../../common/once.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { perSnapshot } from '../../http/snapshot.ts';
import { compareReleases } from '../../operations/release_changes.ts';
import type { OffsetChange } from '../../zones/offset_changes.ts';
import type { Release } from '../../zones/release_pack.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';

/** What a release of tzdata changed in a zone. */
export interface ReleaseNews extends Release {
  readonly changes: readonly OffsetChange[];
}

/** Releases whose changes are shown: about four years. */
const SHOWN_RELEASES = 16;

/** Returns what recent releases changed, newest first, by the name of the zone. */
export const releaseNews: (snapshot: Snapshot) => () => Promise<ReadonlyMap<string, readonly ReleaseNews[]>> =
  perSnapshot(snapshot => once(() => collectNews(snapshot)));

async function collectNews({ releases }: Snapshot): Promise<Map<string, ReleaseNews[]>> {
  await releases.load();
  const history = releases.get();
  const news = new Map<string, ReleaseNews[]>();
  let before: ZoneDatabase | undefined;
  for (const { version, released } of history.releases.slice(-1 - SHOWN_RELEASES)) {
    const after = (await history.open(version))!; // it is one of its releases
    const zones = before === undefined ? [] : (await compareReleases(before, after)).zones;
    for (const { zone, changes } of zones) {
      news.set(zone.name, [{ version, released, changes }, ...(news.get(zone.name) ?? [])]);
    }
    before = after;
  }
  return news;
}
