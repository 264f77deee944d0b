import { UsageError } from '../../common/errors.ts';
import { BUILD } from '../../server/build_info.ts';
import { type Command, defineCommand } from '../command.ts';
import { COMMON_FLAGS, type Flag, SERVE_FLAGS, SERVE_TABLE, SETTING_NAMES } from '../flags.ts';
import { sentence } from '../help.ts';
import { environmentVariable } from '../settings.ts';

const PAGES = new Map(Object.entries({ meridian: commandPage, 'meridian.toml': settingsPage }));
const NAMES = [...PAGES.keys()];

/** The command that prints manual pages generated from the flag tables of all commands, including itself. */
export function manCommand(commands: () => Promise<readonly Command[]>): Command {
  return defineCommand({
    name: 'man',
    synopsis: `[${NAMES.join(' | ')}]`,
    summary: 'print a manual page in roff: meridian man | man -l -',
    flags: COMMON_FLAGS,
    actions: NAMES,
    takesOperands: true,
    async run({ operands: [name = 'meridian', ...rest] }, context) {
      const page = PAGES.get(name);
      if (page === undefined || rest.length > 0)
        throw new UsageError(`man takes one page: ${NAMES.join(', ')}`);
      context.print(page(await commands()));
      return 0;
    },
  });
}

function commandPage(commands: readonly Command[]): string {
  return `${title('MERIDIAN', 1)}
.SH NAME
meridian \\- time and time\\-zone HTTP service
.SH SYNOPSIS
.B meridian
.RI [ command ]
.RI [ flags ]
.SH DESCRIPTION
Serves the time over HTTP: zones, offsets, conversions, durations, holidays and clocks. Zones, boundaries,
IP data, places and holidays are inside the executable.
.PP
.B meridian help
lists topics on its operation;
.B meridian help TOPIC
explains one.
.SH COMMANDS
Without a command,
.B meridian
runs
.BR serve .
${commands.map(commandSection).join('\n')}
.SH FILES
.TP
.I /etc/meridian/meridian.toml
The packaged service's settings.
.TP
.I /var/lib/meridian
Its state directory: signing keys, API keys, usage and the last good copies of data files.
.SH EXIT STATUS
0 on success, 1 if the command failed, 2 if the command line or the settings are invalid.
.SH SEE ALSO
.BR meridian.toml (5)`;
}

function commandSection({ name, synopsis, summary, flags }: Command): string {
  // Flags shared with serve are described only there.
  const isShared = (flag: string) => name !== 'serve' && SERVE_TABLE[flag] === flags[flag];
  const [own, shared] = [false, true].map(each => Object.keys(flags).filter(flag => isShared(flag) === each));
  const entries = own!.map(flag => `\n${entry(`--${flag}`, flags[flag]!)}`);
  const taken = shared!.filter(flag => !Object.hasOwn(COMMON_FLAGS, flag)).map(flag => text(`--${flag}`));
  const isAll = flags === SERVE_FLAGS;
  const note = isAll || taken.length === 0 ? '' : `\n.PP\nAlso, as for serve: ${taken.join(', ')}.`;
  return `.SS ${text(`meridian ${name} ${synopsis}`.trimEnd())}
${text(sentence(summary))}${entries.join('')}${note}`;
}

function settingsPage(): string {
  const settings = SETTING_NAMES.map(
    name => `${entry(name, SERVE_TABLE[name]!)}\nEnvironment: ${text(environmentVariable(name))}.`,
  );
  return `${title('MERIDIAN.TOML', 5)}
.SH NAME
meridian.toml \\- settings of meridian
.SH DESCRIPTION
A TOML file with the settings of
.BR "meridian serve" .
The keys are the names of its flags. A flag overrides the environment, which overrides this file. A repeatable setting takes a
list, a switch takes true or false. An unknown name or an invalid value prevents startup;
.B meridian check
reports all faults. Changed settings require a restart, except those listed in
.BR "meridian help settings" .
.SH SETTINGS
${settings.join('\n')}
.SH SEE ALSO
.BR meridian (1)`;
}

/** Without a date, for reproducible builds. */
function title(name: string, section: number): string {
  return `.TH ${name} ${section} "" "meridian ${BUILD.version}"\n.nh`;
}

function entry(name: string, { argument, help, fallbackText, isRepeatable }: Flag<unknown>): string {
  const value = argument === null || argument === '' ? '' : ` \\fI${text(argument)}\\fR`;
  const notes = `${isRepeatable ? ' Repeatable.' : ''} Default: ${fallbackText}.`;
  return `.TP\n\\fB${text(name)}\\fR${value}\n${text(sentence(help) + notes)}`;
}

/** Escapes roff: backslashes, minus signs, and dots and apostrophes that would begin a request. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...');
  return escaped.replace(/^(?=[.'])/gm, '\\&');
}
