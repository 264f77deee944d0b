import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createFolder,
  fileExists,
  pathWithoutLinks,
  readPrivateFile,
  writeDurably,
} from '../common/state_files.ts';
import type { SourceFile } from './data_set.ts';

/** The index of the copies of one set, in `NAME.json`. */
interface CopiesIndex {
  readonly saved: string;
  /** The SHA-256 of each file in hex; the file is `NAME-DIGEST`. */
  readonly sha256: readonly string[];
}

/**
 * A folder with copies of the configured files that loaded last. A set of files is replaced by a single rename of its
 * index; copies whose digest is not in the index are never returned.
 */
export class LastGood {
  readonly #folder: string;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The copies of a set; null if there are none or they are damaged. */
  async read(name: string): Promise<readonly SourceFile[] | null> {
    try {
      const { sha256 } = await this.#index(name);
      const files = sha256.map(digest => this.#verified(this.#path(name, digest), digest));
      return files.length === 0 ? null : await Promise.all(files);
    } catch {
      return null;
    }
  }

  /** Replaces the copies of a set unless they are the same. Calls are serialized. */
  save(name: string, files: readonly SourceFile[]): Promise<void> {
    const saved = this.#saving.then(() => this.#save(name, files));
    this.#saving = saved.catch(() => {});
    return saved;
  }

  /** Resolves when all calls of `save` have finished. */
  async finish(): Promise<void> {
    await this.#saving;
  }

  async #save(name: string, files: readonly SourceFile[]): Promise<void> {
    const sha256: string[] = [];
    for (const { contents } of files) sha256.push(await sha256Of(contents));
    if (await this.#isSaved(name, files, sha256)) return;
    await this.#prepare();
    for (const [index, { contents }] of files.entries()) {
      await writeDurably(this.#path(name, sha256[index]!), contents);
    }
    const index: CopiesIndex = { saved: new Date().toISOString(), sha256 };
    await writeDurably(join(this.#folder, `${name}.json`), `${JSON.stringify(index)}\n`);
    await this.#removeOthers(name, sha256);
  }

  /** Compares only digest and size: reading 70 MB at each start would only detect damage that {@link read} detects anyway. */
  async #isSaved(name: string, files: readonly SourceFile[], sha256: readonly string[]): Promise<boolean> {
    const saved = await this.#index(name).catch(() => null);
    return (
      saved?.sha256.join() === sha256.join() &&
      files.every(({ contents }, at) => Bun.file(this.#path(name, sha256[at]!)).size === contents.length)
    );
  }

  /** Creates the folder if it does not exist. Throws if it is a symbolic link. */
  async #prepare(): Promise<void> {
    if (fileExists(this.#folder)) pathWithoutLinks(this.#folder);
    else await createFolder(this.#folder);
  }

  async #removeOthers(name: string, sha256: readonly string[]): Promise<void> {
    const others = (await readdir(this.#folder)).filter(file => {
      const digest = file.startsWith(`${name}-`) ? file.slice(name.length + 1) : '';
      return /^[0-9a-f]{64}(\.tmp)?$/.test(digest) && !sha256.includes(digest);
    });
    for (const file of others) await rm(join(this.#folder, file), { force: true });
  }

  async #index(name: string): Promise<CopiesIndex> {
    const path = join(pathWithoutLinks(this.#folder), `${name}.json`);
    const { contents } = await readPrivateFile(path);
    return JSON.parse(contents.toString('utf8')) as CopiesIndex;
  }

  async #verified(path: string, digest: string): Promise<SourceFile> {
    const { contents } = await readPrivateFile(path);
    if ((await sha256Of(contents)) !== digest) throw new Error(`${path} is damaged`);
    return { path, contents };
  }

  #path(name: string, digest: string): string {
    return join(this.#folder, `${name}-${digest}`);
  }
}

/** Takes about half a millisecond to hash. */
const SLICE_BYTES = 512 * 1024;

/** Hashes in slices, so that the server can serve meanwhile: an IP database has 70 MB, which WebCrypto would also copy. */
export async function sha256Of(...parts: readonly Uint8Array[]): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += SLICE_BYTES) {
      hash.update(part.subarray(at, at + SLICE_BYTES));
      await new Promise(resolve => setImmediate(resolve));
    }
  }
  return hash.digest('hex');
}
