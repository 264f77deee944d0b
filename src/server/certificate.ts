import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resultsOf } from '../common/errors.ts';
import type { Reloadable } from './reload.ts';

/** A certificate with its chain, and its private key, both in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** When the certificate expires, in milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** A server's certificate. */
export class Certificate {
  readonly #read: () => TlsPair;
  #pair: TlsPair;

  private constructor(read: () => TlsPair) {
    this.#read = read;
    this.#pair = read();
  }

  /** The configured certificate; null if there is none. @throws {Error} with a one-line message if it cannot be used */
  static open(settings: { readonly 'tls-cert': string | null; readonly 'tls-key': string | null }) {
    const { 'tls-cert': cert, 'tls-key': key } = settings;
    return cert === null || key === null ? null : new Certificate(() => readTlsFiles(cert, key));
  }

  /** Checks the configured files as {@link open} does, even if only one of the two is set. */
  static check(settings: Parameters<typeof Certificate.open>[0]): void {
    const { 'tls-cert': cert, 'tls-key': key } = settings;
    if (cert !== null && key !== null) readTlsFiles(cert, key);
    else if (cert !== null) readCertificate(cert);
    else if (key !== null) readPrivateKey(key);
  }

  get pair(): TlsPair {
    return this.#pair;
  }

  /** Replaces the certificate on listeners if the files have changed. */
  reloadable(listeners: readonly { replaceCertificate(tls: TlsPair): Promise<void> }[]): Reloadable {
    return {
      name: 'certificate',
      reload: async () => {
        const pair = this.#read();
        if (pair.cert !== this.#pair.cert || pair.key !== this.#pair.key) {
          for (const listener of listeners) await listener.replaceCertificate(pair);
          this.#pair = pair;
        }
        return `valid until ${new Date(pair.expiresMs).toISOString()}`;
      },
    };
  }
}

function readTlsFiles(certPath: string, keyPath: string): TlsPair {
  const [[cert, certificate], [key, privateKey]] = resultsOf(
    () => readCertificate(certPath),
    () => readPrivateKey(keyPath),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`The key in ${keyPath} does not match the certificate in ${certPath}`);
  }
  return { cert, key, expiresMs: Date.parse(certificate.validTo) };
}

function readCertificate(path: string) {
  return readPem(path, 'certificate', text => new X509Certificate(text));
}

function readPrivateKey(path: string) {
  return readPem(path, 'private key', text => createPrivateKey(text));
}

/** The text of a PEM file and its parsed contents. */
function readPem<Value>(path: string, what: string, parse: (text: string) => Value): [string, Value] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  try {
    return [text, parse(text)];
  } catch {
    // The runtime's message could quote the file.
    throw new Error(`Cannot read ${path}: it contains no usable ${what} in PEM`);
  }
}
