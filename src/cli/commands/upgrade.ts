import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { messageOf, systemReason, UsageError, visible } from '../../common/errors.ts';
import {
  controlPaths,
  readControlFile,
  type ServerReport,
  stateDirectory,
} from '../../server/state_directory.ts';
import { parseMinisignKey, verifyMinisign } from '../../signing/verify_signature.ts';
import { defineCommand } from '../command.ts';
import { type SettingsOf, UPGRADE_FLAGS, VERIFY_RELEASE_FLAGS } from '../flags.ts';
import { handOver } from './reload.ts';

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  synopsis: 'FILE [flags]',
  summary: 'have a new executable take over from the running server, without downtime',
  flags: UPGRADE_FLAGS,
  usesState: true,
  takesOperands: true,
  async run({ settings, operands }, { environment, print }) {
    if (process.platform !== 'linux') throw new UsageError('upgrade works on Linux only: restart the server');
    const [file, ...rest] = operands;
    if (file === undefined || rest.length > 0)
      throw new UsageError('upgrade takes the path of an executable');
    const program = resolve(file);
    await verify(program, settings, print);
    const paths = controlPaths(stateDirectory(settings['state-dir'], environment));
    const pid = readControlFile<ServerReport>(paths.report)?.pid;
    if (pid === undefined) throw new Error(`No server with the state directory of ${paths.report}`);
    const successor = await handOver(pid, { program }, paths);
    print(`process ${successor} has taken over from process ${pid}`);
    return 0;
  },
});

/** Verifies that the executable is part of a release, under any name. */
async function verify(
  program: string,
  { 'public-key': keyFile, sums, unsigned }: SettingsOf<typeof UPGRADE_FLAGS>,
  print: (text: string) => void,
): Promise<void> {
  if (unsigned) return;
  if (keyFile === null) {
    throw new UsageError(
      'upgrade verifies the executable: use --public-key and --sums, or --unsigned if it has been verified already, such as by a package manager',
    );
  }
  const signed = await readSignedSums(sums, keyFile, print);
  const digest = await sha256OfFile(program);
  if (![...signed.values()].includes(digest))
    throw new Error(`The SHA-256 of ${program} is not in ${sums}: ${digest}`);
}

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

/** SHA-256 digests in hexadecimal by file name. */
export type Sums = ReadonlyMap<string, string>;

/** Verifies the signature of a release's checksums, prints its comment, and returns the checksums. */
export async function readSignedSums(
  sums: string,
  keyFile: string,
  print: (text: string) => void,
): Promise<Sums> {
  const [text, signature, key] = await Promise.all([sums, `${sums}.minisig`, keyFile].map(readNamed));
  try {
    const comment = verifyMinisign(text!, String(signature), parseMinisignKey(String(key)));
    print(visible(`ok    ${sums}, signed: ${comment}`));
  } catch (error) {
    throw new Error(`Cannot verify ${sums} with ${keyFile}: ${messageOf(error)}`);
  }
  // The format of `sha256sum`.
  const lines = String(text).matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm);
  return new Map([...lines].map(([, digest, name]) => [name!, digest!]));
}

/** The digest of a file. It is hashed in chunks, since downloads can be hundreds of megabytes. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}

async function readNamed(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Error(`Cannot read '${path}': ${systemReason(error)}`);
  }
}
