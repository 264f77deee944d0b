import type { Command } from './command.ts';
import { SETTING_NAMES } from './flags.ts';
import { environmentVariable } from './settings.ts';

/** What `meridian --help` prints. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, synopsis, summary }) => [`${name} ${synopsis}`, summary] as const);
  return `meridian tells the time: zones, offsets, conversions and calendars over HTTP.

Usage: meridian [command] [flags]

${columns(rows)}

meridian COMMAND --help lists the flags of a command. meridian --version prints the version.`;
}

/** What `meridian COMMAND --help` prints. */
export function commandHelp(command: Command): string {
  const rows = Object.entries(command.flags).map(([name, flag]) => {
    const left = `--${name}${flag.argument === null ? '' : ` ${flag.argument}`}`;
    const repeat = flag.isRepeatable ? ', repeatable' : '';
    const variable = SETTING_NAMES.includes(name) ? `; ${environmentVariable(name)}` : '';
    return [left, `${flag.help} (${flag.fallbackText}${repeat}${variable})`] as const;
  });
  return `Usage: meridian ${command.name} ${command.synopsis}

${command.summary}

${columns(rows)}`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
