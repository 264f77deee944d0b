import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemReason, UsageError } from '../../common/errors.ts';
import type { ListenAddress } from '../../server/listen_address.ts';
import { ownCommand } from '../../server/programs.ts';
import { defineCommand } from '../command.ts';
import {
  COMMON_FLAGS,
  type Flag,
  fromServe,
  optional,
  parseText,
  SERVE_FLAGS,
  SERVE_TABLE,
  SETTING_NAMES,
  single,
  toggle,
} from '../flags.ts';
import { readCommandLine, type SettingTexts } from '../settings.ts';
import { localUrl } from './health.ts';

const STDIN = 0;

export const initCommand = defineCommand({
  name: 'init',
  synopsis: '[flags]',
  summary: 'write a commented configuration, create the first API key, print the next steps',
  flags: {
    ...COMMON_FLAGS,
    output: single('FILE', 'the configuration file to write', 'meridian.toml', parseText),
    force: toggle('replace an existing file'),
    print: toggle('only print the configuration'),
    'key-name': optional('NAME', 'create an API key with this name'),
    ...fromServe('listen', 'trust-proxy', 'public-url', 'rotate-keys-every', 'workers'),
  },
  ignoresEnvironment: true,
  settingsNote: 'In a terminal, init without flags prompts for the settings.',
  async run({ settings, given }, context) {
    const path = resolve(settings.output);
    if (existsSync(path) && !settings.force && !settings.print)
      throw new UsageError(`${path} exists; --force replaces it, --output writes another file`);
    const isInteractive = given.size === 0 && context.isTerminal(STDIN);
    const texts = new Map([...given, ...(isInteractive ? askQuestions() : [])]);
    const ofServer = [...texts].filter(([name, [text]]) => Object.hasOwn(SERVE_FLAGS, name) && text !== '');
    const config = configText(new Map(ofServer));
    const sources = { environment: {}, readConfig: () => config };
    const { settings: server } = readCommandLine(SERVE_FLAGS, ['--config=init'], sources);
    if (settings.print) {
      context.print(config.trimEnd());
      return 0;
    }
    writeConfig(path, config);
    const name = texts.get('key-name')?.at(-1) ?? '';
    context.print(`wrote ${path}`);
    const key = name === '' ? null : addApiKey(path, name);
    if (key !== null) context.print(`API key of '${name}', shown only once: ${key}`);
    context.print(nextSteps(path, server.listen[0]!, key !== null)); // the parser accepts no empty list
    return 0;
  },
});

/** The prompts: flag, text and default. */
const QUESTIONS = [
  ['listen', 'Address to listen on', '127.0.0.1:8080'],
  ['trust-proxy', 'Addresses of reverse proxies in front of it (CIDR,…), empty for none', ''],
  ['public-url', 'Public URL of this server, empty for none', ''],
  ['rotate-keys-every', 'Age at which the signing key is rotated, empty for never', '90d'],
  ['key-name', 'Name of the first API key, empty for none', 'first app'],
] as const;

function askQuestions() {
  return QUESTIONS.map(([name, question, fallback]) => {
    const reply = prompt(`${question}${fallback === '' ? '' : ` [${fallback}]`}:`);
    return [name, [reply?.trim() || fallback]] as const;
  });
}

/** Writes a file that others cannot read, since secrets may be added to it. */
function writeConfig(path: string, config: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (existsSync(path)) chmodSync(path, statSync(path).mode & 0o770); // the group may be the server's
    writeFileSync(path, config, { mode: 0o600 });
  } catch (error) {
    throw new Error(`Cannot write '${path}': ${systemReason(error)}`);
  }
}

/** Adds a key in a separate process, since `tokens` run by root switches to the owner of the state directory. */
function addApiKey(config: string, name: string): string {
  const command = ownCommand(['tokens', 'add', `--name=${name}`, `--config=${config}`]);
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  const problem = String(stderr).trim();
  if (exitCode !== 0) throw new Error(problem.replace(/^meridian: /, ''));
  return String(stdout).trim();
}

function nextSteps(config: string, address: ListenAddress, hasKey: boolean): string {
  const credential = hasKey ? "-H 'Authorization: Bearer KEY' " : '';
  const socket = address.kind === 'unix' ? `--unix-socket ${address.path} ` : '';
  const request = `curl ${credential}${socket}'${localUrl(address, false)}/v1/time/current?tz=Asia/Tokyo'`;
  return `next:
  meridian check --config ${config}
  meridian serve --config ${config}     # or, from a package: systemctl restart meridian
  ${request}`;
}

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
