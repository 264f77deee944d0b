import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether OpenSSL 3 is here, the first whose `pkeyutl` verifies Ed25519 (`-rawin`). */
export const hasOpenssl = /^OpenSSL ([3-9]|\d\d)\./.test(
  spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '',
);

/** One signature for OpenSSL to judge. */
export interface OpensslCase {
  /** The public key, 32 bytes in Base64URL. */
  readonly x: string;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

// The SubjectPublicKeyInfo of RFC 8410 §4, up to the 32 bytes of the key.
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** OpenSSL's verdicts: of the command that the README shows, run once a case. */
export function opensslVerdicts(cases: readonly OpensslCase[]): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-openssl-'));
  try {
    cases.forEach(({ x, message, signature }, index) => {
      const spki = Buffer.concat([SPKI, Buffer.from(x, 'base64url')]).toString('base64');
      writeFileSync(
        join(folder, `${index}.pem`),
        `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`,
      );
      writeFileSync(join(folder, `${index}.message`), message);
      writeFileSync(join(folder, `${index}.signature`), signature);
    });
    const script = `for ((i = 0; i < ${cases.length}; i++)); do
      openssl pkeyutl -verify -pubin -inkey $i.pem -rawin -in $i.message -sigfile $i.signature >/dev/null 2>&1
      echo $?
    done`;
    const { stdout } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
    return stdout
      .trim()
      .split('\n')
      .map(status => status === '0');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
