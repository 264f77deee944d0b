// A process that rotates keys, for tests that kill it or run several of it:
//   bun rotating_process.ts FOLDER FIRST_DAY COUNT
// FIRST_DAY is a day number since 1970-01-01; each rotation is a day later than the previous one.
// It prints the `kid` of each key once it is active, and `failed: …` if a rotation was not possible.
import { randomBytes } from 'node:crypto';
import { KeyDirectory } from '../../src/signing/key_directory.ts';

const MS_PER_DAY = 86_400_000;
const [folder = '', firstDay = '', count = ''] = process.argv.slice(2);
const directory = new KeyDirectory(folder);
for (let day = Number(firstDay); day < Number(firstDay) + Number(count); day++) {
  try {
    const keys = await directory.rotate({ epochMs: day * MS_PER_DAY, seed: randomBytes(32), force: true });
    console.log(keys[0]?.kid);
  } catch (error) {
    console.log(`failed: ${error instanceof Error ? error.message : error}`);
  }
}
