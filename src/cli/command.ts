import type { FlagTable } from './flags.ts';
import type { SettingSources } from './settings.ts';

/** What a command has of the world besides its arguments. */
export interface CommandContext extends SettingSources {
  /** Prints a line, or several. */
  readonly print: (text: string) => void;
  /** Prints a text as it is, without a line's end. */
  readonly write: (text: string) => Promise<unknown>;
  /** Whether what is printed goes to a person's terminal. */
  readonly isTerminal: () => boolean;
}

/** A command of the binary. */
export interface Command {
  readonly name: string;
  /** What follows the name, for help. */
  readonly synopsis: string;
  readonly summary: string;
  readonly flags: FlagTable;
  /** What the first argument may be, where it is one of some words. */
  readonly actions?: readonly string[];
  /** Where its flags can be set besides the command line, where that is not as with all others. */
  readonly settingsNote?: string;
  /** Does it, and yields the exit code; throws `UsageError` (exit 2), or another error (exit 1), told in one line. */
  readonly run: (args: readonly string[], context: CommandContext) => Promise<number>;
}
