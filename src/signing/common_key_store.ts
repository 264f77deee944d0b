import { quoted } from '../common/errors.ts';
import { type FleetWorld, publicPart, revokeShared } from './fleet_key_store.ts';
import type { KeyDirectory } from './key_directory.ts';
import { keyIdOf } from './key_record.ts';
import { type KeyStore, KeyStoreError, type Rotation } from './key_store.ts';
import type { KeySeal } from './sealed_key.ts';
import {
  inOrder,
  type KeyChange,
  keysElsewhere,
  publish,
  type SharedKeyAt,
  type SharedKeys,
} from './shared_key.ts';
import { publicKeyOf, type SigningKey, validateKeyPair } from './signing_key.ts';

/** The number of attempts at a rotation while other machines change keys. */
const MAX_ATTEMPTS = 10;

interface OpenedKey {
  readonly sealed: string;
  readonly key: SigningKey;
}

/**
 * The signing keys of machines that sign with the same key: the private key is encrypted in the shared store, and a rotation on
 * one machine applies to all. Keys in this machine's own directory stay published but no longer sign.
 */
export class CommonKeyStore implements KeyStore {
  readonly #directory: KeyDirectory;
  readonly #seal: KeySeal;
  readonly #world: Pick<FleetWorld, 'shared'>;
  readonly #known = new Map<string, SigningKey>();
  #opened: OpenedKey | undefined;

  constructor(directory: KeyDirectory, seal: KeySeal, world: Pick<FleetWorld, 'shared'>) {
    this.#directory = directory;
    this.#seal = seal;
    this.#world = world;
  }

  /** @throws {KeyStoreError} if the private key was encrypted with another secret */
  async load(): Promise<readonly SigningKey[]> {
    const own = await this.#directory.load();
    const keys = await publish(
      this.#world.shared,
      own.map(key => publicPart(key, 'retired')),
      await this.#directory.revoked(),
    );
    return this.#merged(keys);
  }

  /** The keys as {@link load} returns them, without publishing any. */
  async view(): Promise<readonly SigningKey[]> {
    return this.#merged(await this.#world.shared.read());
  }

  async rotate({ epochMs, seed, force = false, onlyIf }: Rotation): Promise<readonly SigningKey[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const keys = await this.#world.shared.read();
      // Decrypts only if there is a condition, since a rotation with another secret replaces the secret.
      if (onlyIf !== undefined && !onlyIf(await this.#merged(keys))) return this.load();
      const added = this.#newKey(keys, epochMs, seed, force);
      const retired = sealedKeys(keys).map(([name, present]) => retirement(name, present));
      const outcome = await this.#world.shared.change([added, ...retired]);
      if (outcome === 'away') {
        throw new KeyStoreError('Cannot create a shared signing key: Redis is unavailable');
      }
      if (outcome === 'done') return this.load();
    }
    throw new KeyStoreError('Cannot create a signing key: other machines are changing them; try again');
  }

  /** Revokes a key that is not the active one of these machines. @throws {KeyStoreError} */
  async revoke(kid: string, force: boolean): Promise<void> {
    const active = activeOf(await this.#world.shared.read());
    if (active?.key.kid === kid) {
      const instead = "create a new one first with 'meridian keys rotate --force'";
      throw new KeyStoreError(`Cannot revoke ${quoted(kid)}: it is the active key; ${instead}`);
    }
    await revokeShared(this.#world.shared, kid, force);
  }

  async #merged(keys: SharedKeys): Promise<SigningKey[]> {
    const active = this.#open(activeOf(keys));
    const own = active === undefined ? [] : [active];
    return inOrder(active, [...own, ...(await keysElsewhere(keys, own, this.#known))]);
  }

  #open(found: SharedKeyAt | undefined): SigningKey | undefined {
    const sealed = found?.key.sealed;
    if (found === undefined || sealed === undefined) return undefined;
    if (this.#opened?.sealed === sealed) return this.#opened.key;
    const { kid, x, createdMs, sequence } = found.key;
    try {
      const seed = this.#seal.open(sealed, found.key);
      const key = validateKeyPair({
        kid,
        x,
        createdMs,
        sequence,
        d: Buffer.from(seed).toString('base64url'),
      });
      this.#opened = { sealed, key };
      return key;
    } catch {
      const cause = 'it was encrypted with another file of --share-signing-keys';
      throw new KeyStoreError(`Cannot decrypt the signing key '${kid}' in Redis: ${cause}`);
    }
  }

  #newKey(keys: SharedKeys, epochMs: number, seed: Uint8Array, force: boolean): KeyChange {
    const x = publicKeyOf(seed);
    const kid = freeKeyId(keys, epochMs, force);
    const sequence = 1 + Math.max(0, ...[...keys.values()].map(({ key }) => key.sequence));
    const sealed = this.#seal.seal(seed, { kid, x });
    return { name: kid, revision: 0, key: { kid, x, createdMs: epochMs, sequence, state: 'active', sealed } };
  }
}

function freeKeyId(keys: SharedKeys, epochMs: number, force: boolean): string {
  const today = keyIdOf(epochMs);
  const active = activeOf(keys)?.key;
  if (!force && active !== undefined && keyIdOf(active.createdMs) === today) {
    const why = 'there is one key per day, and --force uses the next free date';
    throw new KeyStoreError(`Cannot create a second signing key today, after '${active.kid}': ${why}`);
  }
  for (let daysLater = 0; ; daysLater++) {
    const kid = keyIdOf(epochMs, daysLater);
    if (!keys.has(kid)) return kid;
  }
}

/** The keys with a private key, by name. There are several only if machines on different dates concurrently created their first ones. */
function sealedKeys(keys: SharedKeys): [string, SharedKeyAt][] {
  return [...keys].filter(([, { key }]) => key.state === 'active' && key.sealed !== undefined);
}

/** The active key, which is the same on all machines. */
function activeOf(keys: SharedKeys): SharedKeyAt | undefined {
  return sealedKeys(keys)
    .map(([, present]) => present)
    .sort(({ key: a }, { key: b }) => b.sequence - a.sequence || (a.kid < b.kid ? 1 : -1))[0];
}

function retirement(name: string, { key, revision }: SharedKeyAt): KeyChange {
  const { sealed: _, ...rest } = key;
  return { name, revision, key: { ...rest, state: 'retired' } };
}
