import { LOG_FORMATS, LOG_LEVELS, type LogFormat } from './event_log.ts';
import { type ListenAddress, parseListenAddress } from './listen_address.ts';
import { UsageError } from './usage_error.ts';

/**
 * One flag of the command line. The table of a command's flags parses, documents and completes it, and reads the
 * same settings from the environment and from the configuration file.
 */
export interface Flag<Value> {
  /** What stands for the argument in help, or null for a switch. */
  readonly argument: string | null;
  readonly help: string;
  /** The value without the flag, and how help shows it. */
  readonly fallback: Value;
  readonly fallbackText: string;
  /** Reads all texts that were given for the flag; one that is not repeatable gets exactly one. */
  readonly parse: (texts: readonly string[], source: string) => Value;
  readonly isRepeatable: boolean;
}

function single<Value>(
  argument: string,
  help: string,
  fallback: Value,
  fallbackText: string,
  parse: (text: string, source: string) => Value,
): Flag<Value> {
  return {
    argument,
    help,
    fallback,
    fallbackText,
    isRepeatable: false,
    parse: (texts, source) => parse(texts.at(-1) ?? '', source),
  };
}

function repeatable<Value>(
  argument: string,
  help: string,
  fallback: readonly Value[],
  fallbackText: string,
  parse: (text: string, source: string) => Value,
): Flag<readonly Value[]> {
  return {
    argument,
    help,
    fallback,
    fallbackText,
    isRepeatable: true,
    parse: (texts, source) => texts.map(text => parse(text, source)),
  };
}

function toggle(help: string): Flag<boolean> {
  return {
    argument: null,
    help,
    fallback: false,
    fallbackText: 'off',
    isRepeatable: false,
    parse: (texts, source) => parseToggle(texts.at(-1) ?? 'true', source),
  };
}

/** A flag that takes one of some words. */
function choice<Word extends string, Fallback extends Word | null>(
  words: readonly Word[],
  help: string,
  fallback: Fallback,
  fallbackText: string,
): Flag<Word | Fallback> {
  return single<Word | Fallback>(words.join('|'), help, fallback, fallbackText, (text, source) => {
    const word = words.find(candidate => candidate === text);
    if (word === undefined) throw new UsageError(`${source}: '${text}' is not one of ${words.join(', ')}`);
    return word;
  });
}

function parseToggle(text: string, source: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw new UsageError(`${source}: '${text}' is not 'true' or 'false'`);
}

function parseText(text: string, source: string): string {
  if (text === '') throw new UsageError(`${source}: a value is missing`);
  return text;
}

function parseCount(text: string, source: string): number {
  const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new UsageError(`${source}: '${text}' is not a whole number of at least 1`);
  return count;
}

const DEFAULT_ADDRESS: ListenAddress = { kind: 'tcp', host: '127.0.0.1', port: 8080 };

const ZONEINFO = single<string | null>(
  'DIR',
  "use this TZif tree, such as the distribution's, instead of the embedded zone data",
  null,
  'embedded',
  parseText,
);

const MAX_BULK = single('N', 'the most entries of a comma-separated selector', 100, '100', parseCount);

/** Understood by every command. */
export const COMMON_FLAGS = {
  config: single<string | null>(
    'FILE',
    'settings in TOML, by flag name; flags and environment win',
    null,
    'none',
    parseText,
  ),
} as const;

const LOG_FLAGS = {
  'log-level': choice(LOG_LEVELS, 'the least that is logged, to stderr', 'info', 'info'),
  'log-format': choice<LogFormat, null>(
    LOG_FORMATS,
    'form of the log',
    null,
    'text on a terminal, else json',
  ),
} as const;

/** The flags of `serve`. */
export const SERVE_FLAGS = {
  ...COMMON_FLAGS,
  listen: repeatable(
    'HOST:PORT',
    'address to serve on, or unix:PATH; port 0 takes a free one',
    [DEFAULT_ADDRESS],
    '127.0.0.1:8080',
    parseListenAddress,
  ),
  zoneinfo: ZONEINFO,
  'max-bulk': MAX_BULK,
  'cors-origin': single('ORIGIN', 'origin whose scripts may read answers', '*', '*', parseText),
  ...LOG_FLAGS,
} as const;

/** The flags of `get`. */
export const GET_FLAGS = {
  ...COMMON_FLAGS,
  include: toggle('print status and headers too (also -i)'),
  zoneinfo: ZONEINFO,
  'max-bulk': MAX_BULK,
} as const;

/** The flags of `doctor`. */
export const DOCTOR_FLAGS = {
  ...COMMON_FLAGS,
  json: toggle('print JSON'),
  zoneinfo: ZONEINFO,
} as const;

/** Any table of flags, by name without the dashes. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The settings that a table of flags yields. */
export type SettingsOf<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};

/** The flags of all commands, which is what a configuration file may hold. */
export const ALL_FLAG_NAMES: readonly string[] = [
  ...new Set([SERVE_FLAGS, GET_FLAGS, DOCTOR_FLAGS].flatMap(table => Object.keys(table))),
];
