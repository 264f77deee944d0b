import type { Command } from './command.ts';
import type { Flag } from './flag.ts';

/** The shells that there are completions for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A script that completes commands, flags and their arguments in a shell. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** How the argument of a flag is completed. */
type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'none' };

function completionOf({ argument }: Flag<unknown>): Completion {
  if (argument === null) return { kind: 'none' };
  if (argument.includes('|')) return { kind: 'words', words: argument.split('|') };
  if (argument === 'DIR') return { kind: 'folder' };
  return { kind: argument.startsWith('FILE') ? 'file' : 'none' };
}

function flagsOf(command: Command): string[] {
  return [...Object.keys(command.flags), 'help'].map(name => `--${name}`);
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map(command => {
    const words = [...(command.actions ?? []), ...flagsOf(command)].join(' ');
    const after = Object.entries(command.flags).flatMap(([name, flag]) => bashArgument(name, flag));
    return `    ${command.name})\n      case $previous in\n${after.join('')}      esac\n      words="${words}" ;;`;
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

function bashArgument(name: string, flag: Flag<unknown>): string[] {
  if (flag.argument === null) return [];
  const completion = completionOf(flag);
  const generator = {
    words: () => `-W "${completion.kind === 'words' ? completion.words.join(' ') : ''}"`,
    file: () => '-f',
    folder: () => '-d',
    none: () => null,
  }[completion.kind]();
  const reply = generator === null ? '' : ` COMPREPLY=($(compgen ${generator} -- "$current"));`;
  return [`        --${name})${reply} return ;;\n`];
}

function zshScript(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(command => {
    const flags = Object.entries(command.flags).map(
      ([name, flag]) => `        ${quoted(zshFlag(name, flag))}`,
    );
    const action =
      command.actions === undefined ? [] : [`        ${quoted(`1:action:(${command.actions.join(' ')})`)}`];
    return `    ${command.name})\n      _arguments \\\n${[...flags, ...action, "        '--help[show the flags]'"].join(' \\\n')} ;;`;
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

/** A flag as \`_arguments\` describes it: \`*--listen=[address to serve on]:HOST\\:PORT:\`. */
function zshFlag(name: string, flag: Flag<unknown>): string {
  const text = `${flag.isRepeatable ? '*' : ''}--${name}${flag.argument === null ? '' : '='}[${escaped(flag.help, '[]:')}]`;
  if (flag.argument === null) return text;
  const completion = completionOf(flag);
  const action = {
    words: () => `(${completion.kind === 'words' ? completion.words.join(' ') : ''})`,
    file: () => '_files',
    folder: () => '_files -/',
    none: () => ' ',
  }[completion.kind]();
  return `${text}:${escaped(flag.argument, ':')}:${action}`;
}

function fishScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap(command => {
    // Flags without a command are those of serve.
    const when =
      command.name === 'serve'
        ? `not __fish_seen_subcommand_from ${names.replace(/\bserve /, '')}`
        : `__fish_seen_subcommand_from ${command.name}`;
    const flags = Object.entries(command.flags).map(
      ([name, flag]) =>
        `complete -c meridian -n ${quoted(when)} -l ${name} ${fishArgument(flag)}-d ${quoted(flag.help)}`,
    );
    const actions = (command.actions ?? []).map(
      action => `complete -c meridian -n ${quoted(when)} -a ${action}`,
    );
    const summary = quoted(command.summary);
    return [
      `complete -c meridian -n __fish_use_subcommand -a ${command.name} -d ${summary}`,
      ...flags,
      ...actions,
    ];
  });
  return `# fish completion for meridian: meridian completions fish | source
complete -c meridian -f
complete -c meridian -l help -d 'show the flags'
complete -c meridian -n __fish_use_subcommand -l version -d 'print the version'
${lines.join('\n')}`;
}

function fishArgument(flag: Flag<unknown>): string {
  if (flag.argument === null) return '';
  const completion = completionOf(flag);
  if (completion.kind === 'words') return `-x -a ${quoted(completion.words.join(' '))} `;
  if (completion.kind === 'folder') return `-x -a '(__fish_complete_directories)' `;
  return completion.kind === 'file' ? '-r -F ' : '-x ';
}

/** A text in single quotes, as all three shells read it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function escaped(text: string, special: string): string {
  return [...text].map(character => (special.includes(character) ? `\\${character}` : character)).join('');
}
