import { UsageError } from '../../common/usage_error.ts';
import { type Command, defineCommand } from '../command.ts';
import { completionScript, SHELLS } from '../completions.ts';
import { COMMON_FLAGS } from '../flags.ts';

/** The command that prints completions for all commands, including itself. */
export function completionsCommand(commands: () => Promise<readonly Command[]>): Command {
  return defineCommand({
    name: 'completions',
    synopsis: SHELLS.join(' | '),
    summary: 'print a completion script for a shell',
    flags: COMMON_FLAGS,
    actions: SHELLS,
    takesOperands: true,
    async run({ operands }, context) {
      const shell = SHELLS.find(name => name === operands[0]);
      if (shell === undefined || operands.length !== 1) {
        throw new UsageError(`completions takes one shell: ${SHELLS.join(', ')}`);
      }
      context.print(completionScript(shell, await commands()));
      return 0;
    },
  });
}
