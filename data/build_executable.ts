import { fileURLToPath } from 'node:url';
import { version } from '../package.json';

/** The version in `package.json`. */
export const VERSION: string = version;

/** The commit that is checked out, its first twelve digits. */
export async function currentCommit(): Promise<string> {
  const commit = await Bun.$`git rev-parse --short=12 HEAD`.nothrow().quiet().text();
  return commit.trim() || 'unknown';
}

/**
 * Compiles everything into one executable, for this machine or for a target such as `bun-linux-arm64`. The same commit
 * gives the same bytes wherever it is built, as long as the output has the same name.
 */
export async function buildExecutable(outfile: string, target?: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: [fileURLToPath(new URL('../src/main.ts', import.meta.url))],
    compile: {
      outfile,
      ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
      // Otherwise the binary would obey the bunfig.toml and .env of whatever folder it is started in.
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
    minify: true,
    bytecode: true,
    // What is imported when it is wanted becomes a file of its own, which a start that does not want it never reads.
    splitting: true,
    format: 'esm',
    define: {
      MERIDIAN_VERSION: JSON.stringify(VERSION),
      MERIDIAN_COMMIT: JSON.stringify(await currentCommit()),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, `${outfile} was not built`);
}
