import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { messageOf, quoted } from '../common/errors.ts';
import type { KeyDirectory } from './key_directory.ts';
import type { RingWorld } from './key_ring.ts';
import { KeyStoreError, type ManagedSigningKeyStore, type Rotation } from './key_store.ts';
import { activeKey, Bytes32, KEY_ID, type PublicKey, type SigningKey, validateKey } from './signing_key.ts';

/** The states of a key, which only advance: machines that share a copied directory may learn of them at different times. */
const STATES = ['active', 'retired', 'revoked'] as const;

const FleetKey = Type.Object({
  kid: Type.RegExp(KEY_ID),
  x: Bytes32,
  createdMs: Type.Integer(),
  sequence: Type.Integer({ minimum: 0 }),
  state: Type.Union(STATES.map(state => Type.Literal(state))),
});

/** A public signing key of any machine. */
type FleetKey = Static<typeof FleetKey>;

/** A key in the shared store, and the revision for detecting concurrent changes. */
export interface FleetKeyAt {
  readonly key: FleetKey;
  readonly revision: number;
}

/** The keys by name: the `kid`, or both `kid` and public key if an earlier key has the same `kid`. */
type FleetKeys = ReadonlyMap<string, FleetKeyAt>;

/** A key to store in place of the one with a name and revision; 0 if there is none. */
export interface SigningKeyChange extends FleetKeyAt {
  readonly name: string;
}

/** The signing keys of all machines, in a store that they share. */
export interface FleetKeyTable {
  /** The current keys or, while the store is unavailable, the last known ones. */
  read(): Promise<FleetKeys>;
  /** Makes all changes, or none if one of the keys has been changed concurrently. */
  change(changes: readonly SigningKeyChange[]): Promise<'done' | 'conflict' | 'away'>;
}

/** Drops other members, such as those of earlier versions. @throws {Error} for a value that is not a key in our format */
export function readFleetKey(value: unknown): FleetKey {
  if (!Value.Check(FleetKey, value)) throw new Error('A signing key in Redis is malformed');
  return fleetKey(value, value.state);
}

/** The number of attempts at a change while others change the same keys. */
const MAX_ATTEMPTS = 10;

/** The dependencies of a {@link FleetKeyStore} other than its directory. */
interface FleetWorld extends Pick<RingWorld, 'epochMs' | 'seed' | 'report'> {
  readonly shared: FleetKeyTable;
}

/**
 * The signing keys of a machine in a fleet. It signs with the keys in its directory, publishes them to the other machines before
 * their first use, and publishes the other machines' keys. Names are unique in the fleet: if another machine has published a key
 * with the same `kid` first, because both were offline, the key is replaced.
 */
export class FleetKeyStore implements ManagedSigningKeyStore {
  readonly #directory: KeyDirectory;
  readonly #world: FleetWorld;
  /** Validated keys of other machines by `x`. */
  readonly #known = new Map<string, SigningKey>();
  /** The failure that was reported last, if it lasts. */
  #reported = '';
  /** A key whose name is, or may be, reserved but which could not be created; the next one replaces it. */
  #claimed: PublicKey | undefined;

  constructor(directory: KeyDirectory, world: FleetWorld) {
    this.#directory = directory;
    this.#world = world;
  }

  async synchronize(): Promise<readonly SigningKey[]> {
    let own = await this.#directory.read();
    let keys = await this.#publish(own);
    const active = activeKey(own);
    if (active !== undefined && isUnusable(active, keys)) {
      own = await this.#replaced(active, own);
      keys = await this.#publish(own);
    } else this.#reported = '';
    await this.#revokeOwn(own, keys);
    return this.#merged(own, keys);
  }

  async read(): Promise<readonly SigningKey[]> {
    return this.#merged(await this.#directory.read(), await this.#world.shared.read());
  }

  async rotate(rotation: Rotation): Promise<readonly SigningKey[]> {
    await this.#rotate(rotation);
    return this.synchronize();
  }

  /** Revokes a retired key or, with `force`, one that another machine signs with, which replaces it. @throws {KeyStoreError} for others */
  async revoke(kid: string, force: boolean): Promise<void> {
    if ((await this.#directory.read()).some(key => key.kid === kid)) {
      await this.#directory.revoke(kid);
      await this.synchronize();
    } else await this.#revokeShared(kid, force);
  }

  async #revokeShared(kid: string, force: boolean): Promise<void> {
    const { shared } = this.#world;
    const refusal = (why: string) => new KeyStoreError(`Cannot revoke ${quoted(kid)}: ${why}`);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = (await shared.read()).get(kid);
      if (found === undefined || found.key.state === 'revoked') throw refusal('there is no such key');
      if (found.key.state === 'active' && !force) {
        const instead =
          "run 'meridian keys rotate' there first, or use --force, and that machine makes another";
        throw refusal(`another machine signs with it; ${instead}`);
      }
      const outcome = await shared.change([{ ...found, name: kid, key: fleetKey(found.key, 'revoked') }]);
      if (outcome === 'done') return;
      if (outcome === 'away') throw refusal('Redis is unavailable');
    }
    throw refusal('other machines keep changing it; try again');
  }

  /** The usable keys in publication order, without other machines' invalid ones. */
  async #merged(own: readonly SigningKey[], keys: FleetKeys): Promise<readonly SigningKey[]> {
    const merged = own.filter(key => sharedOf(key, keys)?.key.state !== 'revoked');
    const active = activeKey(merged);
    for (const { key } of keys.values()) {
      const { state, ...publicKey } = key;
      if (state === 'revoked' || own.some(({ x }) => x === key.x)) continue;
      const record = { ...publicKey, d: undefined };
      const valid = this.#known.get(key.x) ?? (await validateKey(record).catch(() => undefined));
      if (valid === undefined) continue;
      this.#known.set(key.x, valid);
      merged.push({ ...valid, elsewhere: state });
    }
    const rank = (key: SigningKey) => (key === active ? 0 : key.elsewhere === 'active' ? 1 : 2);
    return merged.sort(
      (a, b) =>
        rank(a) - rank(b) || b.createdMs - a.createdMs || b.sequence - a.sequence || (a.kid < b.kid ? 1 : -1),
    );
  }

  /** Publishes those keys of this machine that the store lacks, and returns all keys. @throws {KeyStoreError} after many conflicts */
  async #publish(own: readonly SigningKey[]): Promise<FleetKeys> {
    const { shared } = this.#world;
    const active = activeKey(own);
    const states = own.map(key => fleetKey(key, key === active ? 'active' : 'retired'));
    const revoked = await this.#directory.revoked();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const keys = await shared.read();
      const changes = [
        ...states.flatMap(key => advance(key, keys)),
        // Revoked keys that were never published need not be.
        ...revoked.flatMap(key => (sharedOf(key, keys) ? advance(fleetKey(key, 'revoked'), keys) : [])),
      ];
      if (changes.length === 0 || (await shared.change(changes)) === 'away') return keys;
    }
    throw new KeyStoreError("Cannot publish this machine's signing keys: other machines keep changing them");
  }

  async #rotate(rotation: Rotation): Promise<readonly SigningKey[]> {
    const keys = await this.#directory.rotate({ ...rotation, claim: key => this.#claim(key) });
    this.#claimed = undefined;
    return keys;
  }

  /** Reserves the name of a new key by publishing it; true if the fleet cannot be reached. */
  async #claim(key: PublicKey): Promise<boolean> {
    const { shared } = this.#world;
    const present = (await shared.read()).get(key.kid);
    if (present !== undefined && present.key.x !== this.#claimed?.x) return false;
    const revision = present?.revision ?? 0;
    const outcome = await shared.change([{ name: key.kid, revision, key: fleetKey(key, 'active') }]);
    if (outcome === 'conflict') return false;
    this.#claimed = key;
    return true;
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
  async #revokeOwn(own: readonly SigningKey[], keys: FleetKeys): Promise<void> {
    for (const key of own) {
      if (sharedOf(key, keys)?.key.state !== 'revoked' || key === activeKey(own)) continue;
      await this.#directory.revoke(key.kid).catch(error => {
        if (!(error instanceof KeyStoreError)) throw error;
      });
    }
  }
}

function fleetKey({ kid, x, createdMs, sequence }: PublicKey, state: FleetKey['state']): FleetKey {
  return { kid, x, createdMs, sequence, state };
}

function nameOf({ kid, x }: PublicKey, keys: FleetKeys): string {
  const first = keys.get(kid)?.key;
  return first === undefined || first.x === x ? kid : `${kid} ${x}`;
}

/** A key in the shared store, if it is there. */
function sharedOf(key: PublicKey, keys: FleetKeys): FleetKeyAt | undefined {
  return keys.get(nameOf(key, keys));
}

/** Whether a key may no longer sign, because it was revoked or its `kid` belongs to another key. */
function isUnusable(key: PublicKey, keys: FleetKeys): boolean {
  return nameOf(key, keys) !== key.kid || sharedOf(key, keys)?.key.state === 'revoked';
}

/** The change that publishes the state of a key; none if the store has that state or a later one. */
function advance(key: FleetKey, keys: FleetKeys): SigningKeyChange[] {
  const { key: present, revision = 0 } = sharedOf(key, keys) ?? {};
  const isKnown = present !== undefined && STATES.indexOf(present.state) >= STATES.indexOf(key.state);
  return isKnown ? [] : [{ name: nameOf(key, keys), revision, key }];
}
