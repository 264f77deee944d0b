import type { CommandContext } from '../../src/cli/command.ts';

/** A context for a command that is run in this process, and what it prints. */
export function printing(): { context: CommandContext; printed: string[] } {
  const printed: string[] = [];
  const context: CommandContext = {
    environment: {},
    readConfig: path => {
      throw new Error(`No ${path} is here`);
    },
    print: text => printed.push(text),
    write: async text => printed.push(text),
    isTerminal: () => false,
  };
  return { context, printed };
}
