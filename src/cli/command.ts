import { UsageError, visible, withoutPasswords } from '../common/errors.ts';
import type { ProcessContext } from '../server/lifecycle.ts';
import { stateDirectory } from '../server/state_directory.ts';
import type { COMMON_FLAGS, FlagTable, SettingsOf } from './flags.ts';
import {
  type CommandLine,
  inspectCommandLine,
  readCommandLine,
  type SettingSources,
  type SettingTexts,
  unknownName,
  visibleSecrets,
} from './settings.ts';

/** A command's access to the outside world. */
export interface CommandContext extends SettingSources, ProcessContext {
  /** Writes a text to stdout unchanged, without adding a line feed. */
  readonly write: (text: string) => Promise<unknown>;
  readonly isTerminal: (descriptor: number) => boolean;
  /** If this process runs as root, switches to the user that owns the directory. */
  readonly actAsOwner: (directory: string) => void;
}

/** Writes a line to stderr, for the person who runs a command. */
export function note(text: string): void {
  console.error(`meridian: ${withoutPasswords(visible(text))}`);
}

/** A command of the binary. */
export interface Command {
  readonly name: string;
  /** The part of the usage line after the name. */
  readonly synopsis: string;
  readonly summary: string;
  readonly flags: FlagTable;
  /** The values of the first argument, if they are fixed. */
  readonly actions?: readonly string[];
  /** Replaces the standard note in help on where flags can be set. */
  readonly settingsNote?: string;
  /** Returns the exit code; throws `UsageError` (exit 2) or another error (exit 1) with a one-line message. */
  readonly run: (args: readonly string[], context: CommandContext) => Promise<number>;
}

interface CommandSpec<Table extends FlagTable> extends Omit<Command, 'run'> {
  readonly flags: Table;
  /** `run` validates the operands; commands without this property take none. */
  readonly takesOperands?: true;
  /** Its settings are for another process. */
  readonly ignoresEnvironment?: true;
  /** It uses the state directory; when run by root, it acts as the directory's owner. */
  readonly usesState?: true;
  /** It reports all faults in its settings; otherwise the first one is thrown. */
  readonly reportsFaults?: true;
  /** `reread` parses the same command line again, with the current contents of the configuration file. */
  readonly run: (
    line: CommandLine<Table>,
    context: CommandContext,
    reread: () => CommandLine<Table>,
  ) => Promise<number>;
}

/** A command whose arguments are parsed by its flag table. */
export function defineCommand<Table extends FlagTable>(spec: CommandSpec<Table>): Command {
  return {
    ...spec,
    async run(args, context) {
      const sources = spec.ignoresEnvironment ? { ...context, environment: {} } : context;
      const parse = spec.reportsFaults === undefined ? readCommandLine : inspectCommandLine;
      const read = () => parse(spec.flags, args, sources);
      const line = read();
      if (line.operands.length > 0 && spec.takesOperands === undefined)
        throw new UsageError(`Unexpected argument '${line.operands[0]}': ${spec.name} takes flags only`);
      if (spec.usesState) {
        const { 'state-dir': given } = line.settings as SettingsOf<FlagTable & typeof COMMON_FLAGS>;
        context.actAsOwner(stateDirectory(given, sources.environment));
      }
      return spec.run(line, context, read);
    },
  };
}

/** The input of a command's action. */
export interface ActionInput<Settings> {
  readonly settings: Settings;
  /** The flags of the command line. */
  readonly given: SettingTexts;
  /** Empty if there is none. */
  readonly operand: string;
  readonly context: CommandContext;
}

interface Action<Table extends FlagTable> {
  /** The name of its operand, in brackets if it is optional; undefined if it takes none. */
  readonly operand?: string;
  /** The flags that only this action and others that list them take. */
  readonly flags?: readonly (keyof Table)[];
  /** May return an exit code, 0 by default. */
  readonly run: (input: ActionInput<SettingsOf<Table>>) => Promise<void> | Promise<number>;
}

type ActionsSpec<Table extends FlagTable> = Omit<
  CommandSpec<Table>,
  'run' | 'synopsis' | 'actions' | 'takesOperands'
> & {
  readonly actions: Readonly<Record<string, Action<Table>>>;
  /** The action if none is given; by default that is an error. */
  readonly fallback?: string;
};

/** A command whose first argument selects an action. */
export function defineActions<Table extends FlagTable>(spec: ActionsSpec<Table>): Command {
  const { name: command, actions } = spec;
  const names = Object.keys(actions);
  const limitedTo = (flag: string) => names.filter(name => actions[name]?.flags?.some(each => each === flag));
  const all = actionsSynopsis(actions);
  const synopsis = spec.fallback === undefined ? all : `[${all}]`;
  const defined = defineCommand({
    ...spec,
    synopsis,
    actions: names,
    takesOperands: true,
    async run({ settings, given, operands: [name = spec.fallback, ...rest] }, context) {
      if (name === undefined) throw new UsageError(`${command} requires an action: ${synopsis}`);
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      const advice = `the actions are ${names.join(', ')}`;
      if (action === undefined) throw unknownName(`command '${command} ${name}'`, name, names, advice);
      const { operand } = action;
      const isOmitted = rest.length === 0 && operand?.startsWith('[');
      if (!isOmitted && rest.length !== (operand === undefined ? 0 : 1)) {
        const expected = operand === undefined ? 'flags only' : `one argument, ${operand}`;
        throw new UsageError(`${command} ${name} takes ${expected}`);
      }
      for (const flag of given.keys())
        if (limitedTo(flag).length > 0 && !limitedTo(flag).includes(name))
          throw new UsageError(
            `--${flag} has no effect on ${command} ${name}, only on ${limitedTo(flag).join(', ')}`,
          );
      for (const warning of visibleSecrets(given)) note(warning);
      return (await action.run({ settings, given, operand: rest[0] ?? '', context })) ?? 0;
    },
  });
  const described = Object.entries(spec.flags).map(([name, flag]) => {
    const takers = limitedTo(name);
    return [name, takers.length === 0 ? flag : { ...flag, help: `${takers.join(', ')}: ${flag.help}` }];
  });
  return { ...defined, flags: Object.fromEntries(described) };
}

/** `add|list | edit|remove ID`: successive actions with the same operand share it. */
function actionsSynopsis(actions: Readonly<Record<string, { readonly operand?: string }>>): string {
  const groups: { readonly names: string[]; readonly operand: string }[] = [];
  for (const [name, { operand = '' }] of Object.entries(actions)) {
    const last = groups.at(-1);
    if (last?.operand === operand) last.names.push(name);
    else groups.push({ names: [name], operand });
  }
  return groups.map(({ names, operand }) => `${names.join('|')} ${operand}`.trimEnd()).join(' | ');
}
