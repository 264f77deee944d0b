import { basename, extname } from 'node:path';
import { readTexts } from '../api/assets/browser_bundles.ts' with { type: 'macro' };
import type { Command } from './command.ts';
import { COMMON_FLAGS, type Flag, SETTING_NAMES } from './flags.ts';
import { unknownName } from './settings.ts';

/** Maximum line length of generated help, in columns. */
const WIDTH = 100;

/** The text of `meridian --help`. */
export function overview(commands: readonly Command[]): string {
  return `meridian serves the time over HTTP: zones, offsets, conversions, durations and calendars.

Usage: meridian [command] [flags]

${columns(commands.map(({ name, summary }) => [name, summary]))}

'meridian COMMAND --help' lists a command's flags, 'meridian --version' prints the version.
'meridian help TOPIC' explains how to operate the server:

${columns(TOPICS.map(({ name, summary }) => [name, summary]))}`;
}

/**
 * The text of `meridian help NAME`, for a command or a topic, or a topic's file if `file` names one. Throws {@link UsageError}
 * with a suggestion if there is no such name.
 */
export function helpOn(name: string, file: string | undefined, commands: readonly Command[]): string {
  if (file !== undefined) return topicFile(name, file);
  const subjects = [...commands, ...TOPICS];
  const subject = subjects.find(candidate => candidate.name === name);
  if (subject !== undefined) return 'text' in subject ? subject.text : commandHelp(subject);
  const names = subjects.map(candidate => candidate.name);
  throw unknownName(`topic '${name}'`, name, names, "'meridian help' lists the topics");
}

/** A file for other programs, printed by `meridian help TOPIC NAME`. */
function topicFile(topic: string, name: string): string {
  const paths = [...TEXTS.keys()].filter(path => path.startsWith(`${topic}/`) && path.includes('.'));
  const files = new Map(paths.map(path => [basename(path, extname(path)), TEXTS.get(path)!]));
  const names = [...files.keys()].sort();
  const which =
    names.length === 0 ? `the topic '${topic}' has no files` : `the files are ${names.join(', ')}`;
  const file = files.get(name);
  if (file === undefined) throw unknownName(`file '${name}'`, name, names, which);
  return file.trimEnd();
}

/** The text of `meridian COMMAND --help`. */
export function commandHelp(command: Command): string {
  const isCommon = ([name]: readonly [string, unknown]) => Object.hasOwn(COMMON_FLAGS, name);
  const flags = Object.entries(command.flags);
  const rows = [...flags.filter(flag => !isCommon(flag)), ...flags.filter(isCommon)].map(flagRow);
  const usage = `Usage: meridian ${command.name} ${command.synopsis}`;
  return `${Bun.wrapAnsi(usage.trimEnd(), WIDTH)}

${Bun.wrapAnsi(sentence(command.summary), WIDTH)}

${columns(rows)}

${Bun.wrapAnsi(command.settingsNote ?? settingsNote(flags.map(([name]) => name)), WIDTH)}`;
}

function flagRow([name, { argument, help, fallbackText, isRepeatable }]: readonly [string, Flag<unknown>]) {
  const isChoice = argument?.includes('|') ?? false;
  const showsFallback = isChoice || !['none', 'off', 'embedded'].includes(fallbackText);
  const notes = [...(showsFallback ? [fallbackText] : []), ...(isRepeatable ? ['repeatable'] : [])];
  const left = `--${name}${argument === null ? '' : ` ${argument}`}`;
  return [left, notes.length === 0 ? help : `${help} (${notes.join(', ')})`] as const;
}

/** A phrase as a sentence. */
export function sentence(phrase: string): string {
  return `${phrase[0]!.toUpperCase()}${phrase.slice(1)}.`;
}

/** The note on where else the flags can be set. */
function settingsNote(names: readonly string[]): string {
  const own = names.filter(name => name !== 'config' && !SETTING_NAMES.includes(name));
  const which = own.length === 0 ? 'Flags' : `All but ${own.map(name => `--${name}`).join(', ')}`;
  return `${which} can also be set in the environment (MERIDIAN_STATE_DIR for --state-dir) and in the --config file. A flag overrides the environment, which overrides the file.`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const gap = `\n${' '.repeat(width + 4)}`;
  const wrapped = (text: string) => Bun.wrapAnsi(text, WIDTH - width - 4).replaceAll('\n', gap);
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${wrapped(right)}`).join('\n');
}

/** A `Map`, since a macro's value would be copied to each of its uses. */
const TEXTS = new Map(Object.entries(readTexts('cli/topics')));
const ORDER =
  'serving settings systemd containers windows proxies caching tls api-keys administration quotas redis signing data-files bundles schedules agents compatibility logging monitoring limits capacity backup';

/** All topics of `meridian help`, in order. A text is `# NAME: SUMMARY`, then Markdown wrapped at 80 columns. */
export const TOPICS = ORDER.split(' ').map(name => {
  const text = TEXTS.get(name)!;
  const [, summary = ''] = /^# [a-z-]+: (.+)/.exec(text) ?? [];
  const figures = name === 'capacity' ? `\n${TEXTS.get('capacity/figures')}` : '';
  return { name, summary, text: (text + figures).trimEnd() };
});
