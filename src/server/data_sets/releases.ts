import { readReleasePack, releasesManifest } from '../../../data/releases/embedded.ts';
import { bytesOf, embeddedPack } from '../data_pack.ts';
import { lazily, lazyStatus, type SetOf, usable } from './data_set.ts';

/** The zones of past releases of tzdata. */
export const releasesSet: SetOf<'releases'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(releasesManifest, readReleasePack),
    open: lazily('releases', async pack => {
      const { openReleasePack } = await import('../../zones/release_history.ts');
      return openReleasePack(await bytesOf(pack));
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  async check(releases, { isBundled }) {
    if (!isBundled) return [];
    const history = await usable(releases);
    for (const { version } of history.releases) await history.open(version);
    return [];
  },
};
