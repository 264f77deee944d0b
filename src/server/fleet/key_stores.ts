import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { systemReason } from '../../common/errors.ts';
import { CommonKeyStore } from '../../signing/common_key_store.ts';
import { FleetKeyStore } from '../../signing/fleet_key_store.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { KeySeal, MIN_SECRET_BYTES } from '../../signing/sealed_key.ts';
import type { SharedKeyStore } from '../../signing/shared_key.ts';

const OTHERS = 0o007; // permission bits

/** The signing keys of a machine in a fleet: its own, or, with a secret file, those shared by all machines with that secret. */
export function fleetKeyStore(
  directory: KeyDirectory,
  shared: SharedKeyStore,
  secretFile: string | null,
  report: (message: string) => void,
): FleetKeyStore | CommonKeyStore {
  if (secretFile !== null) return new CommonKeyStore(directory, readSecret(secretFile), { shared });
  return new FleetKeyStore(directory, { shared, epochMs: Date.now, seed: () => randomBytes(32), report });
}

/** The secret in the `--share-signing-keys` file. @throws {Error} with a one-line message if it is public or too short */
export function readSecret(path: string): KeySeal {
  const secret = textOf(path);
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
    throw new Error(`--share-signing-keys: other users can read '${path}'; run 'chmod 600 ${path}'`);
  }
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    const remedy = `'openssl rand -hex 32 > ${path}' makes one`;
    throw new Error(
      `--share-signing-keys: '${path}' has fewer than ${MIN_SECRET_BYTES} characters; ${remedy}`,
    );
  }
  return new KeySeal(Buffer.from(secret));
}

/** Without the line feed that editors add. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trimEnd();
  } catch (error) {
    throw new Error(`--share-signing-keys: cannot read '${path}': ${systemReason(error)}`);
  }
}
