import { nearest } from '../common/nearest.ts';
import { UsageError } from '../common/usage_error.ts';
import { type FlagTable, SERVE_FLAGS, SETTING_NAMES, type SettingsOf } from './flags.ts';
import { oneLine } from './one_line.ts';

/** Where settings come from besides the command line. */
export interface SettingSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the file of `--config`. */
  readonly readConfig: (path: string) => string;
}

/** What a command line says: its settings, and the arguments that are not flags. */
export interface CommandLine<Table extends FlagTable> {
  readonly settings: SettingsOf<Table>;
  readonly operands: readonly string[];
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['-i', '--include'],
  ['-h', '--help'],
]);

/**
 * Reads a command's arguments. A flag wins over its environment variable (`--max-bulk`: `MERIDIAN_MAX_BULK`), that
 * over the configuration file, that over the default. Throws {@link UsageError}.
 */
export function readCommandLine<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
  sources: SettingSources,
): CommandLine<Table> {
  const { given, operands } = splitArguments(table, args);
  const { path: configPath, texts: config } = readConfig(given, sources);
  const entries = Object.entries(table).map(([name, flag]) => {
    if (given.has(name)) return [name, flag.parse(given.get(name)!, `--${name}`)];
    if (!SETTING_NAMES.includes(name)) return [name, flag.fallback];
    const variable = environmentVariable(name);
    const fromEnvironment = sources.environment[variable];
    if (fromEnvironment !== undefined && fromEnvironment !== '') {
      const texts = flag.isRepeatable ? fromEnvironment.split(',') : [fromEnvironment];
      return [name, flag.parse(texts, variable)];
    }
    if (config.has(name)) return [name, flag.parse(config.get(name)!, `${configPath}: ${name}`)];
    return [name, flag.fallback];
  });
  // The entries are the table's own names with what their flags parse.
  return { settings: Object.fromEntries(entries) as SettingsOf<Table>, operands };
}

/** Texts of settings, by name. */
export type SettingTexts = ReadonlyMap<string, readonly string[]>;

/** The texts that a command line gives for its flags, and those in its configuration file. */
export function settingTexts(
  table: FlagTable,
  args: readonly string[],
  sources: SettingSources,
): { readonly flags: SettingTexts; readonly file: SettingTexts } {
  const flags = splitArguments(table, args).given;
  return { flags, file: readConfig(flags, sources).texts };
}

/** The environment variable of a flag. */
export function environmentVariable(name: string): string {
  return `MERIDIAN_${name.toUpperCase().replaceAll('-', '_')}`;
}

function splitArguments(table: FlagTable, args: readonly string[]) {
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = ALIASES.get(args[index]!) ?? args[index]!;
    if (argument === '--') {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      operands.push(argument);
      continue;
    }
    const equals = argument.indexOf('=');
    const name = argument.slice(2, equals === -1 ? undefined : equals);
    const flag = argument.startsWith('--') && Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) {
      // Only the name: what was given to a misspelt flag may be a secret.
      throw unknownName(
        `flag '${equals === -1 ? argument : argument.slice(0, equals)}'`,
        `--${name}`,
        flagNames(table),
      );
    }
    let text = equals === -1 ? 'true' : argument.slice(equals + 1);
    if (equals === -1 && flag.argument !== null) {
      index++;
      const next = args[index];
      if (next === undefined) throw new UsageError(`--${name} needs a value: --${name} ${flag.argument}`);
      text = next;
    }
    given.set(name, [...(given.get(name) ?? []), text]);
  }
  return { given, operands };
}

function flagNames(table: FlagTable): string[] {
  return [...Object.keys(table), 'help'].map(name => `--${name}`);
}

/** A {@link UsageError} that names what is unknown and the nearest of what is known, or else gives `advice`. */
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

/** The path of the configuration file that flags or environment name, and the texts in it. */
function readConfig(
  given: SettingTexts,
  sources: SettingSources,
): { readonly path: string | undefined; readonly texts: SettingTexts } {
  const path = given.get('config')?.at(-1) ?? (sources.environment['MERIDIAN_CONFIG'] || undefined);
  return { path, texts: path === undefined ? new Map() : readConfigFile(path, sources) };
}

/** The texts of a configuration file by flag name. It may hold all settings of a server, whatever the command wants of them. */
function readConfigFile(path: string, sources: SettingSources): SettingTexts {
  let parsed: Record<string, unknown>;
  try {
    parsed = Bun.TOML.parse(sources.readConfig(path)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${oneLine(error)}`);
  }
  const config = new Map<string, string[]>();
  for (const [key, value] of Object.entries(parsed)) {
    const name = key.replaceAll('_', '-');
    if (!SETTING_NAMES.includes(name)) throw unknownName(`key '${key}' in ${path}`, name, SETTING_NAMES);
    const values = Array.isArray(value) ? value : [value];
    if (values.length === 0) throw new UsageError(`${path}: ${key}: the list is empty`);
    if (Array.isArray(value) && !isRepeatable(name)) {
      throw new UsageError(`${path}: ${key}: one value is wanted, not a list`);
    }
    if (!values.every(item => ['string', 'number', 'boolean'].includes(typeof item))) {
      throw new UsageError(`${path}: ${key}: a text, a number, true, false or a list of them is wanted`);
    }
    config.set(name, values.map(String));
  }
  return config;
}

function isRepeatable(name: string): boolean {
  const settings: FlagTable = SERVE_FLAGS;
  return settings[name]?.isRepeatable === true;
}
