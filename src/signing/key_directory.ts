import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quoted } from '../common/errors.ts';
import { LockTimeout, withLock } from '../common/lock_file.ts';
import {
  createFolder,
  linkRefusal,
  readPrivateFile,
  replaceFile,
  syncFolder,
  TEMPORARY,
} from '../common/state_files.ts';
import { KeyStoreError, type ManagedSigningKeyStore, type Rotation } from './key_store.ts';
import {
  activeKey,
  type KeyRecord,
  keyIdOf,
  type PublicKey,
  publicKeyOf,
  readKeyRecord,
  type SigningKey,
  validateKey,
  writeKeyRecord,
} from './signing_key.ts';

const KEY = '.json';
const REVOKED = '.revoked';
const GROUP_AND_OTHERS = 0o077; // permission bits
const MAX_FILE_BYTES = 4096; // a key file has about 300
const MAX_READS = 10;

/** A key file as last read, so that an unchanged one is not validated again. */
interface CachedFile {
  readonly text: string;
  readonly key: SigningKey;
}

/** A rotation as a {@link KeyDirectory} makes it. */
interface DirectoryRotation extends Rotation {
  /** Reserves the `kid` of the new key outside the directory; if it is taken there, the next free date is used. */
  readonly claim?: (key: PublicKey) => Promise<boolean>;
}

/**
 * The signing keys in a folder, one file per key, `<kid>.json`.
 *
 * Every visible step is a single rename. A rotation renames a new key's file into place and then removes the private keys of
 * older keys, which the next change completes after a crash. Revoking renames a file to `<kid>.revoked`, so that its `kid` is
 * not reused. Changes require a lock; reading does not.
 */
export class KeyDirectory implements ManagedSigningKeyStore {
  readonly path: string;
  #files = new Map<string, CachedFile>();
  /** By file name. */
  readonly #revoked = new Map<string, PublicKey>();

  constructor(path: string) {
    this.path = path;
  }

  async read(): Promise<readonly SigningKey[]> {
    this.#files = await this.#explained('read', async () =>
      (await this.#exists()) ? await this.#read() : new Map<string, CachedFile>(),
    );
    return [...this.#files.values()]
      .map(({ key }) => key)
      .sort((a, b) => b.sequence - a.sequence || (a.kid < b.kid ? 1 : -1));
  }

  /** Like {@link read}: there is no other machine. */
  synchronize(): Promise<readonly SigningKey[]> {
    return this.read();
  }

  rotate(rotation: DirectoryRotation): Promise<readonly SigningKey[]> {
    const { epochMs, seed, onlyIf = () => true } = rotation;
    return this.#change(async keys => {
      if (!onlyIf(keys)) return;
      const unnamed = {
        sequence: 1 + Math.max(0, ...keys.map(({ sequence }) => sequence)),
        createdMs: epochMs,
        x: publicKeyOf(seed),
      };
      const kid = await this.#freeKeyId(rotation, unnamed);
      const record = { kid, ...unnamed, d: Buffer.from(seed).toString('base64url') };
      const key = await validateKey(record);
      await this.#write(record);
      await this.#retire(keys, key).catch(error => {
        const left = "its predecessor's private key stays until the next change";
        throw new KeyStoreError(`The key '${key.kid}' is active, but ${left}: ${error.message}`);
      });
    });
  }

  /** @throws {KeyStoreError} for the active key and an unknown one */
  async revoke(kid: string): Promise<void> {
    await this.#change(async keys => {
      if (!keys.some(key => key.kid === kid))
        throw new KeyStoreError(`Cannot revoke ${quoted(kid)}: there is no such key`);
      if (activeKey(keys)?.kid === kid) {
        const instead = "create a new one first with 'meridian keys rotate --force'";
        throw new KeyStoreError(`Cannot revoke ${quoted(kid)}: it is the active key; ${instead}`);
      }
      await rename(this.#file(kid + KEY), this.#file(kid + REVOKED));
      await syncFolder(this.path);
    });
  }

  /** The revoked keys, except for unreadable ones. Their files never change, so each is read only once. */
  async revoked(): Promise<readonly PublicKey[]> {
    const names = await this.#list(REVOKED).catch(() => []);
    for (const name of names.filter(name => !this.#revoked.has(name))) {
      const file = readPrivateFile(this.#file(name), MAX_FILE_BYTES);
      const key = await file.then(({ contents }) => readKeyRecord(`${contents}`)).catch(() => undefined);
      if (key !== undefined) this.#revoked.set(name, key);
    }
    return names.flatMap(name => this.#revoked.get(name) ?? []);
  }

  /** Runs `work` under the lock, after cleaning up what a crash may have left. */
  #change(work: (keys: readonly SigningKey[]) => Promise<void>) {
    return this.#explained('change', async () => {
      if (!(await this.#exists())) await createFolder(this.path);
      return await withLock(this.path, async () => {
        for (const name of await this.#list(TEMPORARY)) await rm(this.#file(name), { force: true });
        const keys = await this.read();
        const active = activeKey(keys);
        if (active !== undefined) await this.#retire(keys, active);
        await work(keys);
        return await this.read();
      });
    });
  }

  /** Turns errors of the system, of SQLite and of the lock into KeyStoreErrors. */
  async #explained<Value>(act: 'read' | 'change', work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LockTimeout) throw new KeyStoreError(error.message);
      if (!isSystemError(error)) throw error;
      throw new KeyStoreError(`Cannot ${act} the signing keys in '${this.path}': ${error.message}`);
    }
  }

  /** Whether the folder exists. Throws if it is a symbolic link or others can read it. */
  async #exists(): Promise<boolean> {
    const folder = await lstat(this.path).catch(error => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    if (folder?.isSymbolicLink()) throw new KeyStoreError(linkRefusal(this.path));
    if (folder !== undefined && isExposed(folder.mode)) throw exposed(this.path, folder.mode, '700');
    return folder !== undefined;
  }

  /** Reads all key files. A listing may miss one that is being renamed, so it must be the same before and after. */
  async #read(): Promise<Map<string, CachedFile>> {
    let listed = await this.#list(KEY);
    for (let reads = 1; ; reads++) {
      const files = new Map<string, CachedFile>();
      for (const name of listed) {
        const file = await this.#readFile(name);
        if (file !== undefined) files.set(name, file);
      }
      const listedAgain = await this.#list(KEY);
      if (listedAgain.join() === listed.join() || reads === MAX_READS) return files;
      listed = listedAgain;
    }
  }

  /** A key file, undefined if it no longer exists. The file of a retired key never changes, so it is read only once. */
  async #readFile(name: string): Promise<CachedFile | undefined> {
    const known = this.#files.get(name);
    if (known !== undefined && known.key.privateKey === undefined) return known;
    const path = this.#file(name);
    try {
      const { contents, mode } = await readPrivateFile(path, MAX_FILE_BYTES);
      const text = contents.toString('utf8');
      const file = known?.text === text ? known : { text, key: await keyOf(name, text) };
      if (file.key.privateKey !== undefined && isExposed(mode)) throw exposed(path, mode, '600');
      return file;
    } catch (error) {
      if (error instanceof KeyStoreError || !(error instanceof Error)) throw error;
      if (hasCode(error, 'ENOENT')) return undefined;
      if (hasCode(error, 'ELOOP')) throw new KeyStoreError(linkRefusal(path));
      const remedy =
        'restore it from a backup, or move it out of the folder, after which what it signed no longer verifies';
      throw new KeyStoreError(`Cannot read the signing key '${path}': ${error.message}; ${remedy}`);
    }
  }

  async #freeKeyId(
    { epochMs, force = false, claim = async () => true }: DirectoryRotation,
    unnamed: Omit<PublicKey, 'kid'>,
  ): Promise<string> {
    const files = [...(await this.#list(KEY)), ...(await this.#list(REVOKED))];
    const taken = new Set(files.map(name => name.slice(0, name.indexOf('.'))));
    for (let daysLater = 0; ; daysLater++) {
      const kid = keyIdOf(epochMs, daysLater);
      if (taken.has(kid) && !force) {
        const why = 'there is one key per day, and --force uses the next free date';
        throw new KeyStoreError(`Cannot create the signing key '${kid}': it already exists; ${why}`);
      }
      if (!taken.has(kid) && (await claim({ kid, ...unnamed }))) return kid;
    }
  }

  /** Removes the private keys of all keys but the active one. */
  async #retire(keys: readonly SigningKey[], active: SigningKey): Promise<void> {
    const retired = keys.filter(({ kid, privateKey }) => privateKey !== undefined && kid !== active.kid);
    for (const key of retired) await this.#write({ ...key, d: undefined });
  }

  #write(record: KeyRecord): Promise<void> {
    return replaceFile(this.#file(record.kid + KEY), [writeKeyRecord(record)]);
  }

  async #list(ending: string): Promise<string[]> {
    return (await readdir(this.path)).filter(name => name.endsWith(ending)).sort();
  }

  #file(name: string): string {
    return join(this.path, name);
  }
}

async function keyOf(name: string, text: string): Promise<SigningKey> {
  const key = await validateKey(readKeyRecord(text));
  if (name !== key.kid + KEY) throw new Error(`it contains the key '${key.kid}', but is not named after it`);
  return key;
}

/** Windows has no such modes; there a folder is private by its location. */
function isExposed(mode: number): boolean {
  return process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0;
}

function exposed(path: string, mode: number, wanted: string): KeyStoreError {
  const found = (mode & 0o777).toString(8);
  return new KeyStoreError(
    `Others can read the signing keys: '${path}' has mode ${found}; 'chmod ${wanted} ${path}' closes it, and 'meridian keys rotate --force' replaces a key that may have been read`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return isSystemError(error) && error.code === code;
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
