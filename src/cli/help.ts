import type { Command } from './command.ts';
import type { Flag } from './flag.ts';
import { COMMON_FLAGS, SETTING_NAMES } from './flags.ts';

/** Columns that help takes at most: what people have beside another window. */
const WIDTH = 100;

/** What `meridian --help` prints. */
export function overview(commands: readonly Command[]): string {
  return `meridian tells the time over HTTP: zones, offsets, conversions, durations and calendars.

Usage: meridian [command] [flags]

${columns(commands.map(({ name, summary }) => [name, summary]))}

'meridian COMMAND --help' lists the flags of a command, 'meridian --version' prints the version.`;
}

/** What `meridian COMMAND --help` prints. */
export function commandHelp(command: Command): string {
  const isCommon = ([name]: readonly [string, unknown]) => Object.hasOwn(COMMON_FLAGS, name);
  const flags = Object.entries(command.flags);
  const rows = [...flags.filter(flag => !isCommon(flag)), ...flags.filter(isCommon)].map(flagRow);
  const usage = `Usage: meridian ${command.name} ${command.synopsis}`;
  return `${usage.trimEnd()}

${wrapped(`${command.summary[0]!.toUpperCase()}${command.summary.slice(1)}.`, WIDTH).join('\n')}

${columns(rows)}

${wrapped(command.settingsNote ?? settingsNote(flags.map(([name]) => name)), WIDTH).join('\n')}`;
}

function flagRow([name, flag]: readonly [string, Flag<unknown>]): readonly [string, string] {
  const notes = [
    ...(saysFallback(flag) ? [flag.fallbackText] : []),
    ...(flag.isRepeatable ? ['repeatable'] : []),
  ];
  const left = `--${name}${flag.argument === null ? '' : ` ${flag.argument}`}`;
  return [left, notes.length === 0 ? flag.help : `${flag.help} (${notes.join(', ')})`];
}

/** Whether the help of a flag is clearer with its default. */
function saysFallback({ argument, fallbackText }: Flag<unknown>): boolean {
  const isChoice = argument?.includes('|') ?? false;
  return isChoice || !['none', 'off', 'embedded'].includes(fallbackText);
}

/** Where flags can be set besides the command line. */
function settingsNote(names: readonly string[]): string {
  const own = names
    .filter(name => name !== 'config' && !SETTING_NAMES.includes(name))
    .map(name => `--${name}`);
  const which = own.length === 0 ? 'Flags' : `All but ${own.join(', ')}`;
  return `${which} can be set in the environment too, as --state-dir by MERIDIAN_STATE_DIR, and by name in the file of --config. A flag wins over the environment, that over the file.`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const gap = `\n${' '.repeat(width + 4)}`;
  return rows
    .map(([left, right]) => `  ${left.padEnd(width)}  ${wrapped(right, WIDTH - width - 4).join(gap)}`)
    .join('\n');
}

/** A text in lines of at most so many columns, broken between words. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}
