import { expect } from 'bun:test';
import { join } from 'node:path';

export const hasOpenssl = Bun.which('openssl') !== null;

/** Creates a self-signed certificate for a name in a folder; returns its path and that of its key. */
export function selfSigned(folder: string, name: string): { cert: string; key: string } {
  const cert = join(folder, `${name}.crt`);
  const key = join(folder, `${name}.key`);
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const { exitCode } = Bun.spawnSync(
    [
      'openssl',
      'req',
      '-x509',
      ...kind,
      '-keyout',
      key,
      '-out',
      cert,
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
    ],
    { stderr: 'ignore' },
  );
  expect(exitCode).toBe(0);
  return { cert, key };
}
