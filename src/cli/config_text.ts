import type { Flag } from './flag.ts';
import { SERVE_TABLE, SETTING_NAMES } from './flags.ts';
import type { SettingTexts } from './settings.ts';

/** A configuration file with every setting and its description; settings without a value are commented out. */
export function configText(values: SettingTexts): string {
  const settings = SETTING_NAMES.map(name => settingText(name, SERVE_TABLE[name]!, values.get(name)));
  return `# Settings of meridian, for --config; a flag or a variable of the environment overrides them.
# 'meridian check --config FILE' validates them, 'meridian help settings' explains them.

${settings.join('\n\n')}\n`;
}

function settingText(name: string, flag: Flag<unknown>, given: readonly string[] | undefined): string {
  const comment = `# ${flag.help} (default: ${flag.fallbackText})`;
  const texts = given ?? [exampleOf(flag)];
  const value = flag.isRepeatable ? `[${texts.map(literal).join(', ')}]` : literal(texts.at(-1)!);
  return `${comment}\n${given === undefined ? '# ' : ''}${name} = ${value}`;
}

/** The default, or a placeholder if there is none. */
function exampleOf({ argument, fallback, fallbackText }: Flag<unknown>): string {
  if (argument === null) return 'false';
  if (argument.includes('|')) return String(fallback ?? argument.split('|')[0]);
  return /^[\d.:*]+$|^X-/.test(fallbackText) ? fallbackText : argument;
}

/** A TOML literal. JSON strings are valid TOML except for an unescaped DEL. */
function literal(text: string): string {
  if (/^(true|false|0|[1-9]\d{0,14})$/.test(text)) return text;
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
