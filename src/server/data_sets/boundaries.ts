import { boundariesManifest, boundariesPath } from '../../../data/boundaries/embedded.ts';
import { outlinesManifest, readOutlines } from '../../../data/outlines/embedded.ts';
import { decodeOutlines } from '../../places/zone_outlines.ts';
import { bytesOf, embeddedPack } from '../data_pack.ts';
import { largePack, lazily, lazyStatus, type SetOf, usable } from './data_set.ts';

/** The boundaries of zones on land and sea. */
export const boundariesSet: SetOf<'boundaries'> = {
  configurable: null,
  compiled: {
    embedded: largePack(boundariesManifest, boundariesPath),
    open: lazily('boundaries', async pack => {
      const { openBoundaries } = await import('../../places/boundaries.ts');
      return openBoundaries(await pack.load());
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  async check(boundaries, { isBundled }) {
    const usableBoundaries = await usable(boundaries);
    if (isBundled) usableBoundaries.check();
    return usableBoundaries.allZoneNames();
  },
};

/** Simplified outlines of zones, for maps. */
export const outlinesSet: SetOf<'outlines'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(outlinesManifest, readOutlines),
    open: lazily('outlines', async pack => decodeOutlines(await bytesOf(pack))),
  },
  describe: ({ version }) => version,
  status: () => null,
  check: async outlines => (await usable(outlines)).zoneNames,
};
