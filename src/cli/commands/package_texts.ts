import { readLicenses } from '../../../data/licenses/embedded.ts';
import { UsageError } from '../../common/errors.ts';
import { BUILD } from '../../server/build_info.ts';
import { type Command, defineCommand } from '../command.ts';
import { COMMON_FLAGS, type Flag, SERVE_FLAGS, SERVE_TABLE, SETTING_NAMES } from '../flags.ts';
import { sentence } from '../help.ts';
import { environmentVariable } from '../settings.ts';

// Texts that packages contain: completions, manual pages and licences.

type Commands = readonly Command[];

/** A command that prints one of several texts, which describe all commands including itself. */
function textCommand(
  spec: Pick<Command, 'name' | 'synopsis' | 'summary'> & { readonly fallback?: string },
  kind: string,
  texts: Readonly<Record<string, (commands: Commands) => string>>,
) {
  const names = Object.keys(texts);
  return (commands: () => Promise<Commands>) =>
    defineCommand({
      ...spec,
      flags: COMMON_FLAGS,
      actions: names,
      takesOperands: true,
      async run({ operands: [name = spec.fallback ?? '', ...rest] }, context) {
        if (!names.includes(name) || rest.length > 0)
          throw new UsageError(`${spec.name} takes one ${kind}: ${names.join(', ')}`);
        context.print(texts[name]!(await commands()));
        return 0;
      },
    });
}

export const completionsCommand = textCommand(
  { name: 'completions', synopsis: 'bash | zsh | fish', summary: 'print a completion script for a shell' },
  'shell',
  { bash: bashScript, zsh: zshScript, fish: fishScript },
);

export const manCommand = textCommand(
  {
    name: 'man',
    synopsis: '[meridian | meridian.toml]',
    summary: 'print a manual page in roff: meridian man | man -l -',
    fallback: 'meridian',
  },
  'page',
  { meridian: commandPage, 'meridian.toml': settingsPage },
);

export const licensesCommand = defineCommand({
  name: 'licenses',
  synopsis: '',
  summary: 'print the licences of everything in this binary',
  flags: COMMON_FLAGS,
  async run(_, context) {
    await context.write(readLicenses());
    return 0;
  },
});

/** How each shell completes an argument: with fixed words, files, directories or nothing. */
function argumentCompletion(argument: string) {
  if (argument.includes('|')) {
    const words = argument.replaceAll('|', ' ');
    return { bash: `-W "${words}"`, zsh: `(${words})`, fish: `-x -a ${quoted(words)}` };
  }
  if (argument === 'DIR')
    return { bash: '-d', zsh: '_files -/', fish: `-x -a '(__fish_complete_directories)'` };
  if (argument.startsWith('FILE')) return { bash: '-f', zsh: '_files', fish: '-r -F' };
  return { bash: null, zsh: ' ', fish: '-x' };
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map(({ name, actions = [], flags }) => {
    const words = [...actions, ...[...Object.keys(flags), 'help'].map(flag => `--${flag}`)].join(' ');
    const after = Object.entries(flags).map(([flag, { argument }]) => bashArgument(flag, argument));
    return `    ${name})\n      case $previous in\n${after.join('')}      esac\n      words="${words}" ;;`;
  });
  return `# bash completion for meridian: source <(meridian completions bash)
_meridian() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=serve words
  COMPREPLY=()
  if [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[1]} != -* ]]; then command=\${COMP_WORDS[1]}
  elif [[ $COMP_CWORD -eq 1 && $current != -* ]]; then
    COMPREPLY=($(compgen -W "${names.join(' ')} --help --version" -- "$current"))
    return
  fi
  case $command in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _meridian meridian`;
}

function bashArgument(flag: string, argument: string | null): string {
  if (argument === null) return '';
  const { bash } = argumentCompletion(argument);
  const reply = bash === null ? '' : ` COMPREPLY=($(compgen ${bash} -- "$current"));`;
  return `        --${flag})${reply} return ;;\n`;
}

function zshScript(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, actions, flags }) => {
    const action = actions === undefined ? [] : [`1:action:(${actions.join(' ')})`];
    const specs = [...Object.entries(flags).map(zshFlag), ...action, '--help[show the flags]'];
    return `    ${name})\n      _arguments \\\n${specs.map(spec => `        ${quoted(spec)}`).join(' \\\n')} ;;`;
  });
  return `#compdef meridian
# zsh completion for meridian: source <(meridian completions zsh)
_meridian() {
  local -a commands=(
${described.join('\n')}
  )
  local command=serve
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  if [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${cases.join('\n')}
  esac
}
compdef _meridian meridian`;
}

/** A flag in zsh's syntax. */
function zshFlag([name, { argument, help, isRepeatable }]: [string, Flag<unknown>]): string {
  const text = `${isRepeatable ? '*' : ''}--${name}${argument === null ? '' : '='}[${escaped(help, '[]:')}]`;
  if (argument === null) return text;
  return `${text}:${escaped(argument, ':')}:${argumentCompletion(argument).zsh}`;
}

function fishScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  const lines = commands.flatMap(({ name, summary, flags, actions = [] }) => {
    // Flags without a command are those of serve.
    const isServe = name === 'serve';
    const others = names.filter(other => other !== 'serve').join(' ');
    const condition = `${isServe ? 'not ' : ''}__fish_seen_subcommand_from ${isServe ? others : name}`;
    const complete = `complete -c meridian -n ${quoted(condition)}`;
    return [
      `complete -c meridian -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...Object.entries(flags).map(([flag, { argument, help }]) => {
        const completion = argument === null ? '' : `${argumentCompletion(argument).fish} `;
        return `${complete} -l ${flag} ${completion}-d ${quoted(help)}`;
      }),
      ...actions.map(action => `${complete} -a ${action}`),
    ];
  });
  return `# fish completion for meridian: meridian completions fish | source
complete -c meridian -f
complete -c meridian -l help -d 'show the flags'
complete -c meridian -n __fish_use_subcommand -l version -d 'print the version'
${lines.join('\n')}`;
}

/** A text in single quotes, valid in all three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function escaped(text: string, special: string): string {
  return [...text].map(character => (special.includes(character) ? `\\${character}` : character)).join('');
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
