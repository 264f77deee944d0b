import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

// To be imported `with { type: 'macro' }`: macros run when the importing file is transpiled, so the executable contains their
// results, which must be JSON.

/** The minified bundle of a script or stylesheet; the path is relative to `src/`. A script defines no globals in the page. */
function bundleForBrowsers(file: string): string {
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

/** A file in Base64; the path is relative to `src/`. */
export function encodeFile(file: string): string {
  return readFileSync(`${import.meta.dir}/../../${file}`).toString('base64');
}

/** The texts of a folder and its subfolders, by path without the extension `.md`; the folder is relative to `src/`. */
export function readTexts(folder: string): Record<string, string> {
  const path = `${import.meta.dir}/../../${folder}`;
  const files = [...new Bun.Glob('**/*').scanSync(path)];
  return Object.fromEntries(
    files.map(file => [file.replace(/\.md$/, ''), readFileSync(`${path}/${file}`, 'utf8')]),
  );
}

/** A bundle in every coding, in Base64, with maximum compression, which takes 170 ms. */
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
