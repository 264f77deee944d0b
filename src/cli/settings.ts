import { parseArgs } from 'node:util';
import { once } from '../common/caching.ts';
import { messagesOf, UsageError } from '../common/errors.ts';
import { EntryFault, parseToml, tomlFaults } from '../common/settings_text.ts';
import { faultsOfFile } from '../common/text_faults.ts';
import { nearest } from '../common/words.ts';
import { addressRate } from '../http/address_limits.ts';
import { formatListenAddress } from '../server/listen_address.ts';
import { SUCCESSION, WORKER_PLACE } from '../server/programs.ts';
import type { Environment } from '../server/state_directory.ts';
import {
  type Flag,
  type FlagTable,
  SERVE_FLAGS,
  SERVE_TABLE,
  SETTING_NAMES,
  type SettingsOf,
} from './flags.ts';

/** Sources of settings other than the command line; `readConfig` reads the file of `--config`. */
export interface SettingSources {
  readonly environment: Environment;
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
  /** `FILE:LINE:COLUMN: ` for a setting that is from the configuration file, else empty. */
  readonly placeOf: (name: string) => string;
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
  const { given, operands } = splitArguments(table, args);
  const configPath = given.get('config')?.at(-1) || sources.environment['MERIDIAN_CONFIG'] || null;
  const file = configPath === null ? null : readConfigFile(configPath, sources, faults);
  const entries = Object.entries(table).map(([name, flag]) => {
    const { texts, source } = textsOf(name, flag);
    try {
      return [name, texts === undefined ? flag.fallback : flag.parse(texts)];
    } catch (error) {
      faults.push(...messagesOf(error).map(message => `${placeOf(name)}${source}: ${message}`));
      return [name, flag.fallback];
    }
  });
  // The entries map the table's names to the values of their flags.
  const settings = Object.fromEntries(entries) as SettingsOf<Table>;
  const inFile: SettingTexts = file?.texts ?? new Map();
  return { settings, operands, given, inFile, configPath, placeOf, faults };

  function textsOf(name: string, flag: Flag<unknown> | undefined) {
    if (given.has(name) || !SETTING_NAMES.includes(name))
      return { texts: given.get(name), source: `--${name}` };
    const variable = environmentVariable(name);
    const text = sources.environment[variable];
    if (text === undefined || (text === '' && flag?.isKeySource !== true))
      return { texts: file?.texts.get(name), source: name, isInFile: file?.texts.has(name) };
    // A variable has the values of a repeatable flag as a list.
    const texts = flag?.isRepeatable ? text.split(',').filter(() => text !== '') : [text];
    return { texts, source: variable };
  }

  function placeOf(name: string): string {
    return textsOf(name, SERVE_TABLE[name]).isInFile ? file!.placeOf(name) : ''; // there is a file
  }
}

/** Warnings about secrets on the command line. */
export function visibleSecrets(given: SettingTexts): string[] {
  return [...given].flatMap(([name, texts]) => {
    if (!isSecret(name, texts)) return [];
    const remedy = `set ${environmentVariable(name)} or use the --config file`;
    return `--${name}: every user on this machine can see its value in the process list; ${remedy}`;
  });
}

/** Whether the value of a setting contains a secret. */
export function isSecret(name: string, texts: readonly string[]): boolean {
  const { secret, hasSecret = () => true } = SERVE_TABLE[name] ?? {};
  return secret === 'value' && texts.some(hasSecret);
}

/** The environment variable of a flag. */
export function environmentVariable(name: string): string {
  return `MERIDIAN_${name.toUpperCase().replaceAll('-', '_')}`;
}

function splitArguments(table: FlagTable, args: readonly string[]) {
  const optionOf = ({ argument, short }: Flag<unknown>) => ({
    type: argument === null ? ('boolean' as const) : ('string' as const),
    ...(short && { short }),
  });
  const options = Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, optionOf(flag)]));
  // Strict parsing would reject `--open=false`, and its messages do not suggest similar flags.
  const parsing = { strict: false, allowPositionals: true, tokens: true } as const;
  const { tokens, positionals } = parseArgs({ args: [...args], options, ...parsing });
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
export function unknownName(what: string, name: string, known: readonly string[], advice?: string) {
  const [best] = nearest(name, known, 1);
  const hint = best === undefined ? advice : `did you mean '${best}'?`;
  return new UsageError(`Unknown ${what}${hint === undefined ? '' : `; ${hint}`}`);
}

/**
 * The texts of a configuration file by flag name, and their places. It may contain any server setting, even ones the command
 * does not use.
 */
function readConfigFile(path: string, { readConfig }: SettingSources, faults: string[]) {
  const texts = new Map<string, string[]>();
  const keys = new Map<string, string>(); // as in the file
  let text = '';
  let parsed: Readonly<Record<string, unknown>> = {};
  try {
    text = readConfig(path);
    parsed = parseToml(text);
  } catch (error) {
    faults.push(...faultsOfFile(error, path, `Cannot read ${path}`));
  }
  const placed = once(() => tomlFaults(text));
  const placedFault = (...fault: ConstructorParameters<typeof EntryFault>) =>
    placed()(new EntryFault(...fault)).in(path);
  for (const [key, value] of Object.entries(parsed)) {
    const name = key.replaceAll('_', '-');
    const fault = faultOfEntry(name, value);
    if (!SETTING_NAMES.includes(name)) {
      const { message } = isTable(value)
        ? unknownName(`table '${key}'`, name, [], 'settings are not in tables')
        : unknownName(`key '${key}'`, name, SETTING_NAMES);
      faults.push(placedFault([key], message, 'key'));
    } else if (texts.has(name)) {
      const spellings = `'${name}' and '${name.replaceAll('-', '_')}'`;
      faults.push(placedFault([key], `${key}: the setting is given twice, as ${spellings}`, 'key'));
    } else if (fault !== undefined) faults.push(placedFault([key], `${key}: ${fault}`));
    else {
      texts.set(name, [value].flat().map(String));
      keys.set(name, key);
    }
  }
  return { texts, placeOf: (name: string) => placedFault([keys.get(name)!], '') }; // it has a text
}

/** Whether a value in TOML is a table, or a list of tables. */
function isTable(value: unknown): boolean {
  return [value].flat().some(each => typeof each === 'object' && !(each instanceof Date));
}

function faultOfEntry(name: string, value: unknown): string | undefined {
  const values = [value].flat();
  if (values.length === 0) return 'the list is empty';
  if (Array.isArray(value) && SERVE_TABLE[name]?.isRepeatable !== true)
    return 'expected one value, not a list';
  if (values.every(item => ['string', 'number', 'boolean'].includes(typeof item))) return undefined;
  return 'expected a string, a number, true, false or a list of them';
}

/** Rejects contradictory settings, and those without effect, on which an operator would rely. @throws {UsageError} */
export function checkConflicts(line: ServeLine): void {
  const [first] = conflictsOf(line);
  if (first !== undefined) throw new UsageError(first);
}

type ServeLine = Pick<CommandLine<typeof SERVE_FLAGS>, 'settings' | 'placeOf'>;

/** All contradictory settings and settings without effect, one line each. */
export function conflictsOf({ settings, placeOf }: ServeLine): readonly string[] {
  const { listen, 'admin-listen': admin, workers } = settings;
  const values: Readonly<Record<string, unknown>> = settings;
  const conflicts: string[] = [];
  const report = (name: string, conflict: string) => conflicts.push(`${placeOf(name)}--${name}${conflict}`);

  // A duplicate would otherwise be reported as an address in use by another process.
  const fixed = listen.filter(address => address.kind === 'unix' || address.port !== 0);
  const addresses = fixed.map(formatListenAddress);
  const repeated = addresses.find((address, index) => addresses.indexOf(address) < index);
  if (repeated !== undefined) report('listen', ` ${repeated} is given twice`);
  if (admin !== null && addresses.includes(formatListenAddress(admin)))
    report('admin-listen', ` ${formatListenAddress(admin)} is already an address of --listen`);

  for (const [name, { requires, argument }] of Object.entries(SERVE_TABLE)) {
    if (requires === undefined || !isSet(name) || isSet(requires)) continue;
    report(name, `${argument?.includes('|') ? ` ${values[name]}` : ''} requires --${requires}`);
  }
  if (isSet('log-client') && settings['access-log'] === 'off')
    report('log-client', ` ${settings['log-client']} has no effect with --access-log off`);
  if (isSet('tls-cert') && listen.every(({ kind }) => kind === 'unix'))
    report('tls-cert', ' has no effect on unix sockets, and --listen has no other addresses');

  // Each worker grants at least one request at once: together they would exceed a smaller burst.
  const burst = addressRate(settings)?.burst ?? workers;
  if (burst < workers)
    report('address-burst', ` ${burst} cannot be divided among ${workers} workers: use at least ${workers}`);
  return conflicts;

  /** Ignores case, since header names are case-insensitive. */
  function isSet(name: string): boolean {
    const fallback = SERVE_TABLE[name]?.fallback;
    const value = values[name];
    if (typeof value !== 'string' || typeof fallback !== 'string') return value !== fallback;
    return value.toLowerCase() !== fallback.toLowerCase();
  }
}

const PREFIX = 'MERIDIAN_';

/**
 * Variables that Kubernetes and Docker links set for a service whose name begins with `meridian`:
 * `MERIDIAN_SERVICE_HOST`, `MERIDIAN_PORT`, `MERIDIAN_PORT_80_TCP_ADDR`, `MERIDIAN_ENV_HOME`.
 */
const ORCHESTRATOR_VARIABLE = /_(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT(?:_[0-9]+_.*)?|ENV_.*|NAME)$/;

/** Variables that resemble a setting, which would otherwise be ignored silently, and the nearest setting. */
export function strayVariables(environment: Environment) {
  const settings = Object.keys(SERVE_FLAGS).map(environmentVariable);
  const suffixes = settings.map(name => name.slice(PREFIX.length));
  const known = [...settings, WORKER_PLACE, SUCCESSION];
  return Object.keys(environment)
    .filter(name => name.toUpperCase().startsWith(PREFIX) && environment[name] !== '')
    .filter(name => !known.includes(name) && !ORCHESTRATOR_VARIABLE.test(name))
    .flatMap(name => {
      const [best] = nearest(name.slice(PREFIX.length), suffixes, 1);
      return best === undefined ? [] : [{ name, nearest: `${PREFIX}${best}` }];
    });
}

/** The warning about a stray variable. */
export function strayVariableText(stray: ReturnType<typeof strayVariables>[number]): string {
  return `${stray.name} is set, but is not a setting; did you mean '${stray.nearest}'?`;
}
