import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleForBrowsers } from './bundle_for_browsers.ts';

/**
 * A bundle in every coding that browsers take, as small as it gets, in Base64, since a macro gives nothing but JSON. To be
 * imported `with { type: 'macro' }`, as {@link bundleForBrowsers}: a server would stand still for 170 ms.
 */
export function compressForBrowsers(file: string) {
  const identity = Buffer.from(bundleForBrowsers(file));
  return {
    digest: createHash('sha256').update(identity).digest('hex').slice(0, 16),
    br: brotliCompressSync(identity).toString('base64'),
    zstd: Bun.zstdCompressSync(identity, { level: 19 }).toString('base64'),
    gzip: gzipSync(identity, { level: 9 }).toString('base64'),
    identity: identity.toString('base64'),
  };
}
