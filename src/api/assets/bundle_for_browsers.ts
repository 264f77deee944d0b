/**
 * The minified bundle of a script or a stylesheet, whose path begins at `src/`; a script leaves no names in the page. To be
 * imported `with { type: 'macro' }`: it runs when the importing file is transpiled, so that the executable holds the text
 * alone.
 */
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
