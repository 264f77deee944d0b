import { messageOf, visible } from '../common/errors.ts';
import type { MetricFamily } from '../http/metrics.ts';
import type { DependencyStatus, Snapshot } from '../http/snapshot.ts';
import type { ServedData } from '../operations/served_data.ts';
import { LazyData } from '../places/lazy_data.ts';
import { bundleName, type DataStore, type InstalledData, loadInstalled } from './bundles/data_store.ts';
import { type DataSettings, packName, type Setting } from './data_set.ts';
import { DATA_SET_NAMES, describeData, statusOf } from './data_sets.ts';
import type { LastGood } from './last_good.ts';
import { configuredSetting, loadData, requireConfigured } from './load_data.ts';
import type { EventLog } from './log.ts';
import { gauge } from './metrics.ts';
import type { Reloadable } from './reload.ts';
import { servedOptions } from './snapshot.ts';

type SetName = keyof ServedData;

/** How often the data store is checked for a different bundle. */
const POLL_MS = 500;

/** Sources of data, and where copies and logs go. */
interface DataPlaces {
  readonly settings: DataSettings;
  readonly lastGood: LastGood;
  readonly store: DataStore;
  readonly log: EventLog;
  /** Whether this process copies configured files; only one of several workers does. */
  readonly saves: boolean;
}

/** Puts changed data in place. */
type Replace = (changed: Partial<Snapshot>) => void;

/**
 * The data of a running server, from the executable, the installed bundle and configured files. Configured files that load
 * are copied as last good. Files that do not load at startup are replaced by that copy, or else by compiled data, and
 * reported until a reload succeeds.
 */
export class ConfiguredData {
  readonly #places: DataPlaces;
  #loaded: InstalledData;
  /** Identifies the store index from which {@link #loaded} was read. */
  #stamp: string;
  /** Reloads are serialized: each starts from the result of the previous one. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(places: DataPlaces, loaded: InstalledData, stamp: string) {
    this.#places = places;
    this.#loaded = loaded;
    this.#stamp = stamp;
  }

  /** Loads all data. `isRequired`: throws if a configured file cannot be used, instead of replacing it. */
  static async load(places: DataPlaces, isRequired: boolean): Promise<ConfiguredData> {
    const { settings, lastGood, store, log } = places;
    const substitute = isRequired ? requireConfigured : (setting: Setting) => lastGood.read(setting);
    const { stamp } = store;
    const loaded = await loadInstalled(settings, store, { substitute });
    for (const { setting, error, used } of loaded.configured.values()) {
      if (error !== null)
        log.error('configured data cannot be used', {
          what: setting,
          error: error.message,
          uses: nameOf(used),
        });
    }
    for (const error of loaded.problems) {
      log.error('installed data cannot be used', { error, uses: bundleName(loaded.bundle) });
    }
    const data = new ConfiguredData(places, loaded, stamp);
    for (const name of DATA_SET_NAMES) data.#adopt(name);
    return data;
  }

  /** The data in use. */
  get loaded(): InstalledData {
    return this.#loaded;
  }

  /** The installed bundle and the configured sets, to be reloaded on SIGHUP; changed data is passed to `replace`. */
  reloadables(replace: Replace): readonly Reloadable[] {
    const configured = DATA_SET_NAMES.flatMap(name => {
      const setting = configuredSetting(name, this.#places.settings);
      if (setting === undefined) return [];
      return [{ name: setting, reload: () => this.#inTurn(() => this.#reloadConfigured(name, replace)) }];
    });
    const installed = () => (this.#isInstalledUnchanged ? null : this.#reloadBundle(replace));
    return [{ name: 'data', reload: () => this.#inTurn(async () => installed()) }, ...configured];
  }

  /** Applies a bundle soon after an installation or rollback. Returns a function that stops polling. */
  follow(replace: Replace): () => void {
    const { store, log } = this.#places;
    const reloadIfChanged = async () => {
      if (store.stamp === this.#stamp) return;
      try {
        log.info('reloaded', { what: 'data', now: await this.#reloadBundle(replace) });
      } catch (error) {
        log.error('reload failed; the old data remains in use', { what: 'data', error: messageOf(error) });
      }
    };
    const timer = setInterval(() => void this.#inTurn(reloadIfChanged), POLL_MS);
    return () => clearInterval(timer);
  }

  /** Data that cannot be used, one line each. */
  get problems(): readonly string[] {
    const { configured, problems } = this.#loaded;
    const degraded = [...configured.values()].filter(({ error }) => error !== null);
    return [
      ...degraded.map(({ error, used }) => `degraded to ${nameOf(used)}: ${error?.message}`),
      ...problems,
    ];
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
    const sets = DATA_SET_NAMES.flatMap(name => {
      const status = statusOf(name, data);
      const { setting = '', error, used } = this.#loaded.configured.get(name) ?? {};
      if (!error) return status ?? [];
      const detail = `${status?.detail ?? 'none'} of ${nameOf(used)}, as --${setting} cannot be used: ${withoutQuotes(visible(error.reason))}`;
      return [{ name: status?.name ?? setting, state: 'degraded' as const, detail }];
    });
    return [...sets, ...this.#bundleStatus()];
  }

  /** Whether fallback data replaces configured or installed data, and each worker's bundle. */
  readonly metrics = (): MetricFamily[] => {
    const { configured, problems, bundle } = this.#loaded;
    const samples = [...configured.values()].map(({ setting, error }) => ({
      labels: { setting },
      value: Number(error !== null),
    }));
    return [
      gauge(
        'meridian_data_degraded',
        'Whether a configured file or the installed bundle is replaced by earlier or embedded data.',
        'max',
        [...samples, { labels: { setting: 'bundle' }, value: Number(problems.length > 0) }],
      ),
      gauge(
        'meridian_data_bundle_sequence',
        'Sequence number of the installed bundle in use, 0 for none.',
        'worker',
        bundle?.manifest.sequence ?? 0,
      ),
    ];
  };

  /** Always false after a failure, since the bundle may have been repaired even if the index is the same. */
  get #isInstalledUnchanged(): boolean {
    const { data, problems } = this.#loaded;
    const isUsable = problems.length === 0 && DATA_SET_NAMES.every(name => !isBroken(data[name]));
    return isUsable && this.#places.store.stamp === this.#stamp;
  }

  #bundleStatus(): DependencyStatus[] {
    const { bundle, problems } = this.#loaded;
    const name = 'data';
    const detail = bundleName(bundle);
    if (problems.length === 0) return bundle === null ? [] : [{ name, state: 'ok', detail }];
    return [{ name, state: 'degraded', detail: `${detail}, as an installed bundle cannot be used` }];
  }

  async #reloadBundle(replace: Replace): Promise<string> {
    const { settings, store, lastGood } = this.#places;
    this.#stamp = store.stamp;
    const loaded = await loadInstalled(settings, store, {
      substitute: setting => lastGood.read(setting),
      previous: this.#loaded,
    });
    if (loaded.problems.length > 0) {
      this.#loaded = { ...this.#loaded, problems: loaded.problems };
      throw new Error(loaded.problems[0]);
    }
    this.#put(loaded, replace);
    return bundleName(loaded.bundle);
  }

  async #reloadConfigured(name: SetName, replace: Replace): Promise<string> {
    const { settings } = this.#places;
    const loaded = await loadData(settings, {
      bundle: this.#loaded.bundle,
      previous: this.#loaded,
      only: name,
    });
    this.#put({ ...this.#loaded, ...loaded }, replace);
    this.#adopt(name);
    return describeData(name, this.#loaded.data);
  }

  #put(loaded: InstalledData, replace: Replace): void {
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
    const { saves, lastGood, log } = this.#places;
    const status = statusOf(name, this.#loaded.data);
    if (status?.state === 'warning') log.warn(status.detail, { what: status.name });
    const { setting, used, error } = this.#loaded.configured.get(name) ?? {};
    if (!saves || setting === undefined || !used || error) return;
    lastGood.save(setting, used.files).catch(thrown => {
      log.warn('cannot save the last good copy', { what: setting, error: messageOf(thrown) });
    });
  }
}

/** What replaces configured files that cannot be used. */
function nameOf(used: unknown): string {
  return used ? 'the last good copy' : 'the embedded data';
}

/** Whether lazily loaded data failed to load. */
function isBroken(value: unknown): boolean {
  return value instanceof LazyData && value.state.kind === 'broken';
}

/** A message without quotations from the operator's file, since `/readyz` is public. */
function withoutQuotes(message: string): string {
  return message.replace(/'[^']*'/g, "'…'");
}
