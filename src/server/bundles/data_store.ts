import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { parseChecked } from '../../common/checked_json.ts';
import { messageOf } from '../../common/errors.ts';
import { withLock } from '../../common/lock_file.ts';
import {
  createFolder,
  fileExists,
  pathWithoutLinks,
  readPrivateFile,
  replaceFile,
  stampOfFiles,
  syncFolder,
} from '../../common/state_files.ts';
import { type Bundle, KeySetSchema, openBundle } from './bundle_file.ts';

const INDEX = 'store.json';
/** The suffix of a bundle file; its name is the digest of its manifest. */
const SUFFIX = '.bundle';
/** The file of a bundle being obtained; left over if it was not written for as long, since transfers that stall fail sooner. */
const INCOMING = /^incoming(?:-.*)?\.tmp$/;
const LEFT_OVER_MS = 900_000;
/** How many generations are retained: the current one, and the one that `rollback` returns to. */
const GENERATIONS = 2;

const Generation = Type.Object({
  /** The SHA-256 of the manifest. */
  digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  sequence: Type.Integer({ minimum: 1 }),
  installed: Type.String(),
});
type Generation = Static<typeof Generation>;

const Index = Type.Object({
  /** The bundles on disk, the last installed first. */
  generations: Type.Array(Generation),
  /** The digest of the bundle in use; null for the executable's data. */
  current: Type.Union([Type.String(), Type.Null()]),
  /** The highest sequence number ever installed. */
  highest: Type.Integer({ minimum: 0 }),
  /** The only sequence number that may be installed; null if not pinned. */
  pinned: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Successors of root keys, and the SHA-256 of the roots. */
  keys: Type.Union([Type.Object({ roots: Type.String(), current: KeySetSchema }), Type.Null()]),
  /** The URL that the last installed bundle was downloaded from, and its entity tag. */
  download: Type.Union([Type.Object({ url: Type.String(), etag: Type.String() }), Type.Null()]),
});
export type StoreIndex = Static<typeof Index>;

const NONE = { current: null, pinned: null, keys: null, download: null };
const EMPTY: StoreIndex = { generations: [], highest: 0, ...NONE };

/**
 * Installed bundles in a folder in the state directory. The index is replaced by a single rename once the bundle that it
 * names is durable; bundles that it no longer names are removed after that. Even if a process is killed at any point, the
 * index names only complete bundles. Changes require a lock; reading does not.
 */
export class DataStore {
  readonly folder: string;

  constructor(stateDirectory: string) {
    this.folder = join(stateDirectory, 'data');
  }

  /** Changes when the bundle in use changes. */
  get stamp(): string {
    return stampOfFiles([join(this.folder, INDEX)]);
  }

  /** The index; an empty one if the file does not exist. Rejects with an `Error` if it is damaged or a symbolic link. */
  async read(): Promise<StoreIndex> {
    const path = join(this.folder, INDEX);
    if (!fileExists(this.folder)) return EMPTY;
    pathWithoutLinks(this.folder);
    if (!fileExists(path)) return EMPTY;
    const { contents } = await readPrivateFile(path);
    return parseChecked(Index, contents.toString('utf8'), path);
  }

  /** The digests of the bundles that can be used, best first: the current one, then those that it replaced. */
  async candidates(): Promise<readonly string[]> {
    const { current, generations } = await this.read();
    if (current === null) return [];
    const digests = generations.map(({ digest }) => digest);
    return [current, ...digests.slice(digests.indexOf(current) + 1)];
  }

  /** Opens an installed bundle. Rejects with an `Error` unless it has the digest that was verified when it was installed. */
  async open(digest: string): Promise<Bundle> {
    const path = this.#path(digest);
    try {
      const bundle = await openBundle(path);
      if (bundle.digest !== digest) throw new Error('its manifest is not the one that was installed');
      await bundle.verifyPayloads();
      return bundle;
    } catch (error) {
      throw new Error(`Cannot use ${path}: ${messageOf(error)}`);
    }
  }

  /** Runs `work` with the path of a new file for a bundle to be installed, which is removed afterwards. */
  async withIncoming<Value>(work: (incoming: string) => Promise<Value>): Promise<Value> {
    await this.#createFolder();
    const incoming = join(this.folder, `incoming-${crypto.randomUUID()}.tmp`);
    try {
      return await work(incoming);
    } finally {
      await rm(incoming, { force: true });
    }
  }

  /** Runs `work` under the lock. */
  async change<Value>(work: (index: StoreIndex) => Promise<Value>): Promise<Value> {
    await this.#createFolder();
    return await withLock(this.folder, async () => {
      const index = await this.read();
      await this.#removeOthers(index);
      return await work(index);
    });
  }

  async #createFolder(): Promise<void> {
    if (!fileExists(this.folder)) await createFolder(this.folder);
    pathWithoutLinks(this.folder);
  }

  /** Starts using a verified bundle, whose file is that of {@link withIncoming} and durable. Requires the lock. */
  async adopt(
    index: StoreIndex,
    { digest, manifest, path }: Bundle,
    changes: Pick<StoreIndex, 'keys' | 'download'>,
  ) {
    await rename(path, this.#path(digest));
    await syncFolder(this.folder);
    const generation = { digest, sequence: manifest.sequence, installed: new Date().toISOString() };
    const former = index.generations
      .filter(each => each.digest !== digest)
      .sort((a, b) => Number(b.digest === index.current) - Number(a.digest === index.current));
    await this.#write({
      ...index,
      ...changes,
      generations: [generation, ...former].slice(0, GENERATIONS),
      current: digest,
      highest: Math.max(index.highest, manifest.sequence),
    });
  }

  /** Returns to the previous generation, or to the executable's data if there is none. Returns that generation. */
  rollback(): Promise<Generation | null> {
    return this.change(async index => {
      const at = index.generations.findIndex(({ digest }) => digest === index.current);
      if (at === -1) throw new Error('Cannot roll back: no bundle is in use');
      const former = index.generations[at + 1] ?? null;
      if (former !== null) await this.open(former.digest);
      await this.#write({ ...index, current: former?.digest ?? null });
      return former;
    });
  }

  /** Allows only one sequence number; null allows all. */
  pin(sequence: number | null): Promise<void> {
    return this.change(index => this.#write({ ...index, pinned: sequence }));
  }

  /** Replaces the index, then removes bundles that it no longer names. Requires the lock. */
  async #write(index: StoreIndex): Promise<void> {
    await replaceFile(join(this.folder, INDEX), [`${JSON.stringify(index, null, 2)}\n`]);
    await this.#removeOthers(index);
  }

  async #removeOthers({ generations }: StoreIndex): Promise<void> {
    const named = new Set(generations.map(({ digest }) => digest + SUFFIX));
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const isUnnamed = name.endsWith(SUFFIX) && !named.has(name);
      if (isUnnamed || (INCOMING.test(name) && (await isLeftOver(path)))) await rm(path, { force: true });
    }
  }

  #path(digest: string): string {
    return join(this.folder, digest + SUFFIX);
  }
}

async function isLeftOver(path: string): Promise<boolean> {
  const writtenMs = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null, // it was removed meanwhile
  );
  return writtenMs !== null && Date.now() - writtenMs > LEFT_OVER_MS;
}
