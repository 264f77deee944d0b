import { placesManifest, placesPath } from '../../../data/places/embedded.ts';
import { decompressZstd } from '../../common/zlib.ts';
import { bytesOf } from '../data_pack.ts';
import { largePack, lazily, lazyStatus, type SetOf, usable } from './data_set.ts';

/** Limit for decompressed places; the embedded ones have 4 MB. */
const MAX_PLACES_BYTES = 64_000_000;

/** Places by name. */
export const gazetteerSet: SetOf<'gazetteer'> = {
  configurable: null,
  compiled: {
    embedded: largePack(placesManifest, placesPath),
    open: lazily('places', async pack => {
      const { Gazetteer } = await import('../../places/gazetteer.ts');
      return new Gazetteer(await decompressZstd(await bytesOf(pack), MAX_PLACES_BYTES));
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  check: async gazetteer => (await usable(gazetteer)).check(),
};
