import { messageOf, ServiceError } from './errors.ts';

type DataState =
  | { readonly kind: 'unread' | 'loading' | 'ready' }
  | { readonly kind: 'broken'; readonly problem: string };

/** A data set that is loaded once, on first use. */
export class LazyData<Data> {
  /** The name in messages. */
  readonly name: string;
  /** Version, date and source, for reports. */
  readonly version: string;
  readonly #read: () => Promise<Data>;
  #state: DataState = { kind: 'unread' };
  #loading: Promise<void> | undefined;
  #data: Data | undefined;

  constructor(name: string, version: string, read: () => Promise<Data>) {
    this.name = name;
    this.version = version;
    this.#read = read;
  }

  /** A data set that is already in memory. */
  static of<Data>(name: string, version: string, data: Data): LazyData<Data> {
    const set = new LazyData(name, version, async () => data);
    set.#data = data;
    set.#state = { kind: 'ready' };
    set.#loading = Promise.resolve();
    return set;
  }

  get state(): DataState {
    return this.#state;
  }

  /** Whether loading has finished, successfully or not. */
  get isLoaded(): boolean {
    return this.#state.kind === 'ready' || this.#state.kind === 'broken';
  }

  /** This data set if it must be loaded before {@link get}, else undefined. */
  get pending(): this | undefined {
    return this.isLoaded ? undefined : this;
  }

  /** Starts loading if necessary, and resolves when loading has finished, successfully or not. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** The data, which must have been loaded. Throws `DEPENDENCY_NOT_READY` if it could not be. */
  get(): Data {
    if (this.#data !== undefined) return this.#data;
    if (!this.isLoaded) throw new Error(`The ${this.name} were read before they were loaded`);
    throw new ServiceError('DEPENDENCY_NOT_READY', `The ${this.name} of this server cannot be used`);
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
