import { readFile } from 'node:fs/promises';
import { messageOf, quoted, systemReason } from '../common/errors.ts';
import { LazyData } from '../common/lazy_data.ts';
import { faultsOfFile } from '../common/text_faults.ts';
import type { ServedData } from '../operations/served_data.ts';
import type { Bundle } from './bundles/bundle_file.ts';
import type { DataStore } from './bundles/data_store.ts';
import { DATA_SET_NAMES, DATA_SETS, type DataSettings, type Setting, type SourceFile } from './data_sets.ts';
import { type Pack, packName } from './packs.ts';
import { sha256Of } from './sha256.ts';

export type SetName = keyof ServedData;

/** Configured files that cannot be used. The message is the first of the faults, which name the files. */
class UnusableData extends Error {
  readonly faults: readonly string[];
  /** The first fault, without the name of the file. */
  readonly reason: string;

  constructor(paths: string, what: string, thrown: unknown) {
    const faults = faultsOfFile(thrown, paths, `Cannot use ${paths} as ${what}`);
    super(faults[0]);
    this.faults = faults;
    this.reason = systemReason(thrown);
  }
}

/** A bundle with a data set that cannot be opened. */
class UnusableBundle extends Error {}

/** A configured set. */
interface ConfiguredSet {
  readonly setting: Setting;
  /** The files in use and the SHA-256 of their concatenated contents; null if the compiled data replaces them. */
  readonly used: { readonly files: readonly SourceFile[]; readonly digest: string } | null;
  /** Why files used before, last good copies or the compiled data replace the files; null unless they do. */
  readonly error: UnusableData | null;
}

/** The data that requests read, and where it is from. */
export interface LoadedData {
  readonly data: ServedData;
  /** The compiled data that each set consists of or extends, from the bundle or the executable. */
  readonly packs: ReadonlyMap<SetName, Pack>;
  readonly configured: ReadonlyMap<SetName, ConfiguredSet>;
  /** Replaces the executable's data; null for none. */
  readonly bundle: Bundle | null;
  /** Why a later bundle or the store is not used, one line each. */
  readonly problems: readonly string[];
}

interface LoadOptions {
  /**
   * Called if the files of a setting cannot be used, and none are in use; returns copies to use instead, or null for the
   * compiled data. By default loading fails.
   */
  readonly substitute?: ((setting: Setting) => Promise<readonly SourceFile[] | null>) | undefined;
  /** Replaces the executable's data. */
  readonly bundle?: Bundle | null;
  /** The data in use: sets that the bundle does not change are reused. */
  readonly previous?: LoadedData | null;
  /** The set to load again; all others are reused. */
  readonly only?: SetName;
}

/** Loads all data. Rejects with an `Error` if the bundle or a configured file cannot be used. */
export async function loadData(settings: DataSettings, options: LoadOptions = {}): Promise<LoadedData> {
  const { bundle = null, previous = null, only } = options;
  const loaded: Partial<Record<SetName, unknown>> = {};
  const packs = new Map<SetName, Pack>();
  const configured = new Map<SetName, ConfiguredSet>();
  // Complete at the end; a set depends only on preceding ones.
  const state: LoadedData = { data: loaded as ServedData, packs, configured, bundle, problems: [] };
  for (const name of DATA_SET_NAMES) {
    const pack = packOf(name, settings, bundle);
    if (pack !== null) packs.set(name, pack);
    if (previous !== null && (only === undefined ? isUnchanged(name, state, previous) : name !== only)) {
      loaded[name] = previous.data[name];
      const before = previous.configured.get(name);
      if (before !== undefined) configured.set(name, before);
      continue;
    }
    const setting = configuredSetting(name, settings);
    if (setting !== undefined) {
      const { files, value, error } = await loadConfigured(name, settings, state, options);
      const used = files && { files, digest: await sha256Of(...files.map(({ contents }) => contents)) };
      configured.set(name, { setting, used, error });
      loaded[name] = value;
    }
    if (!configured.get(name)?.used) loaded[name] = await openCompiled(name, pack, settings);
  }
  return state;
}

/** The pack of a set: the bundle's, unless the executable has newer data, as after an upgrade. Null if the set is not compiled. */
function packOf(name: SetName, settings: DataSettings, bundle: Bundle | null): Pack | null {
  const embedded = DATA_SETS[name].compiled?.embedded;
  if (embedded === undefined) return null;
  const bundled = bundle?.pack(embedded.manifest.name);
  if (bundled === undefined) return embedded;
  const isOlder = bundled.manifest.date < embedded.manifest.date;
  return isOlder && !settings['allow-older-data'] ? embedded : bundled;
}

/** Whether a set has the same pack as before, and its files were parsed with the same data. */
function isUnchanged(name: SetName, { data, packs }: LoadedData, previous: LoadedData): boolean {
  const reads = DATA_SETS[name].configurable?.reads;
  const before = previous.data[name];
  const pack = previous.packs.get(name);
  // Data not yet read from a previous bundle must be reopened, since the bundle's file will be removed.
  const isUnread = pack?.sequence != null && before instanceof LazyData && before.state.kind !== 'ready';
  const isSamePack = packs.get(name)?.manifest.sha256 === pack?.manifest.sha256;
  return isSamePack && !isUnread && (reads === undefined || data[reads] === previous.data[reads]);
}

/** Opens the compiled data of a set. @throws {UnusableBundle} */
async function openCompiled(name: SetName, pack: Pack | null, settings: DataSettings) {
  const { compiled, none } = DATA_SETS[name];
  if (compiled === undefined || pack === null) return none;
  try {
    return await compiled.open(pack, settings);
  } catch (error) {
    if (pack.sequence === null) throw error;
    throw new UnusableBundle(
      `Cannot use the ${pack.manifest.name} of ${packName(pack)}: ${messageOf(error)}`,
    );
  }
}

/** Loads the configured files of a set or, if they cannot be used, copies. `files` is null if those cannot be used either. */
async function loadConfigured(
  name: SetName,
  settings: DataSettings,
  { data, packs }: LoadedData,
  { substitute, previous }: LoadOptions,
): Promise<{ files: readonly SourceFile[] | null; value?: unknown; error: UnusableData | null }> {
  const { setting, what, read = readFile, parse } = DATA_SETS[name].configurable!; // the set is configured
  const paths = pathsOf(setting, settings);
  const parsed = async (files: readonly SourceFile[]) => ({
    files,
    value: await parse(files, settings, data, packs.get(name) ?? null),
  });
  try {
    return { ...(await parsed(await readFiles(paths, read))), error: null };
  } catch (thrown) {
    const error = new UnusableData(paths.join(', '), what, thrown);
    if (substitute === undefined) throw error;
    const copies = previous?.configured.get(name)?.used?.files ?? (await substitute(setting));
    // This version may reject the copies, such as zones older than a new executable's.
    const used = copies && (await parsed(copies).catch(() => null));
    return { files: null, ...used, error };
  }
}

/** Reads files. Rejects empty ones, which result from failed copies. */
async function readFiles(
  paths: readonly string[],
  read: (path: string) => Uint8Array | Promise<Uint8Array>,
): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of paths) {
    try {
      const contents = await read(path);
      if (contents.length === 0) throw new Error('it is empty');
      files.push({ path, contents });
    } catch (error) {
      throw paths.length === 1 ? error : new Error(`${quoted(path)}: ${systemReason(error)}`);
    }
  }
  return files;
}

/** The setting of a set, if it is configured. */
export function configuredSetting(name: SetName, settings: DataSettings): Setting | undefined {
  const setting = DATA_SETS[name].configurable?.setting;
  return setting === undefined || pathsOf(setting, settings).length === 0 ? undefined : setting;
}

function pathsOf(setting: Setting, settings: DataSettings): readonly string[] {
  const value = settings[setting];
  return typeof value === 'string' ? [value] : (value ?? []);
}

/**
 * Loads all data, with the current bundle of a store. If that is damaged, falls back to the previous bundle, or else to the
 * executable's data, so that all sets are from the same generation.
 */
export async function loadInstalled(
  settings: DataSettings,
  store: DataStore,
  options: Pick<LoadOptions, 'substitute' | 'previous'> = {},
): Promise<LoadedData> {
  const problems: string[] = [];
  const digests = await store.candidates().catch(error => {
    problems.push(`Cannot read the data store: ${messageOf(error)}`);
    return [];
  });
  for (const digest of digests) {
    const bundle = await store.open(digest).catch(error => {
      problems.push(messageOf(error));
      return null;
    });
    if (bundle === null) continue;
    try {
      return { ...(await loadData(settings, { ...options, bundle })), problems };
    } catch (error) {
      if (!(error instanceof UnusableBundle)) throw error;
      problems.push(error.message);
    }
  }
  return { ...(await loadData(settings, options)), problems };
}
