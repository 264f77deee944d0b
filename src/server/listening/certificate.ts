import type { Reloadable } from '../reload.ts';
import type { Listener } from './listener.ts';
import { readTlsFiles, type TlsPair } from './tls_files.ts';

/** The settings of HTTPS: both or none. */
export interface TlsSettings {
  readonly 'tls-cert': string | null;
  readonly 'tls-key': string | null;
}

/** The certificate that a server shows. */
export class Certificate {
  readonly #certPath: string;
  readonly #keyPath: string;
  #pair: TlsPair;

  private constructor(certPath: string, keyPath: string) {
    this.#certPath = certPath;
    this.#keyPath = keyPath;
    this.#pair = readTlsFiles(certPath, keyPath);
  }

  /** Reads the certificate of the settings; null where they name none. Throws where it cannot be used. */
  static open({ 'tls-cert': cert, 'tls-key': key }: TlsSettings): Certificate | null {
    if (cert === null || key === null) return null;
    return new Certificate(cert, key);
  }

  get pair(): TlsPair {
    return this.#pair;
  }

  /** Shows another certificate on listeners once the files hold one. */
  reloadable(listeners: readonly Listener[]): Reloadable {
    return {
      name: 'certificate',
      reload: async () => {
        const pair = readTlsFiles(this.#certPath, this.#keyPath);
        if (pair.cert !== this.#pair.cert || pair.key !== this.#pair.key) {
          for (const listener of listeners) await listener.replaceCertificate(pair);
          this.#pair = pair;
        }
        return `valid until ${new Date(pair.expiresMs).toISOString()}`;
      },
    };
  }
}
