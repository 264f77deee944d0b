import { parseText, parseToggle } from './flag_values.ts';

/** Optional properties of a flag. */
export interface FlagTraits {
  /** The one-letter form: `i` for `-i`. */
  readonly short?: string;
  /** The flag without which this one has no effect; setting only this one is an error. */
  readonly requires?: string;
  /** A secret value, or a file with secrets. A systemd unit refers to it but does not contain it. */
  readonly secret?: 'value' | 'file';
  /** A source of API keys. An empty value is not the same as unset, since a server without keys is open. */
  readonly isKeySource?: true;
  /** A reload rereads its file. */
  readonly isReloaded?: true;
  /** The server connects to the host that it names. */
  readonly isOutbound?: true;
}

/**
 * One flag of the command line. Parsing, help, completions, environment variables, the configuration file, conflicts and
 * the systemd unit derive from it.
 */
export interface Flag<Value> extends FlagTraits {
  /** The argument's placeholder in help, or its values separated by `|`; null for a switch. */
  readonly argument: string | null;
  readonly help: string;
  /** The default value, and its description in help. */
  readonly fallback: Value;
  readonly fallbackText: string;
  /** Parses all texts given for the flag, at least one; the last one counts unless it is repeatable. */
  readonly parse: (texts: readonly string[]) => Value;
  readonly isRepeatable: boolean;
}

type Traits = FlagTraits & { readonly fallbackText?: string };
type Parse<Value> = (text: string) => Value;

/** A flag with one value. */
export function single<Value>(
  argument: string,
  help: string,
  fallback: Value,
  parse: Parse<Value>,
  traits: Traits = {},
): Flag<Value> {
  return {
    argument,
    help,
    fallback,
    fallbackText: fallback === null ? 'none' : String(fallback),
    isRepeatable: false,
    parse: texts => parse(texts.at(-1) ?? ''),
    ...traits,
  };
}

/** A flag with any non-empty text as value, null by default. */
export function optional(argument: string, help: string, traits: Traits = {}): Flag<string | null> {
  return single(argument, help, null, parseText, traits);
}

/** A flag that may be given several times. */
export function repeatable<Value>(
  argument: string,
  help: string,
  fallback: readonly Value[],
  parse: Parse<Value>,
  traits: Traits = {},
): Flag<readonly Value[]> {
  return {
    argument,
    help,
    fallback,
    fallbackText: 'none',
    isRepeatable: true,
    parse: texts => texts.map(text => parse(text)),
    ...traits,
  };
}

/** A switch, off by default. */
export function toggle(help: string, traits: Traits = {}): Flag<boolean> {
  const flag = single('', help, false, parseToggle, { fallbackText: 'off', ...traits });
  return { ...flag, argument: null };
}

/** A flag with a fixed set of values. */
export function choice<Word extends string, Fallback extends Word | null>(
  words: readonly Word[],
  help: string,
  fallback: Fallback,
  traits: Traits = {},
): Flag<Word | Fallback> {
  const parse = (text: string): Word | Fallback => {
    const word = words.find(candidate => candidate === text);
    if (word === undefined) throw new Error(`'${text}' is not one of ${words.join(', ')}`);
    return word;
  };
  return single<Word | Fallback>(words.join('|'), help, fallback, parse, traits);
}
