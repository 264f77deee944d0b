import { createHash } from 'node:crypto';
import { messageOf } from '../../common/message_of.ts';
import { quoted } from '../../common/service_error.ts';
import { COMPILED_NAMES } from '../data_sets.ts';
import { type Bundle, openBundle } from './bundle_file.ts';
import { currentKeys, embeddedKeys, parseKeySet, requireSigned } from './bundle_keys.ts';
import type { CanaryReport } from './canary.ts';
import type { DataStore, StoreIndex } from './data_store.ts';
import { isUrl, obtainBundle } from './obtain.ts';

/** How a bundle is installed. */
export interface InstallOptions {
  /** The key set that the operator trusts, as JSON; null for the one of the executable. */
  readonly keyText: string | null;
  /** Accepts a lower sequence number. */
  readonly allowsDowngrade: boolean;
  /** Installs only a sequence number that is higher than any before. */
  readonly onlyNewer: boolean;
  /** Tries a verified bundle in a process of its own; rejects with the reason if it must not be used. */
  readonly tryOut: (path: string) => Promise<CanaryReport>;
}

/** What was installed; or why there was nothing to do. */
export type Installation =
  | { readonly kind: 'installed'; readonly report: CanaryReport }
  | { readonly kind: 'unchanged'; readonly reason: string };

/** Installs the bundle of a file or a URL. Rejects with an `Error` of one line if it is refused; nothing has changed then. */
export function install(source: string, store: DataStore, options: InstallOptions): Promise<Installation> {
  return store.change(async (index, incoming) => {
    const etag = index.download?.url === source ? index.download.etag : null;
    const newEtag = await obtainBundle(source, incoming, etag);
    if (newEtag === 'unchanged') return { kind: 'unchanged', reason: 'it is the bundle in use' };
    try {
      const bundle = await openBundle(incoming);
      const keys = verifiedKeys(bundle, index, options.keyText);
      const reason = reasonToSkip(bundle, index, options);
      if (reason !== null) return { kind: 'unchanged', reason };
      await bundle.verifyPayloads();
      const report = await options.tryOut(incoming);
      const download = newEtag !== null && isUrl(source) ? { url: source, etag: newEtag } : null;
      await store.adopt(index, bundle, { keys, download });
      return { kind: 'installed', report };
    } catch (error) {
      throw new Error(`Cannot install ${source}: ${messageOf(error)}`);
    }
  });
}

/**
 * Verifies the signatures of a bundle, and that it has no unknown data set. Returns the keys to trust from then on, for the
 * index. Throws an `Error`.
 */
export function verifiedKeys(bundle: Bundle, index: StoreIndex, keyText: string | null): StoreIndex['keys'] {
  const roots = keyText === null ? embeddedKeys() : parseKeySet(keyText, 'The trusted keys');
  if (roots === null) {
    throw new Error(
      'no keys are trusted: this build has none, so --data-keys FILE must name those of the publisher',
    );
  }
  const digest = createHash('sha256').update(JSON.stringify(roots)).digest('hex');
  const trusted = index.keys?.roots === digest ? index.keys.current : roots;
  const { manifestText, signatures } = bundle.head;
  const current = currentKeys(trusted, signatures.successions);
  requireSigned(manifestText, signatures.signatures, current);
  const unknown = bundle.manifest.sets.find(({ name }) => !COMPILED_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Error(`its data set ${quoted(unknown.name)} is not one of ${COMPILED_NAMES.join(', ')}`);
  }
  return current === roots ? null : { roots: digest, current };
}

/** Why a bundle needs no installation; null if it does. Throws an `Error` if it must not be installed. */
function reasonToSkip(
  { digest, manifest: { sequence } }: Bundle,
  { current, generations, highest, pinned }: StoreIndex,
  { allowsDowngrade, onlyNewer }: InstallOptions,
): string | null {
  if (digest === current) return `bundle ${sequence} is in use already`;
  if (pinned !== null && sequence !== pinned) {
    if (onlyNewer) return `the data are pinned to bundle ${pinned}`;
    throw new Error(
      `the data are pinned to bundle ${pinned}, and it is bundle ${sequence}; 'meridian data pin off' lifts that`,
    );
  }
  if (sequence < highest && !allowsDowngrade) {
    throw new Error(
      `its sequence number ${sequence} is lower than ${highest}, which was installed before; --downgrade permits it`,
    );
  }
  if (sequence !== highest) return null;
  const isKnown = generations.some(generation => generation.digest === digest);
  if (!isKnown && !allowsDowngrade) {
    throw new Error(`another bundle with its sequence number ${sequence} was installed before`);
  }
  return onlyNewer ? `bundle ${sequence} was installed before, and rolled back` : null;
}
