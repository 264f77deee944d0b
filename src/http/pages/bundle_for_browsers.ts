/**
 * The minified bundle of a script or a stylesheet of this folder. To be imported `with { type: 'macro' }`: it runs when the
 * importing file is transpiled, so that the executable holds the text alone.
 */
export function bundleForBrowsers(file: string): string {
  // `Bun.build` cannot run inside a macro, since the bundler waits for it.
  const { stdout, stderr, success } = Bun.spawnSync([
    process.execPath,
    'build',
    `${import.meta.dir}/${file}`,
    '--minify',
    '--target=browser',
  ]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
}
