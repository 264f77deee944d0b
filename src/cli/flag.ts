import { UsageError } from '../common/usage_error.ts';
import { parseToggle } from './flag_values.ts';

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
  /** Reads all texts that were given for the flag, at least one; of one that is not repeatable the last counts. */
  readonly parse: (texts: readonly string[], source: string) => Value;
  readonly isRepeatable: boolean;
}

/** A flag of one value. */
export function single<Value>(
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

/** A flag that may be given several times. */
export function repeatable<Value>(
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

/** A flag that is on or off. */
export function toggle(help: string): Flag<boolean> {
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
export function choice<Word extends string, Fallback extends Word | null>(
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
