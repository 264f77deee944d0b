import type { AssetPaths } from '../../clock/clock_config.ts';
import { type Coding, hasAlready, preferredCoding } from '../../http/negotiation.ts';
import { compressForBrowsers } from './compress_for_browsers.ts' with { type: 'macro' };

/** A file that pages on any host load. */
interface AssetFile {
  readonly contentType: string;
  /** Hex digits that change when the file does. */
  readonly digest: string;
  readonly bytes: Readonly<Record<Coding, Uint8Array<ArrayBuffer>>>;
}

/** What brings clocks to life, in every page that has one. */
export const ASSET_FILES: Readonly<Record<keyof AssetPaths, AssetFile>> = {
  stylesheet: assetFile(compressForBrowsers('clock/clock.css'), 'text/css; charset=utf-8'),
  script: assetFile(compressForBrowsers('clock/browser/main.ts'), 'text/javascript; charset=utf-8'),
};

type Compressed = Readonly<Record<Coding | 'digest', string>>;

function assetFile({ digest, br, zstd, gzip, identity }: Compressed, contentType: string): AssetFile {
  const bytes = {
    br: Uint8Array.fromBase64(br),
    zstd: Uint8Array.fromBase64(zstd),
    gzip: Uint8Array.fromBase64(gzip),
    identity: Uint8Array.fromBase64(identity),
  };
  return { contentType, digest, bytes };
}

/** The answer with a file, in the coding that its client likes best; 304 where it has that already. */
export function assetResponse(
  request: Request,
  { contentType, digest, bytes }: AssetFile,
  headers: Readonly<Record<string, string>>,
): Response {
  const coding = preferredCoding(['br', 'zstd', 'gzip'], request.headers.get('Accept-Encoding'));
  const tag = tagOf(digest, coding);
  const common = { ...headers, ETag: tag, Vary: 'Accept-Encoding' };
  if (hasAlready(request.headers.get('If-None-Match'), tag)) {
    return new Response(null, { status: 304, headers: common });
  }
  const encoding = coding === 'identity' ? {} : { 'Content-Encoding': coding };
  return new Response(bytes[coding], { headers: { ...common, 'Content-Type': contentType, ...encoding } });
}

/** Each coding has a strong entity tag of its own, since its bytes differ (RFC 9110 §8.8.3). */
function tagOf(digest: string, coding: Coding): string {
  return coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`;
}
