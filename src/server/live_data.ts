import { messageOf, visible } from '../common/errors.ts';
import { LazyData } from '../common/lazy_data.ts';
import type { DependencyStatus, Snapshot } from '../http/snapshot.ts';
import type { MetricFamily } from '../http/traffic.ts';
import type { ServedData } from '../operations/served_data.ts';
import type { DataStore } from './bundles/data_store.ts';
import { DATA_SET_NAMES, type DataSettings, describeData, type Setting, statusOf } from './data_sets.ts';
import type { LastGood } from './last_good.ts';
import { configuredSetting, type LoadedData, loadData, loadInstalled, type SetName } from './load_data.ts';
import type { EventLog } from './log.ts';
import { by, metric } from './metrics.ts';
import { packName } from './packs.ts';
import { type Reloadable, reloadItem } from './reload.ts';
import { repeatedly } from './repeatedly.ts';
import { servedOptions } from './snapshot.ts';

/** How often the data store is checked for a different bundle. */
const POLL_MS = 500;

/** Sources of data, and where copies and logs go. */
interface DataPlaces {
  readonly settings: DataSettings;
  readonly lastGood: LastGood;
  readonly store: DataStore;
  readonly log: EventLog;
  /** Whether this process copies configured files; only one of several workers does. */
  readonly isWriter: boolean;
  /** Whether a start or a switch of bundles fails if a configured file cannot be used, instead of replacing it. */
  readonly isRequired: boolean;
}

/** Puts changed data in place. */
type Replace = (changed: Partial<Snapshot>) => void;

/**
 * The data of a running server, from the executable, the installed bundle and configured files. Configured files that load
 * are copied as last good. Files that do not load at startup are replaced by that copy, or else by compiled data; in a switch
 * of bundles, by those in use. They are reported until a reload succeeds.
 */
export class LiveData {
  readonly #places: DataPlaces;
  #loaded: LoadedData;
  /** Identifies the store index from which {@link #loaded} was read. */
  #stamp: string;
  /** Reloads are serialized: each starts from the result of the previous one. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(places: DataPlaces, loaded: LoadedData, stamp: string) {
    this.#places = places;
    this.#loaded = loaded;
    this.#stamp = stamp;
  }

  /** Loads all data. */
  static async load(places: DataPlaces): Promise<LiveData> {
    const { store, log } = places;
    const { stamp } = store;
    const loaded = await load(places, null);
    for (const error of loaded.problems) {
      log.error('installed data cannot be used', { error, uses: packName(loaded.bundle?.manifest) });
    }
    const data = new LiveData(places, loaded, stamp);
    data.#adoptAll();
    return data;
  }

  /** Reports configured files that cannot be used, and adopts the data of all sets but those configured as in `previous`. */
  #adoptAll(previous?: LoadedData): void {
    for (const name of DATA_SET_NAMES) {
      const configured = this.#loaded.configured.get(name);
      if (previous !== undefined && configured === previous.configured.get(name)) continue;
      this.#adopt(name);
      if (!configured?.error) continue;
      const { setting: what, error } = configured;
      const uses = substituteOf(name, this.#loaded);
      this.#places.log.error('configured data cannot be used', { what, error: error.message, uses });
    }
  }

  /** The data in use. */
  get loaded(): LoadedData {
    return this.#loaded;
  }

  /** The installed bundle and the configured sets, to be reloaded on SIGHUP; changed data is passed to `replace`. */
  reloadables(replace: Replace): readonly Reloadable[] {
    const configured = DATA_SET_NAMES.flatMap(name => {
      const setting = configuredSetting(name, this.#places.settings);
      if (setting === undefined) return [];
      return [{ name: setting, reload: () => this.#inTurn(() => this.#reloadConfigured(name, replace)) }];
    });
    const installed = async () => (this.#isInstalledUnchanged ? null : this.#reloadBundle(replace));
    return [{ name: 'data', reload: () => this.#inTurn(installed) }, ...configured];
  }

  /** Applies a bundle soon after an installation or rollback. Returns a function that stops polling, and awaits a reload. */
  follow(replace: Replace): () => Promise<void> {
    const { store, log } = this.#places;
    const reload = async () => (store.stamp === this.#stamp ? null : this.#reloadBundle(replace));
    const poll = async () => void (await this.#inTurn(() => reloadItem({ name: 'data', reload }, log)));
    return repeatedly(() => POLL_MS, poll);
  }

  /** Data that cannot be used, one line each. */
  get problems(): readonly string[] {
    const { configured, problems } = this.#loaded;
    const degraded = [...configured].flatMap(([name, { error }]) =>
      error === null ? [] : [`degraded to ${substituteOf(name, this.#loaded)}: ${error.message}`],
    );
    return [...degraded, ...problems];
  }

  /** The source of a set: `embedded`, `bundle 42` or its setting; `last good` after a failure at startup. */
  sourceOf(name: SetName): string {
    const { configured, packs } = this.#loaded;
    const { setting, error, used } = configured.get(name) ?? {};
    if (setting === undefined || !used) return packName(packs.get(name));
    return error ? 'last good' : setting;
  }

  /** The status of all data, for `/readyz`. */
  status(data: ServedData): readonly DependencyStatus[] {
    const { bundle, configured, problems } = this.#loaded;
    const sets = DATA_SET_NAMES.flatMap(name => {
      const status = statusOf(name, data);
      const { setting = '', error } = configured.get(name) ?? {};
      if (!error) return status ?? [];
      // Without quotations from the operator's file, since `/readyz` is public.
      const reason = visible(error.reason).replace(/'.*'/s, "'…'");
      const source = substituteOf(name, this.#loaded);
      const detail = `${status?.detail ?? 'none'} of ${source}, as --${setting} cannot be used: ${reason}`;
      return { name: status?.name ?? setting, state: 'degraded' as const, detail };
    });
    const inUse = packName(bundle?.manifest);
    if (problems.length > 0) {
      const detail = `${inUse}, as an installed bundle cannot be used`;
      return [...sets, { name: 'data', state: 'degraded', detail }];
    }
    return bundle === null ? sets : [...sets, { name: 'data', state: 'ok', detail: inUse }];
  }

  /** Whether fallback data replaces configured or installed data, and each worker's bundle. */
  readonly metrics = (): MetricFamily[] => {
    const { configured, problems, bundle } = this.#loaded;
    const degraded = [...configured.values()].map(({ setting, error }) => [setting, error !== null] as const);
    return [
      metric('meridian_data_degraded', by('setting', [...degraded, ['bundle', problems.length > 0]])),
      metric('meridian_data_bundle_sequence', bundle?.manifest.sequence ?? 0),
    ];
  };

  /** Always false after a failure, since the bundle may have been repaired even if the index is the same. */
  get #isInstalledUnchanged(): boolean {
    const { data, problems } = this.#loaded;
    const isBroken = (value: unknown) => value instanceof LazyData && value.state.kind === 'broken';
    const isUsable = problems.length === 0 && !DATA_SET_NAMES.some(name => isBroken(data[name]));
    return isUsable && this.#places.store.stamp === this.#stamp;
  }

  async #reloadBundle(replace: Replace): Promise<string> {
    this.#stamp = this.#places.store.stamp;
    const previous = this.#loaded;
    try {
      const loaded = await load(this.#places, previous);
      if (loaded.problems.length > 0) throw new Error(loaded.problems[0]);
      this.#put(loaded, replace);
    } catch (error) {
      this.#loaded = { ...previous, problems: [messageOf(error)] };
      throw error;
    }
    this.#adoptAll(previous);
    return packName(this.#loaded.bundle?.manifest);
  }

  async #reloadConfigured(name: SetName, replace: Replace): Promise<string> {
    const previous = this.#loaded;
    const { bundle, problems } = previous;
    const loaded = await loadData(this.#places.settings, { bundle, previous, only: name });
    this.#put({ ...loaded, problems }, replace);
    this.#adopt(name);
    return describeData(name, this.#loaded.data);
  }

  #put(loaded: LoadedData, replace: Replace): void {
    this.#loaded = loaded;
    replace(servedOptions(loaded));
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Logs a warning about the data of a set, and copies its files in the background: the server does not wait for the disk. */
  #adopt(name: SetName): void {
    const { isWriter, lastGood, log } = this.#places;
    const status = statusOf(name, this.#loaded.data);
    if (status?.state === 'warning') log.warn(status.detail, { what: status.name });
    const { setting, used, error } = this.#loaded.configured.get(name) ?? {};
    if (!isWriter || setting === undefined || !used || error) return;
    lastGood.save(setting, used.files).catch(thrown => {
      log.warn('cannot save the last good copy', { what: setting, error: messageOf(thrown) });
    });
  }
}

function load({ settings, store, lastGood, isRequired }: DataPlaces, previous: LoadedData | null) {
  const substitute = isRequired ? undefined : (setting: Setting) => lastGood.read(setting);
  return loadInstalled(settings, store, { substitute, previous });
}

/** What replaces the configured files of a set that cannot be used. */
function substituteOf(name: SetName, { configured, packs }: LoadedData): string {
  if (configured.get(name)?.used) return 'the last good copy';
  const pack = packs.get(name);
  return pack?.sequence == null ? 'the embedded data' : packName(pack);
}
