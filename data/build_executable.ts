import { fileURLToPath } from 'node:url';
import { version } from '../package.json';
import { isMachO, signAdHoc } from './mach_o_signature.ts';

/** The version in `package.json`. */
export const VERSION: string = version;

/** The first twelve digits of the checked-out commit. */
export async function currentCommit(): Promise<string> {
  const commit = await Bun.$`git rev-parse --short=12 HEAD`.nothrow().quiet().text();
  return commit.trim() || 'unknown';
}

/**
 * Compiles everything into one executable, for this machine, or for a target such as `bun-linux-arm64` with the Bun
 * runtime for it. Builds are reproducible: the same commit and output name give the same bytes.
 */
export async function buildExecutable(
  outfile: string,
  cross?: { readonly target: string; readonly runtime: string },
): Promise<void> {
  const result = await Bun.build({
    entrypoints: [fileURLToPath(new URL('../src/main.ts', import.meta.url))],
    compile: {
      outfile,
      ...(cross && { target: cross.target as Bun.Build.CompileTarget, executablePath: cross.runtime }),
      // Otherwise the binary would load the bunfig.toml and .env of its working directory.
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
    minify: true,
    bytecode: true,
    // Dynamic imports become separate chunks, loaded on demand.
    splitting: true,
    format: 'esm',
    define: {
      MERIDIAN_VERSION: JSON.stringify(VERSION),
      MERIDIAN_COMMIT: JSON.stringify(await currentCommit()),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, `${outfile} was not built`);
  const path = result.outputs[0]!.path; // with `.exe` for Windows
  const bytes = await Bun.file(path).bytes();
  if (isMachO(bytes)) await Bun.write(path, signAdHoc(bytes, 'meridian'));
}
