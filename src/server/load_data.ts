import { readFile } from 'node:fs/promises';
import { systemReason } from '../common/message_of.ts';
import { quoted } from '../common/service_error.ts';
import type { ServedData } from '../http/snapshot.ts';
import { DATA_SET_NAMES, DATA_SETS, type DataSettings, type Setting, type SourceFile } from './data_sets.ts';

type SetName = keyof ServedData;

/** Configured files that cannot be used. The message is a line that names them, with the reason. */
export class UnusableData extends Error {
  readonly reason: string;

  constructor(subject: string, reason: string) {
    super(`Cannot use ${subject}: ${reason}`);
    this.reason = reason;
  }
}

/** A configured set that could not be used, and what is used instead. */
export interface Degradation {
  readonly setting: Setting;
  readonly error: UnusableData;
  readonly from: 'the last good copy' | 'the embedded data';
}

/** All data of a server. */
export interface LoadedData {
  readonly data: ServedData;
  readonly degraded: ReadonlyMap<SetName, Degradation>;
  /** The configured files that are in use. */
  readonly files: ReadonlyMap<Setting, readonly SourceFile[]>;
}

/**
 * Decides about a configured set that cannot be used: returns copies to use instead, or null for the embedded data; or
 * throws.
 */
export type Substitute = (setting: Setting, error: UnusableData) => Promise<readonly SourceFile[] | null>;

/** Requires all configured files: throws the error. */
export const requireConfigured: Substitute = async (_, error) => {
  throw error;
};

/** Loads all data. */
export async function loadData(settings: DataSettings, substitute = requireConfigured): Promise<LoadedData> {
  const loaded: Partial<Record<SetName, unknown>> = {};
  const degraded = new Map<SetName, Degradation>();
  const files = new Map<Setting, readonly SourceFile[]>();
  const data = loaded as ServedData; // complete at the end; a set reads only those above it
  for (const name of DATA_SET_NAMES) {
    const setting = configuredSetting(name, settings);
    if (setting === undefined) {
      loaded[name] = DATA_SETS[name].embedded();
      continue;
    }
    try {
      const configured = await loadConfigured(name, settings, data);
      loaded[name] = configured.value;
      files.set(setting, configured.files);
    } catch (error) {
      if (!(error instanceof UnusableData)) throw error;
      const copies = await substitute(setting, error);
      const copied = copies && (await parseCopies(name, copies, settings, data));
      loaded[name] = copied === null ? DATA_SETS[name].embedded() : copied.value;
      degraded.set(name, {
        setting,
        error,
        from: copied === null ? 'the embedded data' : 'the last good copy',
      });
    }
  }
  return { data, degraded, files };
}

/** Loads the configured files of a set. @throws {UnusableData} */
export async function loadConfigured<Name extends SetName>(
  name: Name,
  settings: DataSettings,
  loaded: ServedData,
): Promise<{ readonly value: ServedData[Name]; readonly files: readonly SourceFile[] }> {
  const { setting, what, read = readFile, parse } = DATA_SETS[name].configurable!; // it is configured
  const paths = pathsOf(setting, settings);
  try {
    const files: SourceFile[] = [];
    for (const path of paths) {
      const contents = await readNonEmpty(path, read).catch(error => {
        throw paths.length === 1 ? error : new Error(`${quoted(path)}: ${systemReason(error)}`);
      });
      files.push({ path, contents });
    }
    return { value: await parse(files, settings, loaded), files };
  } catch (error) {
    throw new UnusableData(`${paths.join(', ')} as ${what}`, systemReason(error));
  }
}

/** An empty file is a failed copy, not an operator's wish. */
async function readNonEmpty(
  path: string,
  read: (path: string) => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  const contents = await read(path);
  if (contents.length === 0) throw new Error('it is empty');
  return contents;
}

/** The data of copies; null if this version rejects them, such as zones older than those of a new executable. */
async function parseCopies<Name extends SetName>(
  name: Name,
  copies: readonly SourceFile[],
  settings: DataSettings,
  loaded: ServedData,
): Promise<{ readonly value: ServedData[Name] } | null> {
  try {
    return { value: await DATA_SETS[name].configurable!.parse(copies, settings, loaded) };
  } catch {
    return null;
  }
}

/** The setting of a set if the operator configured it. */
export function configuredSetting(name: SetName, settings: DataSettings): Setting | undefined {
  const setting = DATA_SETS[name].configurable?.setting;
  return setting === undefined || pathsOf(setting, settings).length === 0 ? undefined : setting;
}

function pathsOf(setting: Setting, settings: DataSettings): readonly string[] {
  const value = settings[setting];
  if (value === null) return [];
  return typeof value === 'string' ? [value] : value;
}
