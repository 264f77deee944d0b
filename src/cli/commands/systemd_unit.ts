import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { UsageError } from '../../common/errors.ts';
import { isLoopback } from '../../server/listen_address.ts';
import { defineCommand, note } from '../command.ts';
import { SERVE_FLAGS, SERVE_TABLE } from '../flags.ts';
import { filled } from '../report.ts';
import { type CommandLine, checkConflicts, environmentVariable, type SettingTexts } from '../settings.ts';

type ServeLine = CommandLine<typeof SERVE_FLAGS>;

export const systemdUnitCommand = defineCommand({
  name: 'systemd-unit',
  synopsis: '[flags of serve]',
  summary: 'print a hardened systemd unit for this binary and these flags',
  flags: SERVE_FLAGS,
  ignoresEnvironment: true,
  settingsNote:
    'Flags can also be set by name in the --config file; a flag overrides it. The environment of this shell is not used, since the service does not inherit it.',
  async run(line, context) {
    if (line.settings['state-dir'] !== null)
      throw new UsageError('--state-dir: the state directory of the unit is /var/lib/meridian');
    checkConflicts(line);
    context.print(systemdUnit(line));
    // The service will not have this environment.
    const names = Object.keys(SERVE_FLAGS).filter(name => !line.given.has(name));
    const unused = names.map(environmentVariable).filter(variable => context.environment[variable]);
    if (unused.length > 0) note(`the unit does not include the environment: ${unused.join(', ')}`);
    return 0;
  },
});

/** A systemd unit that grants the server only what it needs. */
function systemdUnit(line: ServeLine): string {
  const { settings, given, inFile } = line;
  const listen = [...settings.listen, settings['admin-listen']].filter(address => address !== null);
  const isOutbound = [...given.keys(), ...inFile.keys()].some(name => SERVE_TABLE[name]?.isOutbound);
  const isLocal = listen.every(isLoopback) && !isOutbound;
  const usesLowPort = listen.some(at => at.kind === 'tcp' && at.port > 0 && at.port < 1024);
  const usesRunDirectory = listen.some(at => at.kind === 'unix' && at.path.startsWith('/run/meridian/'));
  const executable = escapedPercent(realpathSync(process.execPath));
  const copiedFiles = credentials(line);
  return filled('meridian.service', {
    executable: quotedWord(executable),
    command: [executable, 'serve', ...serveArguments(line)].map(quotedWord).join(' '),
    exception: copiedFiles.length > 0 ? ', except those of LoadCredential= below' : '',
    runtimeDirectory: usesRunDirectory ? 'RuntimeDirectory=meridian' : '',
    secrets: secretsSection(given, copiedFiles),
    privileges: usesLowPort ? LOW_PORT : 'PrivateUsers=yes\nCapabilityBoundingSet=',
    network: isLocal ? LOCAL_ONLY : '',
    workers: settings.workers > 1 ? REPLACED_WORKERS : '',
    accessLog: settings['access-log'] === 'all' ? UNLIMITED_LOG : '',
  });
}

const LOW_PORT = `# For a port below 1024, which a private user namespace would not permit.
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE`;
const LOCAL_ONLY = '# Serves this machine only.\nIPAddressDeny=any\nIPAddressAllow=localhost';
const REPLACED_WORKERS =
  '# A worker killed for lack of memory is replaced; the others continue.\nOOMPolicy=continue';
const UNLIMITED_LOG =
  '# The access log would exceed the rate limit, which also drops events.\nLogRateLimitIntervalSec=0';

/**
 * The flags as given, with absolute paths and without secrets, followed by the settings in the file that the service would
 * resolve differently: relative paths, and files that systemd copies.
 */
function serveArguments({ given, inFile }: ServeLine): string[] {
  const isResolved = (name: string, texts: readonly string[]) =>
    isSecret(name, 'file') || (isPath(name) && !texts.every(isAbsolute));
  const fromFile = [...inFile].filter(([name, texts]) => !given.has(name) && isResolved(name, texts));
  return [...given, ...fromFile]
    .filter(([name]) => !isSecret(name, 'value'))
    .flatMap(([name, texts]) => texts.map(text => argument(name, text)));

  function argument(name: string, text: string): string {
    const isSwitch = SERVE_TABLE[name]?.argument === null;
    if (isSwitch) return text === 'true' ? `--${name}` : `--${name}=${text}`;
    if (isSecret(name, 'file')) return `--${name}=%d/${name}`;
    return `--${name}=${escapedPercent(isPath(name) ? resolve(text) : text)}`;
  }
}

function isPath(name: string): boolean {
  return ['FILE', 'DIR'].includes(SERVE_TABLE[name]?.argument ?? '');
}

function isSecret(name: string, kind: 'value' | 'file'): boolean {
  return SERVE_TABLE[name]?.secret === kind;
}

/** `NAME:PATH` for every file that systemd copies for the service. */
function credentials({ given, inFile }: ServeLine): string[] {
  return [...new Map([...inFile, ...given])]
    .filter(([name]) => isSecret(name, 'file'))
    .map(([name, texts]) => `${name}:${escapedPercent(resolve(texts.at(-1)!))}`);
}

function secretsSection(given: SettingTexts, credentials: readonly string[]): string {
  const values = [...given.keys()].filter(name => isSecret(name, 'value'));
  const assignments = values.map(name => `${environmentVariable(name)}=...`).join(', ');
  return [
    ...(credentials.length > 0 ? [CREDENTIALS_NOTE] : []),
    ...(given.has('config') ? [CONFIG_NOTE] : []),
    ...credentials.map(credential => `LoadCredential=${credential}`),
    ...(values.length > 0 ? [`${SECRETS_NOTE} ${assignments}`, `EnvironmentFile=${SECRETS_FILE}`] : []),
  ].join('\n');
}

/** Holds the values of secret flags, since units are world-readable. */
const SECRETS_FILE = '/etc/meridian/secrets';
const SECRETS_NOTE = '# Secrets are not in this file. Mode 0600, owned by root:';
const CREDENTIALS_NOTE = `# Copies of root-only files, made at startup: restart after a change. From systemd 260 on,
# 'RefreshOnReload=credentials' here lets a reload copy them again; older versions do not support it.`;
const CONFIG_NOTE =
  '# This unit depends on the settings in the --config file: regenerate it after changing them.';

/** Escapes `%`, which introduces systemd's specifiers. */
function escapedPercent(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line in a unit, quoted unless it consists of harmless characters. */
function quotedWord(word: string): string {
  const escaped = word.replaceAll('$', '$$$$');
  if (/^[\w%./:=@,+$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
