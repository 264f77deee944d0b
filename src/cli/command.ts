import type { FlagTable } from './flags.ts';
import type { SettingSources } from './settings.ts';

/** What a command has of the world besides its arguments. */
export interface CommandContext extends SettingSources {
  readonly print: (text: string) => void;
}

/** A command of the binary. */
export interface Command {
  readonly name: string;
  /** What follows the name, for help. */
  readonly synopsis: string;
  readonly summary: string;
  readonly flags: FlagTable;
  /** Does it, and yields the exit code; throws `UsageError` (exit 2), or another error (exit 1), told in one line. */
  readonly run: (args: readonly string[], context: CommandContext) => Promise<number>;
}
