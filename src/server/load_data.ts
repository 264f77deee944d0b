import { readFile } from 'node:fs/promises';
import { messageOf, quoted, systemReason } from '../common/errors.ts';
import type { ServedData } from '../operations/served_data.ts';
import { LazyData } from '../places/lazy_data.ts';
import type { DataSettings, Pack, PackSource, Setting, SourceFile } from './data_set.ts';
import { DATA_SET_NAMES, DATA_SETS } from './data_sets.ts';
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

/** A configured set. */
interface ConfiguredSet {
  readonly setting: Setting;
  /** The files in use and the SHA-256 of their concatenated contents; null if the compiled data replaces them. */
  readonly used: { readonly files: readonly SourceFile[]; readonly digest: string } | null;
  /** Why last good copies or the compiled data replace the files; null unless they do. */
  readonly error: UnusableData | null;
}

/** All data of a server. */
export interface LoadedData {
  readonly data: ServedData;
  /** The compiled data that each set consists of or extends, from the bundle or the executable. */
  readonly packs: ReadonlyMap<SetName, Pack>;
  readonly configured: ReadonlyMap<SetName, ConfiguredSet>;
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
  /** The set to load again; all others are reused. */
  readonly only?: SetName;
}

/** Loads all data. @throws {UnusableBundle} */
export async function loadData(
  settings: DataSettings,
  { substitute = requireConfigured, bundle = null, previous = null, only }: LoadOptions = {},
): Promise<LoadedData> {
  const loaded: Partial<Record<SetName, unknown>> = {};
  const packs = new Map<SetName, Pack>();
  const configured = new Map<SetName, ConfiguredSet>();
  const data = loaded as ServedData; // complete at the end; a set depends only on preceding ones
  const state: LoadedData = { data, packs, configured };
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
    if (setting === undefined) {
      loaded[name] = await openCompiled(name, pack, settings);
      continue;
    }
    const { files, value, error } = await loadConfigured(name, settings, state, substitute);
    loaded[name] = files === null ? await openCompiled(name, pack, settings) : value;
    const used = files && { files, digest: await sha256Of(...files.map(({ contents }) => contents)) };
    configured.set(name, { setting, used, error });
  }
  return state;
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
  if (compiled === undefined) return null;
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
  if (compiled === undefined || pack === null) return none!; // defined if the set is not compiled
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

/** Loads the configured files of a set or, if they cannot be used, copies. `files` is null if those cannot be used either. */
async function loadConfigured(
  name: SetName,
  settings: DataSettings,
  { data, packs }: LoadedData,
  substitute: Substitute,
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
    const error = new UnusableData(`${paths.join(', ')} as ${what}`, systemReason(thrown));
    const copies = await substitute(setting, error);
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
  if (value === null) return [];
  return typeof value === 'string' ? [value] : value;
}
