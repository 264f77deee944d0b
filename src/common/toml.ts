import { parse, TomlError } from 'smol-toml';

/**
 * Parses TOML 1.0. Throws a one-line `Error` with the position: `line 3, column 5: invalid value`. It does not quote the text,
 * which may contain secrets.
 */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
    throw new Error(`line ${error.line}, column ${error.column}: ${reason}`);
  }
}
