import { parseArgs } from 'node:util';
import { messageOf, oneLine } from '../common/message_of.ts';
import { nearest } from '../common/nearest.ts';
import { parseToml } from '../common/toml.ts';
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
  /** The configuration file; null for none. */
  readonly configPath: string | null;
  /** Faults in the settings, one line each; a faulty setting has its default value. */
  readonly faults: readonly string[];
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
  const line = inspectCommandLine(table, args, sources);
  if (line.faults[0] !== undefined) throw new UsageError(line.faults[0]);
  return line;
}

/**
 * Parses a command's arguments like {@link readCommandLine}, but collects faults in settings and the configuration file
 * instead of throwing the first. @throws {UsageError} for unknown flags and flags without a value
 */
export function inspectCommandLine<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
  sources: SettingSources,
): CommandLine<Table> {
  const faults: string[] = [];
  const report: Report = fault => faults.push(fault);
  const { given, operands } = splitArguments(table, args);
  const configPath = given.get('config')?.at(-1) || sources.environment['MERIDIAN_CONFIG'] || null;
  const inFile = configPath === null ? new Map() : readConfigFile(configPath, sources, report);
  const entries = Object.entries(table).map(([name, flag]) => {
    const { texts, source } = textsOf(name, flag);
    return [name, texts === undefined ? flag.fallback : parsed(flag, texts, source, report)];
  });
  // The entries map the table's names to the values of their flags.
  return {
    settings: Object.fromEntries(entries) as SettingsOf<Table>,
    operands,
    given,
    inFile,
    configPath,
    faults,
  };

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

/** Receives a fault. */
type Report = (fault: string) => void;

function parsed(flag: Flag<unknown>, texts: readonly string[], source: string, report: Report): unknown {
  try {
    return flag.parse(texts);
  } catch (error) {
    report(`${source}: ${messageOf(error)}`);
    return flag.fallback;
  }
}

/** Warnings about secrets on the command line. */
export function visibleSecrets(given: SettingTexts): string[] {
  const isSecret = ([name, texts]: readonly [string, readonly string[]]) =>
    SERVE_TABLE[name]?.secret === 'value' &&
    (name !== 'redis' || texts.some(text => URL.parse(text)?.password !== ''));
  return [...given].filter(isSecret).map(([name]) => {
    const remedy = `set ${environmentVariable(name)} or use the --config file`;
    return `--${name}: every user on this machine can see its value in the process list; ${remedy}`;
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
  // Strict parsing would reject `--open=false`, and its messages do not suggest similar flags.
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
    const texts = given.get(token.name) ?? [];
    if (texts.length > 0 && !flag.isRepeatable)
      throw new UsageError(`--${token.name} is given twice; it takes one value`);
    given.set(token.name, [...texts, text]);
  }
  return { given, operands: positionals };
}

/** Omits the value, since a misspelt flag's value may be a secret. */
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

/** The texts of a configuration file by flag name. It may contain any server setting, even ones the command does not use. */
function readConfigFile(path: string, sources: SettingSources, report: Report): SettingTexts {
  const texts = new Map<string, string[]>();
  for (const [key, value] of Object.entries(parsedConfig(path, sources, report))) {
    const name = key.replaceAll('_', '-');
    const values = Array.isArray(value) ? value : [value];
    const fault = faultOfEntry(name, value);
    if (!SETTING_NAMES.includes(name)) {
      report(unknownName(`key '${key}' in ${path}`, name, SETTING_NAMES).message);
    } else if (texts.has(name))
      report(`${path}: ${key}: the setting is given twice, as '${name}' and '${name.replaceAll('-', '_')}'`);
    else if (fault !== undefined) report(`${path}: ${key}: ${fault}`);
    else texts.set(name, values.map(String));
  }
  return texts;
}

function parsedConfig(path: string, sources: SettingSources, report: Report): Record<string, unknown> {
  try {
    return parseToml(sources.readConfig(path));
  } catch (error) {
    report(`Cannot read ${path}: ${oneLine(error)}`);
    return {};
  }
}

/** What is wrong with a value in a configuration file. */
function faultOfEntry(name: string, value: unknown): string | undefined {
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0) return 'the list is empty';
  if (Array.isArray(value) && SERVE_TABLE[name]?.isRepeatable !== true)
    return 'expected one value, not a list';
  if (values.every(item => ['string', 'number', 'boolean'].includes(typeof item))) return undefined;
  return 'expected a string, a number, true, false or a list of them';
}
