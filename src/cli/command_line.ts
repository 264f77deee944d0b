import type { Command, CommandContext } from './command.ts';
import { completionsCommand } from './commands/completions.ts';
import { doctorCommand } from './commands/doctor.ts';
import { getCommand } from './commands/get.ts';
import { keysCommand } from './commands/keys.ts';
import { licensesCommand } from './commands/licenses.ts';
import { serveCommand } from './commands/serve.ts';
import { systemdUnitCommand } from './commands/systemd_unit.ts';
import { tokensCommand } from './commands/tokens.ts';
import { verifyCommand } from './commands/verify.ts';
import { commandHelp, overview } from './help.ts';
import { oneLine } from './one_line.ts';
import { unknownName } from './settings.ts';
import { UsageError } from './usage_error.ts';
import { BUILD } from './version.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  getCommand,
  keysCommand,
  verifyCommand,
  tokensCommand,
  doctorCommand,
  systemdUnitCommand,
  completionsCommand(() => COMMANDS),
  licensesCommand,
];

const VERSION_TEXT = `meridian ${BUILD.version} (${BUILD.commit})`;

/** Carries out a command line (without the program's own name) and yields the exit code. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    return await dispatch(args, context);
  } catch (error) {
    console.error(`meridian: ${oneLine(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function dispatch(args: readonly string[], context: CommandContext): Promise<number> {
  const [first] = args;
  if (first === '--version') return printed(context, VERSION_TEXT);
  if (first === 'help' && args[1] !== undefined) return dispatch([args[1], '--help'], context);
  if (first === '--help' || first === '-h' || first === 'help') return printed(context, overview(COMMANDS));
  const isFlag = first === undefined || first.startsWith('-');
  const command = COMMANDS.find(({ name }) => name === (isFlag ? 'serve' : first));
  if (command === undefined) {
    const names = COMMANDS.map(({ name }) => name);
    throw unknownName(`command '${first}'`, first!, names, `the commands are ${names.join(', ')}`);
  }
  const rest = isFlag ? args : args.slice(1);
  if (rest.includes('--version')) return printed(context, VERSION_TEXT);
  if (rest.includes('--help') || rest.includes('-h')) return printed(context, commandHelp(command));
  return command.run(rest, context);
}

async function printed(context: CommandContext, text: string): Promise<number> {
  context.print(text);
  return 0;
}
