import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resultsOf, systemReason } from '../common/errors.ts';
import type { Reloadable } from './reload.ts';

/** A certificate with its chain, and its private key, both in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** When the certificate expires, in milliseconds since the epoch. */
  readonly expiresMs: number;
}

export interface TlsSettings {
  readonly 'tls-cert': string | null;
  readonly 'tls-key': string | null;
}

/** The configured certificate; null if there is none. @throws {Error} with a one-line message if it cannot be used */
export function openCertificate({ 'tls-cert': cert, 'tls-key': key }: TlsSettings) {
  if (cert === null || key === null) return null;
  let pair = readTlsFiles(cert, key);
  return {
    pair: () => pair,
    /** Replaces the certificate on listeners if the files have changed. */
    reloadable: (listeners: readonly { replaceCertificate(tls: TlsPair): Promise<void> }[]): Reloadable => ({
      name: 'certificate',
      async reload() {
        const read = readTlsFiles(cert, key);
        if (read.cert !== pair.cert || read.key !== pair.key) {
          for (const listener of listeners) await listener.replaceCertificate(read);
          pair = read;
        }
        return `valid until ${new Date(read.expiresMs).toISOString()}`;
      },
    }),
  };
}

/** Checks the configured files as {@link openCertificate} does, even if only one of the two is set. */
export function checkCertificate({ 'tls-cert': cert, 'tls-key': key }: TlsSettings): void {
  if (cert !== null && key !== null) readTlsFiles(cert, key);
  else if (cert !== null) readCertificate(cert);
  else if (key !== null) readPrivateKey(key);
}

function readTlsFiles(certPath: string, keyPath: string): TlsPair {
  const [[cert, certificate], [key, privateKey]] = resultsOf(
    () => readCertificate(certPath),
    () => readPrivateKey(keyPath),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`The key in ${keyPath} does not match the certificate in ${certPath}`);
  return { cert, key, expiresMs: Date.parse(certificate.validTo) };
}

const readCertificate = (path: string) => readPem(path, 'certificate', text => new X509Certificate(text));
const readPrivateKey = (path: string) => readPem(path, 'private key', text => createPrivateKey(text));

/** The text of a PEM file and its parsed contents. */
function readPem<Value>(path: string, what: string, parse: (text: string) => Value): [string, Value] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read ${path}: ${systemReason(error)}`);
  }
  try {
    return [text, parse(text)];
  } catch {
    // The runtime's message could quote the file.
    throw new Error(`Cannot read ${path}: it contains no usable ${what} in PEM`);
  }
}
