import { spyOn } from 'bun:test';
import type { CommandContext } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/command_line.ts';

/** A context for an in-process command, and its output. */
export function printing(): { context: CommandContext; printed: string[] } {
  const printed: string[] = [];
  const context: CommandContext = {
    environment: {},
    readConfig: path => {
      throw new Error(`There is no ${path}`);
    },
    print: text => printed.push(text),
    write: async text => printed.push(text),
    isTerminal: () => false,
    actAsOwner() {},
  };
  return { context, printed };
}

/** Runs a command line in this process; returns all lines it wrote. */
export async function outputOf(args: readonly string[], environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const errors = spyOn(console, 'error').mockImplementation(line => void lines.push(String(line)));
  const { context } = printing();
  try {
    const exitCode = await runCommandLine(args, {
      ...context,
      environment,
      print: text => lines.push(...text.split('\n')),
      write: text => Promise.resolve(lines.push(text)),
    });
    return { exitCode, lines };
  } finally {
    errors.mockRestore();
  }
}
