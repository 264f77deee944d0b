/** `bun data/build.ts [--outfile dist/meridian]`: compiles the executable for this machine; see `release.ts` for others. */
import { parseArgs } from 'node:util';
import { buildExecutable } from './build_executable.ts';

const { values } = parseArgs({ options: { outfile: { type: 'string', default: 'dist/meridian' } } });
await buildExecutable(values.outfile);
console.log(`${values.outfile}: ${(Bun.file(values.outfile).size / 1e6).toFixed(1)} MB`);
