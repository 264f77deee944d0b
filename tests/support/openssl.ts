import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './process.ts';

/** Whether OpenSSL 3 is installed, the first version whose `pkeyutl` verifies Ed25519 (`-rawin`). */
export const hasOpenssl = /^OpenSSL ([3-9]|\d\d)\./.test(
  spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '',
);

/** A signature for OpenSSL to verify. */
export interface OpensslCase {
  /** The public key, 32 bytes in Base64URL. */
  readonly x: string;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

// The SubjectPublicKeyInfo of RFC 8410 §4, up to the 32 bytes of the key.
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** OpenSSL's verdicts, from the guide's command run once per case. */
export function opensslVerdicts(cases: readonly OpensslCase[]): boolean[] {
  const folder = newFolder();
  cases.forEach(({ x, message, signature }, index) => {
    const spki = Buffer.concat([SPKI, Buffer.from(x, 'base64url')]).toString('base64');
    writeFileSync(
      join(folder, `${index}.pem`),
      `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`,
    );
    writeFileSync(join(folder, `${index}.message`), message);
    writeFileSync(join(folder, `${index}.signature`), signature);
  });
  const script = `judge() {
      for ((i = $1; i < ${cases.length}; i += 2)); do
        openssl pkeyutl -verify -pubin -inkey $i.pem -rawin -in $i.message -sigfile $i.signature >/dev/null 2>&1
        echo $? > $i.verdict
      done
    }
    judge 0 & judge 1 & wait`;
  spawnSync('bash', ['-c', script], { cwd: folder });
  return cases.map((_, index) => readFileSync(join(folder, `${index}.verdict`), 'utf8') === '0\n');
}

/** Creates a self-signed certificate for a name in a folder; returns its path and that of its key. */
export function selfSigned(folder: string, name: string): { cert: string; key: string } {
  const cert = join(folder, `${name}.crt`);
  const key = join(folder, `${name}.key`);
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const { exitCode } = Bun.spawnSync(
    [
      ...['openssl', 'req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`],
      ...['-addext', `subjectAltName=DNS:${name}`],
    ],
    { stderr: 'ignore' },
  );
  expect(exitCode).toBe(0);
  return { cert, key };
}
