import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createFolder,
  fileExists,
  pathWithoutLinks,
  readPrivateFile,
  replaceFile,
} from '../common/state_files.ts';
import type { SourceFile } from './data_sets.ts';
import { sha256Of } from './sha256.ts';

/** The SHA-256 in hex of the copies of one set, which are the files `NAME-DIGEST`, in `NAME.json`. */
type Digests = readonly string[];

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
      const files = (await this.#digests(name)).map(async digest => {
        const path = this.#path(name, digest);
        const { contents } = await readPrivateFile(path);
        if ((await sha256Of(contents)) !== digest) throw new Error(`${path} is damaged`);
        return { path, contents };
      });
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
    // Only digests and sizes: reading 70 MB at each start would only detect damage that `read` detects anyway.
    const saved = await this.#digests(name).catch(() => []);
    const isSameSize = ({ contents }: SourceFile, at: number) =>
      Bun.file(this.#path(name, sha256[at]!)).size === contents.length;
    if (saved.join() === sha256.join() && files.every(isSameSize)) return;
    if (fileExists(this.#folder)) pathWithoutLinks(this.#folder);
    else await createFolder(this.#folder);
    for (const [at, { contents }] of files.entries()) {
      await replaceFile(this.#path(name, sha256[at]!), [contents]);
    }
    await replaceFile(join(this.#folder, `${name}.json`), [`${JSON.stringify({ sha256 })}\n`]);
    await this.#removeOthers(name, sha256);
  }

  async #removeOthers(name: string, sha256: Digests): Promise<void> {
    const others = (await readdir(this.#folder)).filter(file => {
      const digest = file.startsWith(`${name}-`) ? file.slice(name.length + 1) : '';
      return /^[0-9a-f]{64}(\.(\d+\.)?tmp)?$/.test(digest) && !sha256.includes(digest);
    });
    for (const file of others) await rm(join(this.#folder, file), { force: true });
  }

  async #digests(name: string): Promise<Digests> {
    const { contents } = await readPrivateFile(join(pathWithoutLinks(this.#folder), `${name}.json`));
    return (JSON.parse(contents.toString('utf8')) as { readonly sha256: Digests }).sha256;
  }

  #path(name: string, digest: string): string {
    return join(this.#folder, `${name}-${digest}`);
  }
}
