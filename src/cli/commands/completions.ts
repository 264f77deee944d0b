import { UsageError } from '../../common/errors.ts';
import { type Command, defineCommand } from '../command.ts';
import { COMMON_FLAGS, type Flag } from '../flags.ts';

/** Scripts that complete commands, flags and arguments, by shell. */
const SCRIPTS = new Map(Object.entries({ bash: bashScript, zsh: zshScript, fish: fishScript }));
const SHELLS = [...SCRIPTS.keys()];

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
      const script = SCRIPTS.get(operands[0] ?? '');
      if (script === undefined || operands.length !== 1) {
        throw new UsageError(`completions takes one shell: ${SHELLS.join(', ')}`);
      }
      context.print(script(await commands()));
      return 0;
    },
  });
}

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
