import { type KeySet, keySetOf, publishedKey, type SigningKeys } from './key_set.ts';
import { KeyStoreError, type SigningKeyStore } from './key_store.ts';
import { activeKey, type SigningKey } from './signing_key.ts';

const MIN_READ_INTERVAL_MS = 1000;

/** The outside world; tests replace it. */
export interface RingWorld {
  /** Milliseconds since 1970-01-01T00:00:00Z, by the wall clock. */
  epochMs(): number;
  /** Milliseconds of a monotonic clock. */
  elapsedMs(): number;
  /** Resolves after some milliseconds; immediately if they are not positive. */
  wait(ms: number): Promise<void>;
  /** 32 random bytes. */
  seed(): Uint8Array;
  /** Logs an error, one line. */
  report(message: string): void;
  /** Called when another key becomes the active one. */
  activated(kid: string): void;
}

export interface RingSettings {
  readonly store: SigningKeyStore;
  /** The number of retired keys that stay published; `Infinity` for all. */
  readonly retain: number;
  /** The age in milliseconds at which the active key is replaced; undefined for never. */
  readonly rotateEveryMs: number | undefined;
}

type Task = 'read' | 'change';

/** A server's signing keys: cached, and reread when another process may have changed them. */
export class KeyRing implements SigningKeys {
  readonly #settings: RingSettings;
  readonly #world: RingWorld;
  #current: KeySet = keySetOf([], 0);
  readonly #problems = new Map<Task, string>();
  #loadsStarted = 0;
  #newestLoad = 0;
  #pendingRead: Promise<unknown> | undefined;
  #readMs = Number.NEGATIVE_INFINITY;

  private constructor(settings: RingSettings, world: RingWorld) {
    this.#settings = settings;
    this.#world = world;
  }

  /**
   * Loads the keys, and creates the first one if there is none. A store that is not writable is reported, not thrown: the
   * server then runs without signatures, or with the existing keys.
   * @throws {KeyStoreError} if the store is damaged or others can read it
   */
  static async open(settings: RingSettings, world: RingWorld): Promise<KeyRing> {
    const ring = new KeyRing(settings, world);
    await ring.#load();
    await ring.#maintainStore();
    return ring;
  }

  get current(): KeySet {
    return this.#current;
  }

  get problem(): string | undefined {
    return this.#problems.get('read') ?? this.#problems.get('change');
  }

  /** Applies changes by other processes. If the store cannot be read, reports that, leaves the keys unchanged and resolves to false. */
  reread(): Promise<boolean> {
    return this.#guard('read', () => this.#load());
  }

  /** Like {@link reread}, but throws instead of reporting. @throws {KeyStoreError} */
  async reload(): Promise<void> {
    try {
      await this.#load();
      this.#problems.delete('read');
    } catch (error) {
      if (error instanceof KeyStoreError) this.#problems.set('read', error.message);
      throw error;
    }
  }

  /** Rereads, completes what a crash interrupted, rotates when due. Call it twice a second, so that all processes publish a new key at once. */
  async maintain(): Promise<void> {
    if (await this.reread()) await this.#maintainStore();
  }

  /**
   * A published key by its `kid`. An unknown one may have just been created by another process, so the store is reread
   * before this resolves to undefined; at most once a second.
   */
  find(kid: string): SigningKey | Promise<SigningKey | undefined> {
    return publishedKey(this.#current, kid) ?? this.#findAnew(kid);
  }

  async #findAnew(kid: string): Promise<SigningKey | undefined> {
    const calledMs = this.#world.elapsedMs();
    for (;;) {
      const waitMs = this.#readMs + MIN_READ_INTERVAL_MS - this.#world.elapsedMs();
      if (waitMs <= 0 && this.#pendingRead === undefined) {
        this.#readMs = this.#world.elapsedMs();
        this.#pendingRead = this.reread().finally(() => {
          this.#pendingRead = undefined;
        });
      }
      // Concurrent calls share one read, so that reads do not pile up if the disk hangs.
      await this.#pendingRead;
      const key = publishedKey(this.#current, kid);
      if (key !== undefined || this.#readMs >= calledMs) return key;
      await this.#world.wait(this.#readMs + MIN_READ_INTERVAL_MS - this.#world.elapsedMs());
    }
  }

  /** Creates a missing or due key, and completes what a crash interrupted. */
  #maintainStore(): Promise<boolean> {
    return this.#guard('change', async () => {
      const { all } = this.#current;
      const isWell = all.filter(key => key.privateKey !== undefined).length === 1;
      if (!isWell || this.#isDue(all)) await this.#rotate();
    });
  }

  /** If several processes get here at once, `onlyIf` lets only the first one rotate. */
  async #rotate(): Promise<void> {
    try {
      await this.#settings.store.rotate({
        epochMs: this.#world.epochMs(),
        seed: this.#world.seed(),
        force: true,
        onlyIf: keys => activeKey(keys) === undefined || this.#isDue(keys),
      });
    } finally {
      await this.#load(); // a rotation that failed halfway may have created a key
    }
  }

  /**
   * Whether the active key has reached the rotation age. A key dated in the future (the clock was set back) is not due
   * until the clock has caught up: a machine that boots in 1970 must not rotate at every boot.
   */
  #isDue(keys: readonly SigningKey[]): boolean {
    const { rotateEveryMs = Number.POSITIVE_INFINITY } = this.#settings;
    return this.#world.epochMs() - (activeKey(keys)?.createdMs ?? Number.POSITIVE_INFINITY) >= rotateEveryMs;
  }

  /** Loads may overlap: one that started earlier and ends later must not restore old keys. */
  async #load(): Promise<void> {
    const load = ++this.#loadsStarted;
    const keys = await this.#settings.store.synchronize();
    const isOwn = ({ elsewhere }: SigningKey) => elsewhere === undefined;
    if (load < this.#newestLoad) return;
    if (!keys.some(isOwn) && this.#current.all.some(isOwn)) {
      // More likely an unmounted disk than a request for a new key.
      throw new KeyStoreError(
        'The signing keys are gone from their folder; those already loaded stay in use until the server stops',
      );
    }
    this.#newestLoad = load;
    const before = this.#current.active?.kid;
    this.#current = keySetOf(keys, this.#settings.retain);
    const { active } = this.#current;
    if (active !== undefined && before !== undefined && active.kid !== before)
      this.#world.activated(active.kid);
  }

  /** Reports a failure of the store unless it is the same as before; resolves to false then. */
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
