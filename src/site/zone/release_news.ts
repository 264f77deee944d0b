import { once } from '../../common/once.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { perSnapshot } from '../../http/snapshot.ts';
import { compareReleases } from '../../operations/release_changes.ts';
import type { OffsetChange } from '../../zones/offset_changes.ts';
import type { Release } from '../../zones/release_pack.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';

/** The changes to a zone in a tzdata release. */
export interface ReleaseNews extends Release {
  readonly changes: readonly OffsetChange[];
}

/** Releases whose changes are shown: about four years. */
const SHOWN_RELEASES = 16;

/** Returns the changes in recent releases, newest first, by zone name. */
export const releaseNews: (snapshot: Snapshot) => () => Promise<ReadonlyMap<string, readonly ReleaseNews[]>> =
  perSnapshot(snapshot => once(() => collectNews(snapshot)));

async function collectNews({ releases }: Snapshot): Promise<Map<string, ReleaseNews[]>> {
  await releases.load();
  const history = releases.get();
  const news = new Map<string, ReleaseNews[]>();
  let before: ZoneDatabase | undefined;
  for (const { version, released } of history.releases.slice(-1 - SHOWN_RELEASES)) {
    const after = (await history.open(version))!; // the version is in the history
    const zones = before === undefined ? [] : (await compareReleases(before, after)).zones;
    for (const { zone, changes } of zones) {
      news.set(zone.name, [{ version, released, changes }, ...(news.get(zone.name) ?? [])]);
    }
    before = after;
  }
  return news;
}
