/** `bun data/build.ts [--target bun-linux-arm64] [--outfile dist/meridian]`: compiles the executable. */
import { parseArgs } from 'node:util';
import { buildExecutable } from './build_executable.ts';

const { values } = parseArgs({
  options: { target: { type: 'string' }, outfile: { type: 'string', default: 'dist/meridian' } },
});
await buildExecutable(values.outfile, values.target);
console.log(`${values.outfile}: ${(Bun.file(values.outfile).size / 1e6).toFixed(1)} MB`);
