import { messageOf, quoted } from '../common/errors.ts';
import type { KeyDirectory } from './key_directory.ts';
import { type KeyStore, KeyStoreError, type NewKey, type Rotation } from './key_store.ts';
import {
  inOrder,
  isUnusable,
  keysElsewhere,
  nameOf,
  publish,
  revocation,
  type SharedKey,
  type SharedKeyStore,
  type SharedKeys,
  sharedOf,
} from './shared_key.ts';
import { activeKey, type SigningKey } from './signing_key.ts';

/** The dependencies of a {@link FleetKeyStore} other than its directory. */
export interface FleetWorld {
  readonly shared: SharedKeyStore;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly epochMs: () => number;
  /** 32 random bytes. */
  readonly seed: () => Uint8Array;
  /** Logs an error, one line. */
  readonly report: (message: string) => void;
}

/**
 * The signing keys of a machine in a fleet. It signs with the keys in its directory, publishes them to the other machines before
 * their first use, and publishes the other machines' keys. Names are unique in the fleet: if another machine has published a key
 * with the same `kid` first, because both were offline, the key is replaced.
 */
export class FleetKeyStore implements KeyStore {
  readonly #directory: KeyDirectory;
  readonly #world: FleetWorld;
  readonly #known = new Map<string, SigningKey>();
  #reported = '';
  /** A key whose name is reserved but which could not be created; the next one replaces it. */
  #claimed: NewKey | undefined;

  constructor(directory: KeyDirectory, world: FleetWorld) {
    this.#directory = directory;
    this.#world = world;
  }

  async load(): Promise<readonly SigningKey[]> {
    let own = await this.#directory.load();
    let keys = await this.#publish(own);
    const active = activeKey(own);
    if (active !== undefined && isUnusable(active, keys)) {
      own = await this.#replaced(active, own);
      keys = await this.#publish(own);
    }
    await this.#revokeOwn(own, keys);
    return this.#merged(own, keys);
  }

  /** The keys as {@link load} returns them, without publishing or replacing any. */
  async view(): Promise<readonly SigningKey[]> {
    return this.#merged(await this.#directory.load(), await this.#world.shared.read());
  }

  async rotate(rotation: Rotation): Promise<readonly SigningKey[]> {
    await this.#rotate(rotation);
    return this.load();
  }

  /**
   * Revokes a retired key of any machine or, with `force`, a key that another machine signs with, which then replaces it.
   * @throws {KeyStoreError} for any other key
   */
  async revoke(kid: string, force: boolean): Promise<void> {
    const own = (await this.#directory.load()).find(key => key.kid === kid);
    if (own !== undefined) {
      await this.#directory.revoke(kid);
      await this.load();
      return;
    }
    await revokeShared(this.#world.shared, kid, force);
  }

  async #merged(own: readonly SigningKey[], keys: SharedKeys): Promise<readonly SigningKey[]> {
    const usable = own.filter(key => sharedOf(key, keys)?.key.state !== 'revoked');
    return inOrder(activeKey(usable), [...usable, ...(await keysElsewhere(keys, own, this.#known))]);
  }

  async #publish(own: readonly SigningKey[]): Promise<SharedKeys> {
    const active = activeKey(own);
    const states = own.map(key => publicPart(key, key === active ? 'active' : 'retired'));
    return publish(this.#world.shared, states, await this.#directory.revoked());
  }

  async #rotate(rotation: Rotation): Promise<readonly SigningKey[]> {
    const keys = await this.#directory.rotate({ ...rotation, claim: key => this.#claim(key) });
    this.#claimed = undefined;
    return keys;
  }

  /** Reserves the name of a new key by publishing it; true if the fleet cannot be reached. */
  async #claim(key: NewKey): Promise<boolean> {
    const { shared } = this.#world;
    const present = (await shared.read()).get(key.kid);
    if (present !== undefined && present.key.x !== this.#claimed?.x) return false;
    const revision = present?.revision ?? 0;
    const outcome = await shared.change([{ name: key.kid, revision, key: publicPart(key, 'active') }]);
    this.#claimed = key;
    return outcome !== 'conflict';
  }

  /** The keys after replacing the active one. If that fails, they remain unchanged, and the failure is reported. */
  async #replaced(active: SigningKey, own: readonly SigningKey[]): Promise<readonly SigningKey[]> {
    const { epochMs, seed, report } = this.#world;
    try {
      const onlyIf = (keys: readonly SigningKey[]) => activeKey(keys)?.x === active.x;
      return await this.#rotate({ epochMs: epochMs(), seed: seed(), force: true, onlyIf });
    } catch (error) {
      const message = `The signing key '${active.kid}' is revoked, or the name of another machine's key, and cannot be replaced: ${messageOf(error)}`;
      if (message !== this.#reported) report(message);
      this.#reported = message;
      return own;
    }
  }

  /** Revokes keys in the directory that another machine has revoked; if it is not writable, they remain there, unused. */
  async #revokeOwn(own: readonly SigningKey[], keys: SharedKeys): Promise<void> {
    for (const key of own) {
      if (sharedOf(key, keys)?.key.state !== 'revoked' || key === activeKey(own)) continue;
      await this.#directory.revoke(key.kid).catch(error => {
        if (!(error instanceof KeyStoreError)) throw error;
      });
    }
  }
}

/** Revokes a key in the shared store by its `kid`. @throws {KeyStoreError} */
export async function revokeShared(shared: SharedKeyStore, kid: string, force: boolean): Promise<void> {
  const keys = await shared.read();
  const found = keys.get(kid);
  if (found === undefined || found.key.state === 'revoked') {
    throw new KeyStoreError(`Cannot revoke ${quoted(kid)}: there is no such key`);
  }
  if (found.key.state === 'active' && !force) {
    const instead = "run 'meridian keys rotate' there first, or use --force, and that machine makes another";
    throw new KeyStoreError(`Cannot revoke ${quoted(kid)}: another machine signs with it; ${instead}`);
  }
  const outcome = await shared.change([revocation(nameOf(found.key, keys), found)]);
  if (outcome === 'away') throw new KeyStoreError(`Cannot revoke ${quoted(kid)}: Redis is unavailable`);
  if (outcome === 'conflict') await revokeShared(shared, kid, force);
}

/** The public part of a key, for other machines. */
export function publicPart({ kid, x, createdMs, sequence }: NewKey, state: SharedKey['state']): SharedKey {
  return { kid, x, createdMs, sequence, state };
}
