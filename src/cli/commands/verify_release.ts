import { basename } from 'node:path';
import { systemReason, visible } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { defineCommand } from '../command.ts';
import { VERIFY_RELEASE_FLAGS } from '../flags.ts';
import { readSignedSums, type Sums, sha256OfFile } from '../signed_sums.ts';

export const verifyReleaseCommand = defineCommand({
  name: 'verify-release',
  synopsis: '--public-key FILE [--sums FILE] DOWNLOAD...',
  summary: "verify downloads against a release's signed checksums; exit 0 only if all match",
  flags: VERIFY_RELEASE_FLAGS,
  takesOperands: true,
  async run({ settings, operands }, { print }) {
    const { 'public-key': keyFile, sums } = settings;
    if (keyFile === null || operands.length === 0)
      throw new UsageError('verify-release requires --public-key and at least one file to verify');
    const signed = await readSignedSums(sums, keyFile, print);
    const results = await Promise.all(operands.map(path => check(path, signed)));
    for (const { path, problem } of results)
      print(visible(problem === null ? `ok    ${path}` : `FAIL  ${path}: ${problem}`));
    return results.every(({ problem }) => problem === null) ? 0 : 1;
  },
});

async function check(path: string, sums: Sums) {
  const expected = sums.get(basename(path));
  if (expected === undefined) return { path, problem: 'not listed in the checksums' };
  try {
    const found = await sha256OfFile(path);
    return { path, problem: found === expected ? null : `its SHA-256 is ${found}, not ${expected}` };
  } catch (error) {
    return { path, problem: systemReason(error) };
  }
}
