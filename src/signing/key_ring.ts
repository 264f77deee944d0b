import { type KeySet, keySetOf, type SigningKeys } from './key_set.ts';
import { type KeyStore, KeyStoreError } from './key_store.ts';
import { isRotationDue, needsRepair } from './rotation.ts';
import { activeKey, type SigningKey } from './signing_key.ts';

const MS_BETWEEN_LOOKS = 1000;

/** The world as the ring sees it; tests fill it. */
export interface RingWorld {
  /** Milliseconds since 1970-01-01T00:00:00Z, by the wall clock. */
  epochMs(): number;
  /** Milliseconds of a clock that never goes back. */
  elapsedMs(): number;
  /** Resolves after some milliseconds; at once where they are not positive. */
  wait(ms: number): Promise<void>;
  /** 32 fresh random bytes. */
  seed(): Uint8Array;
  /** Takes one line for the operator on what went wrong. */
  report(message: string): void;
  /** Is told of each key that takes another's place as the active one. */
  activated(kid: string): void;
}

/** Which keys a ring holds, and for how long. */
export interface RingSettings {
  readonly store: KeyStore;
  /** How many retired keys stay published; `Infinity` for all. */
  readonly retain: number;
  /** The age in milliseconds at which the active key is replaced; undefined for never. */
  readonly rotateEveryMs: number | undefined;
}

type Task = 'reading' | 'changing';

/** A server's signing keys: kept in memory, reread when another process may have changed them. */
export class KeyRing implements SigningKeys {
  readonly #settings: RingSettings;
  readonly #world: RingWorld;
  #keys: readonly SigningKey[] = [];
  #current: KeySet = keySetOf([], 0);
  readonly #problems = new Map<Task, string>();
  #loadsBegun = 0;
  #newestLoad = 0;
  #look: Promise<unknown> | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  private constructor(settings: RingSettings, world: RingWorld) {
    this.#settings = settings;
    this.#world = world;
  }

  /**
   * Loads the keys, and makes the first one where there is none. A store that cannot be written is reported, not
   * thrown: the server then serves without signatures, or with the keys there are.
   *
   * @throws {KeyStoreError} when the store is damaged or others can read it
   */
  static async open(settings: RingSettings, world: RingWorld): Promise<KeyRing> {
    const ring = new KeyRing(settings, world);
    await ring.#load();
    await ring.#keepUp();
    return ring;
  }

  get current(): KeySet {
    return this.#current;
  }

  get problem(): string | undefined {
    return this.#problems.get('reading') ?? this.#problems.get('changing');
  }

  /**
   * Takes over what another process did to the store. Where it cannot be read it reports so and keeps the keys;
   * false then.
   */
  reread(): Promise<boolean> {
    return this.#guard('reading', () => this.#load());
  }

  /** Like {@link reread}, for who reports failures himself. @throws {KeyStoreError} */
  async reload(): Promise<void> {
    try {
      await this.#load();
      this.#problems.delete('reading');
    } catch (error) {
      if (error instanceof KeyStoreError) this.#problems.set('reading', error.message);
      throw error;
    }
  }

  /** What a server does by itself twice a minute: reread, mend what a crash left, rotate when the schedule says so. */
  async maintain(): Promise<void> {
    if (await this.reread()) await this.#keepUp();
  }

  /** The key set to publish: rereads the store when the last look at it is a second old. */
  async published(): Promise<readonly SigningKey[]> {
    const isOld = this.#world.elapsedMs() - this.#lookedMs >= MS_BETWEEN_LOOKS;
    if (isOld || this.#look !== undefined) await this.#lookAtStore();
    return this.#current.published;
  }

  /**
   * A published key by its `kid`. An unknown one may be another process's newest: nobody is told that it is unknown
   * before the store was read after they asked, and the store is read once a second at most.
   */
  async find(kid: string): Promise<SigningKey | undefined> {
    const askedMs = this.#world.elapsedMs();
    for (;;) {
      const key = (await this.published()).find(candidate => candidate.kid === kid);
      if (key !== undefined || this.#lookedMs >= askedMs) return key;
      await this.#world.wait(this.#lookedMs + MS_BETWEEN_LOOKS - this.#world.elapsedMs());
    }
  }

  /** Makes the key that is missing or due, and mends what a crash left. */
  #keepUp(): Promise<boolean> {
    return this.#guard('changing', async () => {
      if (needsRepair(this.#keys) || this.#isDue(this.#keys)) await this.#rotate();
    });
  }

  /** One look serves all who come while it takes: a disk that hangs must not gather readings. */
  #lookAtStore(): Promise<unknown> {
    if (this.#look === undefined) {
      this.#lookedMs = this.#world.elapsedMs();
      this.#look = this.reread().finally(() => {
        this.#look = undefined;
      });
    }
    return this.#look;
  }

  /** Several processes may come here at once: who comes second finds nothing left to do. */
  async #rotate(): Promise<void> {
    const onlyIf = (keys: readonly SigningKey[]): boolean =>
      activeKey(keys) === undefined || this.#isDue(keys);
    try {
      const rotation = { epochMs: this.#world.epochMs(), seed: this.#world.seed(), force: true, onlyIf };
      await this.#settings.store.rotate(rotation);
    } finally {
      await this.#load(); // a rotation that failed half-way has a new key all the same
    }
  }

  #isDue(keys: readonly SigningKey[]): boolean {
    return isRotationDue(keys, this.#settings.rotateEveryMs, this.#world.epochMs());
  }

  /** Loads overlap; one that began earlier and ends later must not bring old keys back. */
  async #load(): Promise<void> {
    const load = ++this.#loadsBegun;
    const keys = await this.#settings.store.load();
    if (load < this.#newestLoad) return;
    if (keys.length === 0 && this.#keys.length > 0) throw gone(); // an unmounted disk, and not the wish for a new key
    this.#newestLoad = load;
    this.#keys = keys;
    const before = this.#current.active?.kid;
    this.#current = keySetOf(keys, this.#settings.retain);
    const { active } = this.#current;
    if (active !== undefined && before !== undefined && active.kid !== before)
      this.#world.activated(active.kid);
  }

  /** Reports a failure of the store once, however often it is met; false when there was one. */
  async #guard(task: Task, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#problems.delete(task);
      return true;
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      if (error.message !== this.#problems.get(task)) this.#world.report(error.message);
      this.#problems.set(task, error.message);
      return false;
    }
  }
}

function gone(): KeyStoreError {
  return new KeyStoreError(
    'damaged',
    'The signing keys are gone from their folder; those that were read before stay in use until the server stops',
  );
}
