import { readFile } from 'node:fs/promises';
import { messageOf, quoted, systemReason } from '../common/errors.ts';
import type { DataDigests } from '../http/snapshot.ts';
import type { ServedData } from '../operations/served_data.ts';
import { LazyData } from '../places/lazy_data.ts';
import type { DataSettings, Pack, PackSource, Setting, SourceFile } from './data_sets/data_set.ts';
import { DATA_SET_NAMES, DATA_SETS } from './data_sets/data_sets.ts';
import { sha256Of } from './last_good.ts';

type SetName = keyof ServedData;

/** Configured files that cannot be used. The message is one line with their names and the reason. */
export class UnusableData extends Error {
  readonly reason: string;

  constructor(subject: string, reason: string) {
    super(`Cannot use ${subject}: ${reason}`);
    this.reason = reason;
  }
}

/** A configured set that could not be used, and its replacement. */
export interface Degradation {
  readonly setting: Setting;
  readonly error: UnusableData;
  readonly from: 'the last good copy' | 'the embedded data';
}

/** All data of a server. */
export interface LoadedData {
  readonly data: ServedData;
  /** The compiled data that each set consists of or extends, from the bundle or the executable. */
  readonly packs: ReadonlyMap<SetName, Pack>;
  readonly degraded: ReadonlyMap<SetName, Degradation>;
  /** The configured files in use. */
  readonly files: ReadonlyMap<Setting, readonly SourceFile[]>;
  /** Digests of the files in use, including last good copies. */
  readonly digests: DataDigests;
}

/**
 * Handles a configured set that cannot be used: returns copies to use instead, or null for the compiled data; or throws.
 */
export type Substitute = (setting: Setting, error: UnusableData) => Promise<readonly SourceFile[] | null>;

/** Requires all configured files to be usable: throws the error. */
export const requireConfigured: Substitute = async (_, error) => {
  throw error;
};

/** A bundle with a data set that cannot be opened. */
export class UnusableBundle extends Error {}

interface LoadOptions {
  readonly substitute?: Substitute;
  /** Replaces the executable's data. */
  readonly bundle?: PackSource | null;
  /** The data in use: sets that the bundle does not change are reused. */
  readonly previous?: LoadedData | null;
}

/** Loads all data. @throws {UnusableBundle} */
export async function loadData(
  settings: DataSettings,
  { substitute = requireConfigured, bundle = null, previous = null }: LoadOptions = {},
): Promise<LoadedData> {
  const loaded: Partial<Record<SetName, unknown>> = {};
  const degraded = new Map<SetName, Degradation>();
  const files = new Map<Setting, readonly SourceFile[]>();
  const packs = new Map<SetName, Pack>();
  const digests: Partial<Record<SetName, string>> = {};
  const data = loaded as ServedData; // complete at the end; a set depends only on preceding ones
  const state: LoadedData = { data, packs, degraded, files, digests };
  for (const name of DATA_SET_NAMES) {
    const pack = packOf(name, settings, bundle);
    if (pack !== null) packs.set(name, pack);
    const setting = configuredSetting(name, settings);
    if (previous !== null && isUnchanged(name, state, previous)) {
      loaded[name] = previous.data[name];
      if (previous.digests[name] !== undefined) digests[name] = previous.digests[name];
      copyEntry(name, previous.degraded, degraded);
      if (setting !== undefined) copyEntry(setting, previous.files, files);
      continue;
    }
    if (setting === undefined) {
      loaded[name] = await openCompiled(name, pack, settings);
      continue;
    }
    try {
      const configured = await loadConfigured(name, settings, data, pack);
      loaded[name] = configured.value;
      files.set(setting, configured.files);
      digests[name] = await digestOf(configured.files);
    } catch (error) {
      if (!(error instanceof UnusableData)) throw error;
      const copies = await substitute(setting, error);
      const copied = copies && (await parseCopies(name, copies, settings, data, pack));
      loaded[name] = copied === null ? await openCompiled(name, pack, settings) : copied.value;
      if (copied !== null) digests[name] = await digestOf(copies ?? []);
      degraded.set(name, {
        setting,
        error,
        from: copied === null ? 'the embedded data' : 'the last good copy',
      });
    }
  }
  return state;
}

/** The SHA-256 of the concatenated contents of files. */
export function digestOf(files: readonly SourceFile[]): Promise<string> {
  return sha256Of(...files.map(({ contents }) => contents));
}

/**
 * The pack of a set: the bundle's, unless the executable has newer data, as after an upgrade. Null if the set is not compiled.
 */
export function packOf(
  name: SetName,
  settings: Pick<DataSettings, 'allow-older-data'>,
  bundle: PackSource | null,
): Pack | null {
  const { compiled } = DATA_SETS[name];
  if (compiled === null) return null;
  const { embedded } = compiled;
  const bundled = bundle?.pack(embedded.manifest.name);
  if (bundled === undefined) return embedded;
  const isOlder = bundled.manifest.date < embedded.manifest.date;
  return isOlder && !settings['allow-older-data'] ? embedded : bundled;
}

/** Opens the compiled data of a set. @throws {UnusableBundle} */
async function openCompiled<Name extends SetName>(
  name: Name,
  pack: Pack | null,
  settings: DataSettings,
): Promise<ServedData[Name]> {
  const { compiled, none } = DATA_SETS[name];
  if (compiled === null || pack === null) return none!; // defined if the set is not compiled
  try {
    return await compiled.open(pack, settings);
  } catch (error) {
    if (pack.sequence === null) throw error;
    throw new UnusableBundle(
      `Cannot use the ${pack.manifest.name} of bundle ${pack.sequence}: ${messageOf(error)}`,
    );
  }
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

function copyEntry<Key, Value>(key: Key, from: ReadonlyMap<Key, Value>, to: Map<Key, Value>): void {
  const value = from.get(key);
  if (value !== undefined) to.set(key, value);
}

/** Loads the configured files of a set. @throws {UnusableData} */
export async function loadConfigured<Name extends SetName>(
  name: Name,
  settings: DataSettings,
  loaded: ServedData,
  pack: Pack | null,
): Promise<{ readonly value: ServedData[Name]; readonly files: readonly SourceFile[] }> {
  const { setting, what, read = readFile, parse } = DATA_SETS[name].configurable!; // the set is configured
  const paths = pathsOf(setting, settings);
  try {
    const files: SourceFile[] = [];
    for (const path of paths) {
      const contents = await readNonEmpty(path, read).catch(error => {
        throw paths.length === 1 ? error : new Error(`${quoted(path)}: ${systemReason(error)}`);
      });
      files.push({ path, contents });
    }
    return { value: await parse(files, settings, loaded, pack), files };
  } catch (error) {
    throw new UnusableData(`${paths.join(', ')} as ${what}`, systemReason(error));
  }
}

/** Rejects empty files, which result from failed copies. */
async function readNonEmpty(
  path: string,
  read: (path: string) => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  const contents = await read(path);
  if (contents.length === 0) throw new Error('it is empty');
  return contents;
}

/** The data of the copies; null if this version rejects them, such as zones older than a new executable's. */
async function parseCopies<Name extends SetName>(
  name: Name,
  copies: readonly SourceFile[],
  settings: DataSettings,
  loaded: ServedData,
  pack: Pack | null,
): Promise<{ readonly value: ServedData[Name] } | null> {
  try {
    return { value: await DATA_SETS[name].configurable!.parse(copies, settings, loaded, pack) };
  } catch {
    return null;
  }
}

/** The setting of a set, if it is configured. */
export function configuredSetting(name: SetName, settings: DataSettings): Setting | undefined {
  const setting = DATA_SETS[name].configurable?.setting;
  return setting === undefined || pathsOf(setting, settings).length === 0 ? undefined : setting;
}

function pathsOf(setting: Setting, settings: DataSettings): readonly string[] {
  const value = settings[setting];
  if (value === null) return [];
  return typeof value === 'string' ? [value] : value;
}
