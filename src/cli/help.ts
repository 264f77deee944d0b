import type { Command } from './command.ts';
import { COMMON_FLAGS, type Flag, SETTING_NAMES } from './flags.ts';
import { unknownName } from './settings.ts';
import administration from './topics/administration.md' with { type: 'text' };
import agents from './topics/agents.md' with { type: 'text' };
import apiKeys from './topics/api-keys.md' with { type: 'text' };
import backup from './topics/backup.md' with { type: 'text' };
import bundles from './topics/bundles.md' with { type: 'text' };
import caching from './topics/caching.md' with { type: 'text' };
import capacityFigures from './topics/capacity/figures.md' with { type: 'text' };
import capacity from './topics/capacity.md' with { type: 'text' };
import compatibility from './topics/compatibility.md' with { type: 'text' };
import kubernetes from './topics/containers/kubernetes.yml' with { type: 'text' };
import containers from './topics/containers.md' with { type: 'text' };
import dataFiles from './topics/data-files.md' with { type: 'text' };
import limits from './topics/limits.md' with { type: 'text' };
import logging from './topics/logging.md' with { type: 'text' };
import alerts from './topics/monitoring/alerts.yml' with { type: 'text' };
import dashboard from './topics/monitoring/dashboard.json' with { type: 'json' };
import monitoring from './topics/monitoring.md' with { type: 'text' };
import proxies from './topics/proxies.md' with { type: 'text' };
import quotas from './topics/quotas.md' with { type: 'text' };
import redis from './topics/redis.md' with { type: 'text' };
import schedules from './topics/schedules.md' with { type: 'text' };
import serving from './topics/serving.md' with { type: 'text' };
import settings from './topics/settings.md' with { type: 'text' };
import signing from './topics/signing.md' with { type: 'text' };
import cloudInit from './topics/systemd/cloud-init.yml' with { type: 'text' };
import systemd from './topics/systemd.md' with { type: 'text' };
import tls from './topics/tls.md' with { type: 'text' };
import windows from './topics/windows.md' with { type: 'text' };

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

function topicFile(topic: string, name: string): string {
  const files = new Map(Object.entries(TOPIC_FILES[topic] ?? {}));
  const names = [...files.keys()];
  const which = files.size === 0 ? `the topic '${topic}' has no files` : `the files are ${names.join(', ')}`;
  const file = files.get(name);
  if (file === undefined) throw unknownName(`file '${name}'`, name, names, which);
  return file;
}

/** The text of `meridian COMMAND --help`. */
export function commandHelp(command: Command): string {
  const isCommon = ([name]: readonly [string, unknown]) => Object.hasOwn(COMMON_FLAGS, name);
  const flags = Object.entries(command.flags);
  const rows = [...flags.filter(flag => !isCommon(flag)), ...flags.filter(isCommon)].map(flagRow);
  const usage = `Usage: meridian ${command.name} ${command.synopsis}`;
  return `${usage.trimEnd()}

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

/** Files for other programs, printed by `meridian help TOPIC NAME`, by topic and name. */
export const TOPIC_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  containers: { kubernetes: kubernetes.trimEnd() },
  systemd: { 'cloud-init': cloudInit.trimEnd() },
  monitoring: { alerts: alerts.trimEnd(), dashboard: JSON.stringify(dashboard, null, 2) },
};

/** All topics of `meridian help`, in order. A text is `# NAME: SUMMARY`, then Markdown wrapped at 80 columns. */
export const TOPICS = [
  serving,
  settings,
  systemd,
  containers,
  windows,
  proxies,
  caching,
  tls,
  apiKeys,
  administration,
  quotas,
  redis,
  signing,
  dataFiles,
  bundles,
  schedules,
  agents,
  compatibility,
  logging,
  monitoring,
  limits,
  `${capacity}\n${capacityFigures}`,
  backup,
].map(text => {
  const { name = '', summary = '' } = /^# (?<name>[a-z-]+): (?<summary>.+)/.exec(text)?.groups ?? {};
  return { name, summary, text: text.trimEnd() };
});
