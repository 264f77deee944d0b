import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A certificate with its chain, and its private key, both in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** The end of the certificate's validity, in milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** Reads a certificate and its key, and checks that they belong together. Throws an `Error` of one line. */
export function readTlsFiles(certPath: string, keyPath: string): TlsPair {
  const cert = readPem(certPath);
  const key = readPem(keyPath);
  const certificate = parsed(certPath, 'certificate', () => new X509Certificate(cert));
  const privateKey = parsed(keyPath, 'private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`The key in ${keyPath} is not that of the certificate in ${certPath}`);
  }
  return { cert, key, expiresMs: Date.parse(certificate.validTo) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
}

/** What `parse` yields; the runtime's own words for what is wrong could quote the file. */
function parsed<Value>(path: string, what: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    throw new Error(`Cannot read ${path}: it holds no usable ${what} in PEM`);
  }
}
