import { oneLine, UsageError, visibleLines } from '../common/errors.ts';
import { BUILD } from '../server/build_info.ts';
import type { Command, CommandContext } from './command.ts';

/** All commands by name, in help order. Loaded lazily, since a process usually needs only one. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['check', async () => (await import('./commands/doctor.ts')).checkCommand],
  ['reload', async () => (await import('./commands/reload.ts')).reloadCommand],
  ['upgrade', async () => (await import('./commands/reload.ts')).upgradeCommand],
  ['init', async () => (await import('./commands/init.ts')).initCommand],
  ['get', async () => (await import('./commands/get.ts')).getCommand],
  ['mcp', async () => (await import('./commands/get.ts')).mcpCommand],
  ['keys', async () => (await import('./commands/keys.ts')).keysCommand],
  ['data', async () => (await import('./commands/data.ts')).dataCommand],
  ['verify', async () => (await import('./commands/verify.ts')).verifyCommand],
  ['tokens', async () => (await import('./commands/tokens.ts')).tokensCommand],
  ['plans', async () => (await import('./commands/plans.ts')).plansCommand],
  ['fleet', async () => (await import('./commands/fleet.ts')).fleetCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).doctorCommand],
  ['health', async () => (await import('./commands/health.ts')).healthCommand],
  ['self-test', async () => (await import('./commands/self_test.ts')).selfTestCommand],
  ['systemd-unit', async () => (await import('./commands/systemd_unit.ts')).systemdUnitCommand],
  ['completions', async () => (await import('./commands/package_texts.ts')).completionsCommand(allCommands)],
  ['man', async () => (await import('./commands/package_texts.ts')).manCommand(allCommands)],
  ['verify-release', async () => (await import('./commands/verify.ts')).verifyReleaseCommand],
  ['licenses', async () => (await import('./commands/package_texts.ts')).licensesCommand],
]);

/** All commands, in help order. */
export function allCommands(): Promise<readonly Command[]> {
  return Promise.all([...COMMANDS.values()].map(load => load()));
}

const STDERR = 2;
const VERSION_TEXT = `meridian ${BUILD.version} (${BUILD.commit})`;

/** Runs a command line (without the program name) and returns the exit code. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    // Reports contain text from files, URLs and variables, which must not control the terminal.
    return await dispatch(args, { ...context, print: text => context.print(visibleLines(text)) });
  } catch (error) {
    if ((Object(error) as NodeJS.ErrnoException).code === 'EPIPE') return EXIT_OF_SIGPIPE;
    const { priorityPrefix } = await import('../server/log.ts');
    const prefix = priorityPrefix(STDERR, context.environment);
    console.error(`${prefix('error')}meridian: ${oneLine(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The shell's exit code for a program killed by SIGPIPE, such as when `head` closes the pipe. */
const EXIT_OF_SIGPIPE = 128 + 13;

async function dispatch(args: readonly string[], context: CommandContext): Promise<number> {
  const [first] = args;
  if (first === '--version') return printed(context, VERSION_TEXT);
  if (first === '--help' || first === '-h' || first === 'help') {
    const { helpOn, overview } = await import('./help.ts');
    const [subject, file] = first === 'help' ? args.slice(1).filter(word => !word.startsWith('-')) : [];
    const commands = await allCommands();
    return printed(context, subject === undefined ? overview(commands) : helpOn(subject, file, commands));
  }
  // Spellings of --version that other programs accept.
  if (first === 'version' || first === '-V' || first === '-v')
    throw new UsageError(`Unknown argument '${first}'; did you mean '--version'?`);
  const isNamed = first !== undefined && !first.startsWith('-');
  const [name, rest] = isNamed ? [first, args.slice(1)] : ['serve', args];
  const load = COMMANDS.get(name) ?? (await unknownCommand(name));
  if (rest.includes('--version')) return printed(context, VERSION_TEXT);
  const command = await load();
  if (rest.includes('--help') || rest.includes('-h')) {
    const { commandHelp } = await import('./help.ts');
    return printed(context, commandHelp(command));
  }
  return command.run(rest, context);
}

async function unknownCommand(name: string): Promise<never> {
  const { unknownName } = await import('./settings.ts');
  const names = [...COMMANDS.keys()];
  throw unknownName(`command '${name}'`, name, names, `the commands are ${names.join(', ')}`);
}

function printed(context: CommandContext, text: string): number {
  context.print(text);
  return 0;
}
