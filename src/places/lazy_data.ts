import { messageOf } from '../common/message_of.ts';
import { ServiceError } from '../common/service_error.ts';
import { StillLoading } from '../common/still_loading.ts';

/** How far a set of data is. */
export type DataState =
  | { readonly kind: 'unread' | 'loading' | 'ready' }
  | { readonly kind: 'broken'; readonly problem: string };

/** A set of data that is read when it is first asked for, and once. */
export class LazyData<Data> {
  /** What messages call it. */
  readonly name: string;
  /** Its version, date and source, for reports. */
  readonly version: string;
  readonly #read: () => Promise<Data>;
  #state: DataState = { kind: 'unread' };
  #loaded: Promise<void> | undefined;
  #data: Data | undefined;

  constructor(name: string, version: string, read: () => Promise<Data>) {
    this.name = name;
    this.version = version;
    this.#read = read;
  }

  /** A set that is there already. */
  static of<Data>(name: string, version: string, data: Data): LazyData<Data> {
    const set = new LazyData(name, version, async () => data);
    set.#data = data;
    set.#state = { kind: 'ready' };
    set.#loaded = Promise.resolve();
    return set;
  }

  get state(): DataState {
    return this.#state;
  }

  /** Whether loading is over, successfully or not. */
  get isLoaded(): boolean {
    return this.#state.kind === 'ready' || this.#state.kind === 'broken';
  }

  /** The data. @throws StillLoading until it is read; ServiceError `DEPENDENCY_NOT_READY` where it cannot be */
  get(): Data {
    if (this.#data !== undefined) return this.#data;
    if (this.#state.kind !== 'broken') throw new StillLoading(this.load());
    throw new ServiceError('DEPENDENCY_NOT_READY', `The ${this.name} of this server cannot be used`);
  }

  /** Reads the data if nobody has yet, and resolves when that is over, well or badly. */
  load(): Promise<void> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async #load(): Promise<void> {
    this.#state = { kind: 'loading' };
    try {
      this.#data = await this.#read();
      this.#state = { kind: 'ready' };
    } catch (error) {
      this.#state = { kind: 'broken', problem: messageOf(error) };
    }
  }
}
