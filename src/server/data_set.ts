import type { DataSetManifest } from '../../data/manifest.ts';
import type { DependencyStatus } from '../http/snapshot.ts';
import type { ServedData } from '../operations/served_data.ts';
import { type EmbeddedBytes, readEmbeddedFile } from '../places/embedded_file.ts';
import { LazyData } from '../places/lazy_data.ts';

/** The settings that replace or extend embedded data. */
export interface DataSettings {
  readonly zoneinfo: string | null;
  readonly 'allow-older-data': boolean;
  readonly calendar: string | null;
  readonly schedules: string | null;
  readonly 'ip-db': readonly string[];
  readonly 'ip-zones': string | null;
}

/** A file that replaces or extends embedded data, supplied by the operator or a last good copy. */
export interface SourceFile {
  /** For messages. */
  readonly path: string;
  readonly contents: Uint8Array;
}

/** A setting that names data files. */
export type Setting = Exclude<keyof DataSettings, 'allow-older-data'>;

/** How configured files replace or extend the compiled data of a set. */
interface Configurable<Value> {
  readonly setting: Setting;
  /** The kind of file, for messages: `Cannot use FILE as …`. */
  readonly what: string;
  /** Reads the contents for a path, such as a directory, as one file; by default reads the file itself. */
  readonly read?: (path: string) => Uint8Array | Promise<Uint8Array>;
  /**
   * Validates files and returns their data. `loaded` has the sets that precede it in the registry, `pack` the compiled data
   * that the files extend. Throws an `Error` with the reason if a file cannot be used.
   */
  readonly parse: (
    files: readonly SourceFile[],
    settings: DataSettings,
    loaded: ServedData,
    pack: Pack | null,
  ) => Value | Promise<Value>;
  /** Another set that `parse` depends on: files are parsed again when a bundle replaces that set. */
  readonly reads?: keyof ServedData;
}

/** Compiled data. */
interface Compiled<Value> {
  /** The executable's pack; its manifest has the set's name in bundles. */
  readonly embedded: Pack;
  /** Opens a pack, which may be from a bundle. Throws or rejects with an `Error` if it cannot be used. */
  readonly open: (pack: Pack, settings: Pick<DataSettings, 'allow-older-data'>) => Value | Promise<Value>;
}

/** Where the data to be checked comes from. */
export interface DataOrigin {
  /** The compiled data; null if the set has none. */
  readonly pack: Pack | null;
  /** Whether the compiled data is from a bundle. */
  readonly isBundled: boolean;
  /** Whether configured files replace or extend it, which were checked when they were parsed. */
  readonly isConfigured: boolean;
}

/** A data set of a server. */
interface DataSet<Value> {
  /** Undefined if the set has only compiled data. */
  readonly configurable?: Configurable<Value>;
  /** Undefined if the set has only configured data. */
  readonly compiled?: Compiled<Value>;
  /** The value if nothing is configured, for sets that are not compiled. */
  readonly none?: Value;
  /** Describes the data in the log. */
  describe(value: Value): string;
  /** Its line in `/readyz`, if it has one. A warning is also logged. */
  status?(value: Value): DependencyStatus | null;
  /**
   * Reads the data before a bundle is installed: all of it if it is from the bundle, otherwise as much as needed. Throws or
   * rejects with an `Error` if any part is damaged. Returns the zones that it refers to.
   */
  check?(value: Value, origin: DataOrigin): readonly string[] | Promise<readonly string[]>;
}

/** The data set of a field of the snapshot. */
export type SetOf<Name extends keyof ServedData> = DataSet<ServedData[Name]>;

/** A pack that is read in place from the mapped executable. */
export function largePack(manifest: DataSetManifest, path: string): Pack {
  return embeddedPack(manifest, () => readEmbeddedFile(path, manifest.sha256));
}

/** Opens packs on first use of their data. */
export function lazily<Data>(
  name: string,
  open: (pack: Pack) => Promise<Data>,
): (pack: Pack) => LazyData<Data> {
  return pack => new LazyData(name, versionOf(pack.manifest), () => open(pack));
}

/** Data that is loaded on first use counts as ready: a request that needs it waits. */
export function lazyStatus({ name, version, state }: LazyData<unknown>): DependencyStatus {
  switch (state.kind) {
    case 'ready':
      return { name, state: 'ok', detail: version };
    case 'broken':
      return { name, state: 'broken', detail: `${version}: ${state.problem}` };
    case 'loading':
      return { name, state: 'ok', detail: `${version}, loading` };
    case 'unread':
      return { name, state: 'ok', detail: `${version}, loaded at first use` };
  }
}

/** Lazily loaded data. Rejects with the reason if it cannot be used, which responses do not reveal. */
export async function usable<Data>(data: LazyData<Data>): Promise<Data> {
  await data.load();
  if (data.state.kind === 'broken') throw new Error(data.state.problem);
  return data.get();
}

export function textOf({ contents }: SourceFile): string {
  return new TextDecoder().decode(contents);
}

/** A compiled data set's description for reports. */
export function versionOf({ version, date, bytes, licence, source }: DataSetManifest): string {
  return `${version} of ${date}, ${megabytes(bytes)}, ${licence}, ${source}`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The compiled bytes of a data set, in the executable or in a bundle. */
export interface Pack {
  readonly manifest: DataSetManifest;
  /** The sequence number of its bundle; null for the executable. */
  readonly sequence: number | null;
  /** The bytes, after a check of their SHA-256. Rejects with an `Error` if they are damaged. */
  load(): Promise<EmbeddedBytes>;
}

/** A pack in the executable. */
export function embeddedPack(
  manifest: DataSetManifest,
  read: () => EmbeddedBytes | Promise<EmbeddedBytes>,
): Pack {
  return { manifest, sequence: null, load: async () => read() };
}

/** The source of a pack: `embedded` or `bundle 42`. */
export function packName(pack: Pick<Pack, 'sequence'> | undefined): string {
  return pack?.sequence == null ? 'embedded' : `bundle ${pack.sequence}`;
}

/** All bytes of a pack. */
export async function bytesOf(pack: Pack): Promise<Uint8Array> {
  const bytes = await pack.load();
  return bytes.subarray(0, bytes.length);
}

/** Packs that replace the executable's, from an installed bundle. */
export interface PackSource {
  /** The pack of a data set by its manifest name; undefined if there is none. */
  pack(name: string): Pack | undefined;
}
