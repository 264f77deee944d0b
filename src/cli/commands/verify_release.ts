import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf, systemReason, visible } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { parseMinisignKey, verifyMinisign } from '../../signing/minisign.ts';
import { defineCommand } from '../command.ts';
import { VERIFY_RELEASE_FLAGS } from '../flags.ts';

export const verifyReleaseCommand = defineCommand({
  name: 'verify-release',
  synopsis: '--public-key FILE [--sums FILE] DOWNLOAD...',
  summary: 'verify downloads by the signed checksums of a release, exit 0 only if all match',
  flags: VERIFY_RELEASE_FLAGS,
  takesOperands: true,
  async run({ settings, operands }, { print }) {
    const { 'public-key': keyFile, sums } = settings;
    if (keyFile === null || operands.length === 0)
      throw new UsageError('verify-release requires --public-key and at least one file to verify');
    const text = await readSigned(sums, keyFile, print);
    const results = await Promise.all(operands.map(path => check(path, sumsOf(text))));
    for (const { path, problem } of results)
      print(visible(problem === null ? `ok    ${path}` : `FAIL  ${path}: ${problem}`));
    return results.every(({ problem }) => problem === null) ? 0 : 1;
  },
});

/** The text of the checksums after their signature has been verified. */
async function readSigned(sums: string, keyFile: string, print: (text: string) => void): Promise<string> {
  const [text, signature, key] = await Promise.all([sums, `${sums}.minisig`, keyFile].map(readNamed));
  try {
    const comment = verifyMinisign(text!, String(signature), parseMinisignKey(String(key)));
    print(visible(`ok    ${sums}, signed: ${comment}`));
    return String(text);
  } catch (error) {
    throw new Error(`Cannot verify ${sums} with ${keyFile}: ${messageOf(error)}`);
  }
}

async function readNamed(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Error(`Cannot read '${path}': ${systemReason(error)}`);
  }
}

/** Digests by file name, from the lines of `sha256sum`. */
function sumsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm)].map(([, digest, name]) => [name!, digest!]),
  );
}

/** Hashes in pieces, since downloads have hundreds of megabytes. */
async function check(path: string, sums: ReadonlyMap<string, string>) {
  const expected = sums.get(basename(path));
  if (expected === undefined) return { path, problem: 'it is not in the checksums' };
  try {
    const hasher = new Bun.CryptoHasher('sha256');
    for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
    const found = hasher.digest('hex');
    return { path, problem: found === expected ? null : `its SHA-256 is ${found}, not ${expected}` };
  } catch (error) {
    return { path, problem: systemReason(error) };
  }
}
