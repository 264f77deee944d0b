import { access, constants, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import {
  createFile,
  createFolder,
  readPrivateFile,
  syncFolder,
  writeDurably,
} from '../../common/durable_file.ts';
import { fileExists, pathWithoutLinks, stampOfFiles } from '../../common/stat_files.ts';
import { withLock } from '../../signing/lock_file.ts';
import { type Bundle, openBundle } from './bundle_file.ts';
import { KeySetSchema, parseChecked } from './bundle_json.ts';

const INDEX = 'store.json';
const LOCK = 'lock';
/** The suffix of a bundle; its name is the digest of its manifest. */
const SUFFIX = '.bundle';
/** What is being installed. */
const INCOMING = 'incoming.tmp';
/** How many generations remain: the current one, and the one that `rollback` returns to. */
const GENERATIONS = 2;

const Generation = Type.Object({
  /** The SHA-256 of the manifest. */
  digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  sequence: Type.Integer({ minimum: 1 }),
  installed: Type.String(),
});
export type Generation = Static<typeof Generation>;

const Index = Type.Object({
  /** Those on disk, the last installed first. */
  generations: Type.Array(Generation),
  /** The digest of the one in use; null for the data of the executable. */
  current: Type.Union([Type.String(), Type.Null()]),
  /** The highest sequence number ever installed. */
  highest: Type.Integer({ minimum: 0 }),
  /** The only sequence number that may be installed; null for no pin. */
  pinned: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Successors of root keys, and the SHA-256 of the roots. */
  keys: Type.Union([Type.Object({ roots: Type.String(), current: KeySetSchema }), Type.Null()]),
  /** Where the current bundle was downloaded, and its entity tag. */
  download: Type.Union([Type.Object({ url: Type.String(), etag: Type.String() }), Type.Null()]),
});
export type StoreIndex = Static<typeof Index>;

const EMPTY: StoreIndex = {
  generations: [],
  current: null,
  highest: 0,
  pinned: null,
  keys: null,
  download: null,
};

/**
 * Installed bundles in a folder of the state directory. The index is replaced by one rename after the bundle that it names is
 * durable, and bundles that it no longer names are removed after that: whenever a process is killed, the index names complete
 * bundles. Changes take a lock; reading does not.
 */
export class DataStore {
  readonly folder: string;

  constructor(stateDirectory: string) {
    this.folder = join(stateDirectory, 'data');
  }

  /** A text that changes when another bundle is in use. */
  get stamp(): string {
    return stampOfFiles([join(this.folder, INDEX)]);
  }

  /** The index; that of an empty store if there is none. Rejects with an `Error` if it is damaged or a symbolic link. */
  async read(): Promise<StoreIndex> {
    const path = join(this.folder, INDEX);
    if (!fileExists(this.folder)) return EMPTY;
    pathWithoutLinks(this.folder);
    if (!fileExists(path)) return EMPTY;
    const { contents } = await readPrivateFile(path);
    return parseChecked(Index, contents.toString('utf8'), path);
  }

  /** The bundles that can be used, best first: the current one, then the others. Each is verified when it is opened. */
  async candidates(): Promise<readonly (() => Promise<Bundle>)[]> {
    const { current, generations } = await this.read();
    if (current === null) return [];
    const others = generations.filter(({ digest }) => digest !== current);
    return [...generations.filter(({ digest }) => digest === current), ...others].map(
      ({ digest }) =>
        () =>
          this.open(digest),
    );
  }

  /** Opens an installed bundle. Rejects with an `Error` unless it has the digest that was verified at its installation. */
  async open(digest: string): Promise<Bundle> {
    const path = this.#path(digest);
    try {
      const bundle = await openBundle(path);
      if (bundle.digest !== digest) throw new Error('its manifest is not the one that was installed');
      await bundle.verifyPayloads();
      return bundle;
    } catch (error) {
      throw new Error(`Cannot use ${path}: ${(error as Error).message}`);
    }
  }

  /** Runs `work` under the lock, and with the path where it may write what is to be installed. */
  async change<Value>(work: (index: StoreIndex, incoming: string) => Promise<Value>): Promise<Value> {
    if (!fileExists(this.folder)) await createFolder(this.folder);
    pathWithoutLinks(this.folder);
    await access(this.folder, constants.W_OK);
    await createFile(join(this.folder, LOCK), '').catch(error => {
      if (error.code !== 'EEXIST') throw error;
    });
    return await withLock(join(this.folder, LOCK), async () => {
      const incoming = join(this.folder, INCOMING);
      try {
        const index = await this.read();
        await this.#removeOthers(index);
        return await work(index, incoming);
      } finally {
        await rm(incoming, { force: true });
      }
    });
  }

  /** Puts a verified bundle in use, whose file is that of {@link change} and durable. Requires the lock. */
  async adopt(
    index: StoreIndex,
    { digest, manifest, path }: Bundle,
    changes: Pick<StoreIndex, 'keys' | 'download'>,
  ) {
    await rename(path, this.#path(digest));
    await syncFolder(this.folder);
    const generation = { digest, sequence: manifest.sequence, installed: new Date().toISOString() };
    const former = index.generations.filter(each => each.digest !== digest);
    const current = former.filter(each => each.digest === index.current);
    const others = former.filter(each => each.digest !== index.current);
    await this.#write({
      ...index,
      ...changes,
      generations: [generation, ...current, ...others].slice(0, GENERATIONS),
      current: digest,
      highest: Math.max(index.highest, manifest.sequence),
    });
  }

  /** Puts the generation before the current one in use; without one, the data of the executable. Returns it. */
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

  /** Permits only one sequence number; null permits all. */
  pin(sequence: number | null): Promise<void> {
    return this.change(index => this.#write({ ...index, pinned: sequence }));
  }

  /** Replaces the index, then removes bundles that it does not name. Requires the lock. */
  async #write(index: StoreIndex): Promise<void> {
    await writeDurably(join(this.folder, INDEX), `${JSON.stringify(index, null, 2)}\n`);
    await this.#removeOthers(index);
  }

  async #removeOthers({ generations }: StoreIndex): Promise<void> {
    const named = new Set(generations.map(({ digest }) => digest + SUFFIX));
    const others = (await readdir(this.folder)).filter(name => name.endsWith(SUFFIX) && !named.has(name));
    for (const name of others) await rm(join(this.folder, name), { force: true });
  }

  #path(digest: string): string {
    return join(this.folder, digest + SUFFIX);
  }
}
