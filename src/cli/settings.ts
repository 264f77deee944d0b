import { parseArgs } from 'node:util';
import { messageOf, oneLine } from '../common/message_of.ts';
import { nearest } from '../common/nearest.ts';
import { UsageError } from '../common/usage_error.ts';
import type { Environment } from '../server/state_directory.ts';
import type { Flag } from './flag.ts';
import { type FlagTable, SERVE_TABLE, SETTING_NAMES, type SettingsOf } from './flags.ts';

/** Sources of settings other than the command line. */
export interface SettingSources {
  readonly environment: Environment;
  /** Reads the file of `--config`. */
  readonly readConfig: (path: string) => string;
}

/** Unparsed texts of settings, by name. */
export type SettingTexts = ReadonlyMap<string, readonly string[]>;

/** A parsed command line. */
export interface CommandLine<Table extends FlagTable> {
  readonly settings: SettingsOf<Table>;
  /** The arguments that are not flags. */
  readonly operands: readonly string[];
  /** The texts of the flags on the command line, and of the settings in the configuration file. */
  readonly given: SettingTexts;
  readonly inFile: SettingTexts;
}

/**
 * Parses a command's arguments. A flag overrides its environment variable (`--max-bulk`: `MERIDIAN_MAX_BULK`), which
 * overrides the configuration file, which overrides the default. @throws {UsageError}
 */
export function readCommandLine<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
  sources: SettingSources,
): CommandLine<Table> {
  const { given, operands } = splitArguments(table, args);
  const configPath = given.get('config')?.at(-1) ?? sources.environment['MERIDIAN_CONFIG'];
  const inFile: SettingTexts = configPath ? readConfigFile(configPath, sources) : new Map();
  const entries = Object.entries(table).map(([name, flag]) => {
    const { texts, source } = textsOf(name, flag);
    return [name, texts === undefined ? flag.fallback : parsed(flag, texts, source)];
  });
  // The entries are the table's names with the values of their flags.
  return { settings: Object.fromEntries(entries) as SettingsOf<Table>, operands, given, inFile };

  function textsOf(name: string, flag: Flag<unknown>) {
    const variable = environmentVariable(name);
    const inEnvironment = sources.environment[variable];
    if (given.has(name) || !SETTING_NAMES.includes(name))
      return { texts: given.get(name), source: `--${name}` };
    const isSet = inEnvironment !== undefined && (inEnvironment !== '' || flag.isKeySource === true);
    if (!isSet) return { texts: inFile.get(name), source: `${configPath}: ${name}` };
    return { texts: flag.isRepeatable ? listOf(inEnvironment) : [inEnvironment], source: variable };
  }
}

/** The elements of a variable's comma-separated list. */
function listOf(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

function parsed(flag: Flag<unknown>, texts: readonly string[], source: string): unknown {
  try {
    return flag.parse(texts);
  } catch (error) {
    throw new UsageError(`${source}: ${messageOf(error)}`);
  }
}

/** Warnings about secrets on the command line. */
export function visibleSecrets(given: SettingTexts): string[] {
  const isSecret = ([name, texts]: readonly [string, readonly string[]]) =>
    SERVE_TABLE[name]?.secret === 'value' &&
    (name !== 'redis' || texts.some(text => URL.parse(text)?.password !== ''));
  return [...given].filter(isSecret).map(([name]) => {
    const remedy = `set ${environmentVariable(name)} or use the file of --config`;
    return `--${name}: every user of this machine can see its value in the process list; ${remedy}`;
  });
}

/** The environment variable of a flag. */
export function environmentVariable(name: string): string {
  return `MERIDIAN_${name.toUpperCase().replaceAll('-', '_')}`;
}

function splitArguments(table: FlagTable, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { argument, short }]) => [
      name,
      { type: argument === null ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  // Not strict: its messages suggest no similar flag, and it rejects `--open=false`.
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(args[token.index]!, table);
    const text = token.value ?? (flag.argument === null ? 'true' : undefined);
    if (text === undefined)
      throw new UsageError(`--${token.name} requires a value: --${token.name} ${flag.argument}`);
    given.set(token.name, [...(given.get(token.name) ?? []), text]);
  }
  return { given, operands: positionals };
}

/** Omits the value, as that of a misspelt flag may be a secret. */
function unknownFlag(argument: string, table: FlagTable): UsageError {
  const [written = ''] = argument.split('=');
  const names = [...Object.keys(table), 'help'].map(name => `--${name}`);
  return unknownName(`flag '${written}'`, written.replace(/^-*/, '--'), names);
}

/** A {@link UsageError} with the nearest known name, or else with `advice`. */
export function unknownName(
  what: string,
  name: string,
  known: readonly string[],
  advice?: string,
): UsageError {
  const [best] = nearest(name, known, 1);
  const hint = best === undefined ? advice : `did you mean '${best}'?`;
  return new UsageError(`Unknown ${what}${hint === undefined ? '' : `; ${hint}`}`);
}

/** The texts of a configuration file by flag name. It may contain all settings of a server, whatever the command uses. */
function readConfigFile(path: string, sources: SettingSources): SettingTexts {
  let parsed: Record<string, unknown>;
  try {
    parsed = Bun.TOML.parse(sources.readConfig(path)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${oneLine(error)}`);
  }
  const texts = new Map<string, string[]>();
  for (const [key, value] of Object.entries(parsed)) {
    const name = key.replaceAll('_', '-');
    if (!SETTING_NAMES.includes(name)) throw unknownName(`key '${key}' in ${path}`, name, SETTING_NAMES);
    const values = Array.isArray(value) ? value : [value];
    if (values.length === 0) throw new UsageError(`${path}: ${key}: the list is empty`);
    if (Array.isArray(value) && SERVE_TABLE[name]?.isRepeatable !== true) {
      throw new UsageError(`${path}: ${key}: expected one value, not a list`);
    }
    if (!values.every(item => ['string', 'number', 'boolean'].includes(typeof item))) {
      throw new UsageError(`${path}: ${key}: expected a string, a number, true, false or a list of them`);
    }
    texts.set(name, values.map(String));
  }
  return texts;
}
