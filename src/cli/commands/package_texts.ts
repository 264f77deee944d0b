import { readLicenses } from '../../../data/licenses/embedded.ts';
import { BUILD } from '../../server/build_info.ts';
import { type ActionInput, type Command, defineActions, defineCommand } from '../command.ts';
import { COMMON_FLAGS, type Flag, SERVE_FLAGS, SERVE_TABLE, SETTING_NAMES } from '../flags.ts';
import { sentence } from '../help.ts';
import { filled } from '../report.ts';
import { environmentVariable } from '../settings.ts';

// Texts that packages contain: completions, manual pages and licences.

type Commands = readonly Command[];

/** The action that prints a text about all commands, including its own. */
function printing(commands: () => Promise<Commands>, textOf: (commands: Commands) => string) {
  return {
    async run({ context }: ActionInput<unknown>): Promise<void> {
      context.print(textOf(await commands()));
    },
  };
}

export const completionsCommand = (commands: () => Promise<Commands>) =>
  defineActions({
    name: 'completions',
    summary: 'print a completion script for a shell',
    flags: COMMON_FLAGS,
    actions: {
      bash: printing(commands, bashScript),
      zsh: printing(commands, zshScript),
      fish: printing(commands, fishScript),
    },
  });

export const manCommand = (commands: () => Promise<Commands>) =>
  defineActions({
    name: 'man',
    summary: 'print a manual page in roff: meridian man | man -l -',
    flags: COMMON_FLAGS,
    fallback: 'meridian',
    actions: { meridian: printing(commands, commandPage), 'meridian.toml': printing(commands, settingsPage) },
  });

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
  return filled('completions.bash', { commands: names.join(' '), cases: cases.join('\n') });
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
  return filled('completions.zsh', { commands: described.join('\n'), cases: cases.join('\n') });
}

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
  return filled('completions.fish', { lines: lines.join('\n') });
}

/** A text in single quotes, valid in all three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function escaped(text: string, special: string): string {
  return [...text].map(character => (special.includes(character) ? `\\${character}` : character)).join('');
}

function commandPage(commands: readonly Command[]): string {
  return filled('meridian.1', { version: BUILD.version, commands: commands.map(commandSection).join('\n') });
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
  return filled('meridian.toml.5', { version: BUILD.version, settings: settings.join('\n') });
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
