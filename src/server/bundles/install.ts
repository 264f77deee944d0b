import { createHash } from 'node:crypto';
import { messageOf, quoted } from '../../common/errors.ts';
import { COMPILED_NAMES } from '../data_sets.ts';
import { type Bundle, openBundle } from './bundle_file.ts';
import { currentKeys, embeddedKeys, parseKeySet, requireSigned } from './bundle_keys.ts';
import type { CanaryReport } from './canary.ts';
import type { DataStore, StoreIndex } from './data_store.ts';
import { obtainBundle } from './download.ts';

/** Options for installing a bundle. */
export interface InstallOptions {
  /** The key set that the operator trusts, as JSON; null for the executable's. */
  readonly keyText: string | null;
  /** Accepts a lower sequence number. */
  readonly allowsDowngrade: boolean;
  /** Installs only a sequence number higher than any installed before. */
  readonly onlyNewer: boolean;
  /** Tests a verified bundle in a separate process; rejects with the reason if it must not be used. */
  readonly tryOut: (path: string) => Promise<CanaryReport>;
}

/** What was installed, or why nothing was. */
type Installation =
  | { readonly kind: 'installed'; readonly report: CanaryReport }
  | { readonly kind: 'unchanged'; readonly reason: string };

/** Installs a bundle from a file or URL. Rejects with a one-line `Error`, without changing anything, if it is not acceptable. */
export function install(source: string, store: DataStore, options: InstallOptions): Promise<Installation> {
  return store.withIncoming(async incoming => {
    const { generations, current, download: last } = await store.read();
    // After a rollback, an explicit installation returns to the bundle at the URL.
    const known = options.onlyNewer || generations[0]?.digest === current ? last : null;
    // Before the lock, since it may take minutes.
    const obtained = await obtainBundle(source, incoming, known?.url === source ? known.etag : null);
    if (obtained.kind === 'unchanged')
      return { kind: 'unchanged', reason: 'the bundle at the URL has not changed' };
    return await store.change(async index => {
      try {
        const bundle = await openBundle(incoming);
        const keys = verifiedKeys(bundle, index, options.keyText);
        const reason = reasonToSkip(bundle, index, options);
        if (reason !== null) return { kind: 'unchanged', reason };
        await bundle.verifyPayloads();
        const report = await options.tryOut(incoming);
        const download = obtained.etag === null ? null : { url: source, etag: obtained.etag };
        await store.adopt(index, bundle, { keys, download });
        return { kind: 'installed', report };
      } catch (error) {
        throw new Error(`Cannot install ${source}: ${messageOf(error)}`);
      }
    });
  });
}

/**
 * Verifies a bundle's signatures, and that it has no unknown data sets. Returns the keys to trust from now on, for the
 * index. Throws an `Error` otherwise.
 */
export function verifiedKeys(bundle: Bundle, index: StoreIndex, keyText: string | null): StoreIndex['keys'] {
  const roots = keyText === null ? embeddedKeys() : parseKeySet(keyText, 'The trusted keys');
  if (roots === null)
    throw new Error(
      "no keys are trusted: this build has none, so --data-keys FILE must name the publisher's",
    );
  const digest = createHash('sha256').update(JSON.stringify(roots)).digest('hex');
  const trusted = index.keys?.roots === digest ? index.keys.current : roots;
  const { manifestText, signatures } = bundle.head;
  const current = currentKeys(trusted, signatures.successions);
  requireSigned(manifestText, signatures.signatures, current);
  const unknown = bundle.manifest.sets.find(({ name }) => !COMPILED_NAMES.includes(name));
  if (unknown !== undefined)
    throw new Error(`its data set ${quoted(unknown.name)} is not one of ${COMPILED_NAMES.join(', ')}`);
  return current === roots ? null : { roots: digest, current };
}

/** Why a bundle need not be installed; null if it should be. Throws an `Error` if it must not be installed. */
function reasonToSkip(
  { digest, manifest: { sequence } }: Bundle,
  { current, generations, highest, pinned }: StoreIndex,
  { allowsDowngrade, onlyNewer }: InstallOptions,
): string | null {
  if (digest === current) return `bundle ${sequence} is in use already`;
  if (pinned !== null && sequence !== pinned) {
    if (onlyNewer) return `the data is pinned to bundle ${pinned}`;
    throw new Error(
      `the data is pinned to bundle ${pinned}, and it is bundle ${sequence}; 'meridian data pin off' removes the pin`,
    );
  }
  if (sequence < highest && !allowsDowngrade)
    throw new Error(
      `its sequence number ${sequence} is lower than ${highest}, which was installed before; --downgrade allows it`,
    );
  if (sequence !== highest) return null;
  const isKnown = generations.some(generation => generation.digest === digest);
  if (!isKnown && !allowsDowngrade)
    throw new Error(`another bundle with its sequence number ${sequence} was installed before`);
  return onlyNewer ? `bundle ${sequence} was installed before and rolled back` : null;
}
