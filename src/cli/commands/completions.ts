import { UsageError } from '../../common/usage_error.ts';
import type { Command } from '../command.ts';
import { completionScript, SHELLS } from '../completions.ts';
import { COMMON_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';

/** The command that prints completions for all commands, itself included. */
export function completionsCommand(commands: () => Promise<readonly Command[]>): Command {
  return {
    name: 'completions',
    synopsis: SHELLS.join(' | '),
    summary: 'print the completions of a shell',
    flags: COMMON_FLAGS,
    actions: SHELLS,
    async run(args, context) {
      const { operands } = readCommandLine(COMMON_FLAGS, args, context);
      const shell = SHELLS.find(name => name === operands[0]);
      if (shell === undefined || operands.length !== 1) {
        throw new UsageError(`completions takes one shell: ${SHELLS.join(', ')}`);
      }
      context.print(completionScript(shell, await commands()));
      return 0;
    },
  };
}
