/**
 * The components of the Bun runtime, which is part of every executable it compiles, based on its LICENSE.md.
 * Versions are those of the Bun release; licences are SPDX expressions.
 */
export interface RuntimePart {
  readonly name: string;
  readonly licence: string;
  readonly source: string;
}

/** The runtime itself. */
export const RUNTIME = {
  name: 'bun',
  version: Bun.version,
  licence: 'MIT',
  source: 'https://github.com/oven-sh/bun',
} as const;

/** The libraries linked into it. */
export const RUNTIME_PARTS: readonly RuntimePart[] = [
  {
    name: 'JavaScriptCore and WebCore (WebKit)',
    licence: 'LGPL-2.1-only',
    source: 'https://github.com/oven-sh/webkit',
  },
  { name: 'tinycc', licence: 'LGPL-2.1-only', source: 'https://github.com/tinycc/tinycc' },
  {
    name: 'boringssl',
    licence: 'Apache-2.0 AND ISC AND OpenSSL',
    source: 'https://boringssl.googlesource.com/boringssl',
  },
  { name: 'icu', licence: 'Unicode-3.0', source: 'https://github.com/unicode-org/icu' },
  { name: 'uSockets', licence: 'Apache-2.0', source: 'https://github.com/uNetworking/uSockets' },
  { name: 'uWebSockets', licence: 'Apache-2.0', source: 'https://github.com/uNetworking/uWebSockets' },
  { name: 'simdutf', licence: 'Apache-2.0', source: 'https://github.com/simdutf/simdutf' },
  { name: 'highway', licence: 'Apache-2.0', source: 'https://github.com/google/highway' },
  {
    name: 'tigerbeetle (parts)',
    licence: 'Apache-2.0',
    source: 'https://github.com/tigerbeetle/tigerbeetle',
  },
  {
    name: 'libc++abi (parts)',
    licence: 'Apache-2.0 WITH LLVM-exception',
    source: 'https://github.com/llvm/llvm-project',
  },
  { name: 'brotli', licence: 'MIT', source: 'https://github.com/google/brotli' },
  { name: 'c-ares', licence: 'MIT', source: 'https://github.com/c-ares/c-ares' },
  { name: 'libdeflate', licence: 'MIT', source: 'https://github.com/ebiggers/libdeflate' },
  { name: 'libuv (on Windows)', licence: 'MIT', source: 'https://github.com/libuv/libuv' },
  { name: 'ls-hpack', licence: 'MIT', source: 'https://github.com/litespeedtech/ls-hpack' },
  { name: 'ls-qpack', licence: 'MIT', source: 'https://github.com/litespeedtech/ls-qpack' },
  { name: 'lsquic', licence: 'MIT AND BSD-3-Clause', source: 'https://github.com/litespeedtech/lsquic' },
  { name: 'mimalloc', licence: 'MIT', source: 'https://github.com/microsoft/mimalloc' },
  { name: 'picohttpparser', licence: 'MIT', source: 'https://github.com/h2o/picohttpparser' },
  { name: 'uucode', licence: 'MIT', source: 'https://github.com/jacobsandlund/uucode' },
  { name: 'base64', licence: 'BSD-2-Clause', source: 'https://github.com/aklomp/base64' },
  { name: 'libspng', licence: 'BSD-2-Clause', source: 'https://github.com/randy408/libspng' },
  { name: 'libarchive', licence: 'BSD-2-Clause', source: 'https://github.com/libarchive/libarchive' },
  {
    name: 'libjpeg-turbo',
    licence: 'BSD-3-Clause AND IJG AND Zlib',
    source: 'https://github.com/libjpeg-turbo/libjpeg-turbo',
  },
  { name: 'libwebp', licence: 'BSD-3-Clause', source: 'https://github.com/webmproject/libwebp' },
  { name: 'lol-html', licence: 'BSD-3-Clause', source: 'https://github.com/cloudflare/lol-html' },
  { name: 'zstd', licence: 'BSD-3-Clause', source: 'https://github.com/facebook/zstd' },
  { name: 'zlib-ng', licence: 'Zlib', source: 'https://github.com/zlib-ng/zlib-ng' },
];
