import { resolve } from 'node:path';
import { UsageError } from '../../common/errors.ts';
import { controlPaths, readControlFile, type ServerReport } from '../../server/control_files.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import { defineCommand } from '../command.ts';
import { optional, type SettingsOf, toggle } from '../flags.ts';
import { handOver } from './reload.ts';
import { RELEASE_FLAGS, readSignedSums, sha256OfFile } from './verify.ts';

const UPGRADE_FLAGS = {
  ...RELEASE_FLAGS,
  'public-key': optional('FILE', "the minisign public key of meridian's releases", {
    fallbackText: 'required, or --unsigned',
  }),
  unsigned: toggle('accept an executable verified in another way'),
} as const;

const UNVERIFIED =
  'upgrade verifies the executable: use --public-key and --sums, or --unsigned if it has been verified already, such as by a package manager';

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  synopsis: 'FILE [flags]',
  summary: 'have a new executable take over from the running server, without downtime',
  flags: UPGRADE_FLAGS,
  usesState: true,
  takesOperands: true,
  async run({ settings, operands }, { environment, print }) {
    if (process.platform !== 'linux') throw new UsageError('upgrade works on Linux only: restart the server');
    if (operands.length !== 1) throw new UsageError('upgrade takes the path of an executable');
    const program = resolve(operands[0]!);
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
  if (keyFile === null) throw new UsageError(UNVERIFIED);
  const signed = await readSignedSums(sums, keyFile, print);
  const digest = await sha256OfFile(program);
  if (![...signed.values()].includes(digest))
    throw new Error(`The SHA-256 of ${program} is not in ${sums}: ${digest}`);
}
