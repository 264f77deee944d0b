/**
 * Compiles everything into one executable: `bun data/build.ts [--target bun-linux-arm64] [--outfile dist/meridian]`.
 * The same commit gives the same bytes wherever it is built, as long as the output has the same name.
 */
import { parseArgs } from 'node:util';
import { version } from '../package.json';

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    outfile: { type: 'string', default: 'dist/meridian' },
  },
});

const commit = await Bun.$`git rev-parse --short=12 HEAD`.nothrow().quiet().text();

const result = await Bun.build({
  entrypoints: [new URL('../src/main.ts', import.meta.url).pathname],
  compile: {
    outfile: values.outfile,
    ...(values.target === undefined ? {} : { target: values.target as Bun.Build.CompileTarget }),
    // Otherwise the binary would obey the bunfig.toml and .env of whatever folder it is started in.
    autoloadBunfig: false,
    autoloadDotenv: false,
  },
  minify: true,
  bytecode: true,
  format: 'esm',
  define: {
    MERIDIAN_VERSION: JSON.stringify(version),
    MERIDIAN_COMMIT: JSON.stringify(commit.trim() || 'unknown'),
  },
});

if (!result.success) {
  for (const log of result.logs) console.error(log);
  process.exit(1);
}
console.log(`${values.outfile}: ${(Bun.file(values.outfile).size / 1e6).toFixed(1)} MB`);
