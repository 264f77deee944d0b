import { messageOf, visible } from '../common/message_of.ts';
import type { MetricFamily } from '../http/metrics.ts';
import type { DependencyStatus, ServedData } from '../http/snapshot.ts';
import {
  DATA_SET_NAMES,
  type DataSettings,
  describeData,
  type Setting,
  type SourceFile,
  statusOf,
} from './data_sets.ts';
import type { EventLog } from './event_log.ts';
import type { LastGood } from './last_good.ts';
import {
  configuredSetting,
  type Degradation,
  loadConfigured,
  loadData,
  requireConfigured,
} from './load_data.ts';
import { gauge } from './metrics.ts';
import type { Reloadable } from './reload.ts';

type SetName = keyof ServedData;

/**
 * The data of a running server. What loads from configured files is copied as last good; what does not load at the start is
 * replaced by that copy or else by the embedded data, and reported until a reload succeeds.
 */
export class ConfiguredData {
  readonly #settings: DataSettings;
  readonly #lastGood: LastGood;
  readonly #log: EventLog;
  /** Whether this process makes copies: one of several workers does. */
  readonly #saves: boolean;
  readonly #degraded = new Map<SetName, Degradation>();

  constructor(settings: DataSettings, lastGood: LastGood, log: EventLog, saves = true) {
    this.#settings = settings;
    this.#lastGood = lastGood;
    this.#log = log;
    this.#saves = saves;
  }

  /** Loads all data. `isRequired`: throws for a configured file that cannot be used, instead of replacing it. */
  async load(isRequired: boolean): Promise<ServedData> {
    const substitute = isRequired ? requireConfigured : (setting: Setting) => this.#lastGood.read(setting);
    const { data, degraded, files } = await loadData(this.#settings, substitute);
    for (const [name, degradation] of degraded) {
      this.#degraded.set(name, degradation);
      const { setting, error, from } = degradation;
      this.#log.error('configured data cannot be used', { what: setting, error: error.message, uses: from });
    }
    for (const name of DATA_SET_NAMES) this.#warn(name, data);
    for (const [setting, contents] of files) this.#save(setting, contents);
    return data;
  }

  /** The configured sets, to be reloaded on SIGHUP; `replace` puts a changed set in place. */
  reloadables(
    current: () => ServedData,
    replace: (changed: Partial<ServedData>) => void,
  ): readonly Reloadable[] {
    return DATA_SET_NAMES.flatMap(name => {
      const setting = configuredSetting(name, this.#settings);
      if (setting === undefined) return [];
      const reload = async () => {
        const { value, files } = await loadConfigured(name, this.#settings, current());
        replace({ [name]: value });
        this.#degraded.delete(name);
        this.#warn(name, current());
        this.#save(setting, files);
        return describeData(name, current());
      };
      return [{ name: setting, reload }];
    });
  }

  /** What cannot be used: a line each. */
  get problems(): readonly string[] {
    return [...this.#degraded.values()].map(({ error, from }) => `degraded to ${from}: ${error.message}`);
  }

  /** Where a set comes from: `embedded`, or its setting; after a failure at the start also `last good`. */
  sourceOf(name: SetName): string {
    const degradation = this.#degraded.get(name);
    if (degradation === undefined) return configuredSetting(name, this.#settings) ?? 'embedded';
    return degradation.from === 'the last good copy' ? 'last good' : 'embedded';
  }

  /** The status of all data, for `/readyz`. */
  status(data: ServedData): readonly DependencyStatus[] {
    return DATA_SET_NAMES.flatMap(name => {
      const status = statusOf(name, data);
      const degradation = this.#degraded.get(name);
      if (degradation === undefined) return status ?? [];
      const { setting, error, from } = degradation;
      const detail = `${status?.detail ?? 'none'} of ${from}, as --${setting} cannot be used: ${withoutQuotes(visible(error.reason))}`;
      return { name: status?.name ?? setting, state: 'degraded', detail };
    });
  }

  /** Whether each configured set is replaced by another. */
  readonly metrics = (): MetricFamily[] => [
    gauge(
      'meridian_data_degraded',
      'Whether a configured file is replaced by its last good copy or the embedded data.',
      'max',
      DATA_SET_NAMES.flatMap(name => {
        const setting = configuredSetting(name, this.#settings);
        return setting === undefined ? [] : { labels: { setting }, value: Number(this.#degraded.has(name)) };
      }),
    ),
  ];

  #warn(name: SetName, data: ServedData): void {
    const status = statusOf(name, data);
    if (status?.state === 'warning') this.#log.warn(status.detail, { what: status.name });
  }

  /** In the background: the server need not wait for the disk. */
  #save(setting: Setting, files: readonly SourceFile[]): void {
    if (!this.#saves) return;
    this.#lastGood.save(setting, files).catch(error => {
      this.#log.warn('cannot save the last good copy', { what: setting, error: messageOf(error) });
    });
  }
}

/** A message without what it quotes from the operator's file: `/readyz` is public. */
function withoutQuotes(message: string): string {
  return message.replace(/'[^']*'/g, "'…'");
}
