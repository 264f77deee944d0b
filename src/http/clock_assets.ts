import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { ClockAssets } from '../clock/clock_assets.ts';
import { bundleForBrowsers } from './bundle_for_browsers.ts' with { type: 'macro' };
import { hasAlready, weightOf } from './pages/representation.ts';

/** A file that pages on any host load: compressed in every way that browsers take. */
interface Asset {
  readonly contentType: string;
  /** By content coding, those preferred first; the last is the file itself. */
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly coding: 'br' | 'zstd' | 'gzip' | 'identity';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Each variant has a strong entity tag of its own, since their bytes differ (RFC 9110 §8.8.3). */
  readonly tag: string;
}

/** What brings clocks to life, in every page that has one. */
export const CLOCK_ASSETS: Readonly<Record<keyof ClockAssets, Asset>> = {
  stylesheet: asset(bundleForBrowsers('clock/clock.css'), 'text/css; charset=utf-8'),
  script: asset(bundleForBrowsers('clock/browser/main.ts'), 'text/javascript; charset=utf-8'),
};

function asset(text: string, contentType: string): Asset {
  const identity = new TextEncoder().encode(text);
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const parameters = { [constants.BROTLI_PARAM_SIZE_HINT]: identity.length };
  const variants = [
    { coding: 'br', bytes: new Uint8Array(brotliCompressSync(identity, { params: parameters })) },
    { coding: 'zstd', bytes: new Uint8Array(Bun.zstdCompressSync(identity, { level: 19 })) },
    { coding: 'gzip', bytes: new Uint8Array(gzipSync(identity, { level: 9 })) },
    { coding: 'identity', bytes: identity },
  ] as const;
  return {
    contentType,
    variants: variants.map(variant => ({ ...variant, tag: tagOf(digest, variant.coding) })),
  };
}

function tagOf(digest: string, coding: Variant['coding']): string {
  return coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`;
}

/** The answer with an asset, in the coding that its client likes best; 304 where it has that already. */
export function assetResponse(
  request: Request,
  { contentType, variants }: Asset,
  headers: Readonly<Record<string, string>>,
): Response {
  const { coding, bytes, tag } = chosen(variants, request.headers.get('Accept-Encoding'));
  const common = { ...headers, ETag: tag, Vary: 'Accept-Encoding' };
  if (hasAlready(request.headers.get('If-None-Match'), tag)) {
    return new Response(null, { status: 304, headers: common });
  }
  const encoding = coding === 'identity' ? {} : { 'Content-Encoding': coding };
  return new Response(bytes, { headers: { ...common, 'Content-Type': contentType, ...encoding } });
}

function chosen(variants: readonly Variant[], accepted: string | null): Variant {
  const own = variants.at(-1)!;
  let best = own;
  let most = 0;
  for (const variant of variants) {
    const weight = variant === own ? 0 : weightOf(variant.coding, accepted);
    if (weight > most) [best, most] = [variant, weight];
  }
  return best;
}
