import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

// To be imported `with { type: 'macro' }`: macros run when the importing file is transpiled, so that the executable holds
// their results, which have to be JSON.

/** The minified bundle of a script or a stylesheet, whose path begins at `src/`; a script leaves no names in the page. */
export function bundleForBrowsers(file: string): string {
  // `Bun.build` cannot run inside a macro, since the bundler waits for it.
  const { stdout, stderr, success } = Bun.spawnSync([
    process.execPath,
    'build',
    `${import.meta.dir}/../../${file}`,
    '--minify',
    '--target=browser',
    ...(file.endsWith('.css') ? [] : ['--format=iife']),
  ]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
}

/** A file in Base64, whose path begins at `src/`. */
export function encodeFile(file: string): string {
  return readFileSync(`${import.meta.dir}/../../${file}`).toString('base64');
}

/** A bundle in every coding, compressed as well as possible, which takes 170 ms, and encoded in Base64. */
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
