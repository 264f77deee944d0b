import { isAbsolute, resolve } from 'node:path';
import { isLoopback, type ListenAddress } from '../server/listening/listen_address.ts';
import { type SERVE_FLAGS, SERVE_TABLE } from './flags.ts';
import { type CommandLine, environmentVariable } from './settings.ts';

/** What a unit is generated for. */
interface UnitRequest extends Pick<CommandLine<typeof SERVE_FLAGS>, 'settings' | 'given' | 'inFile'> {
  /** The absolute path of the executable. */
  readonly executable: string;
  /** The directory that relative paths are relative to. */
  readonly directory: string;
}

/** Holds the values of secret flags, since units are world-readable. */
const SECRETS_FILE = '/etc/meridian/secrets';

/** A systemd unit that grants the server only what it needs. */
export function systemdUnit(request: UnitRequest): string {
  const { settings, given, inFile } = request;
  const listen = [...settings.listen, settings['admin-listen']].filter(address => address !== null);
  const isOutbound = [...given.keys(), ...inFile.keys()].some(name => SERVE_TABLE[name]?.isOutbound);
  const isLocal = listen.every(isLoopback) && !isOutbound;
  const needsLowPort = listen.some(
    address => address.kind === 'tcp' && address.port > 0 && address.port < 1024,
  );
  const sections = [
    UNIT_SECTION,
    serviceSection(request),
    stateSection(listen),
    secretsSection(request),
    hardeningSection(needsLowPort),
    networkSection(isLocal),
    settings.workers > 1
      ? '# A worker killed for lack of memory is replaced; the others continue.\nOOMPolicy=continue'
      : '',
    settings['access-log'] === 'all'
      ? '# The access log would exceed the rate limit, which also drops events.\nLogRateLimitIntervalSec=0'
      : '',
    '[Install]\nWantedBy=multi-user.target',
  ];
  return sections.filter(text => text !== '').join('\n\n');
}

const UNIT_SECTION = `# /etc/systemd/system/meridian.service
[Unit]
Description=meridian, the time over HTTP
# Wait for clock synchronization, if a service on this host provides that target.
Wants=time-sync.target network-online.target
After=time-sync.target network-online.target`;

function serviceSection(request: UnitRequest): string {
  const words = [escapedPercent(request.executable), 'serve', ...serveArguments(request)];
  const exception = credentials(request).length === 0 ? '' : ', except those of LoadCredential= below';
  return `[Service]
Type=notify
ExecStart=${words.map(quotedWord).join(' ')}
# Reloads the data files of the flags${exception}; no request is dropped.
ExecReload=kill -HUP $MAINPID
WatchdogSec=30s
WatchdogSignal=SIGKILL
Restart=on-failure
RestartSec=1s
# The main process stops the workers, which have ten seconds to finish requests in flight.
KillMode=mixed
TimeoutStopSec=20s
LimitNOFILE=65536`;
}

function stateSection(listen: readonly ListenAddress[]): string {
  const inRun = listen.some(address => address.kind === 'unix' && address.path.startsWith('/run/meridian/'));
  return `# A transient user, and /var/lib/meridian, the only writable directory.
DynamicUser=yes
StateDirectory=meridian
StateDirectoryMode=0700
${inRun ? 'RuntimeDirectory=meridian\n' : ''}UMask=0077`;
}

/**
 * The flags as given, with absolute paths and without secrets, followed by those settings of the file whose text would
 * mean something else to the service: relative paths, and files that systemd copies.
 */
function serveArguments({ given, inFile, directory }: UnitRequest): string[] {
  const fromFile = [...inFile].filter(
    ([name, texts]) =>
      !given.has(name) && (isSecret(name, 'file') || (isPath(name) && !isAbsolute(texts.at(-1)!))),
  );
  return [...given, ...fromFile]
    .filter(([name]) => !isSecret(name, 'value'))
    .flatMap(([name, texts]) => texts.map(text => argument(name, text)));

  function argument(name: string, text: string): string {
    const isSwitch = SERVE_TABLE[name]?.argument === null;
    if (isSwitch) return text === 'true' ? `--${name}` : `--${name}=${text}`;
    if (isSecret(name, 'file')) return `--${name}=%d/${name}`;
    return `--${name}=${escapedPercent(isPath(name) ? resolve(directory, text) : text)}`;
  }
}

function isPath(name: string): boolean {
  return ['FILE', 'DIR'].includes(SERVE_TABLE[name]?.argument ?? '');
}

function isSecret(name: string, kind: 'value' | 'file'): boolean {
  return SERVE_TABLE[name]?.secret === kind;
}

/** `NAME:PATH` of every file that systemd copies for the service. */
function credentials({ given, inFile, directory }: UnitRequest): string[] {
  return [...given, ...[...inFile].filter(([name]) => !given.has(name))]
    .filter(([name]) => isSecret(name, 'file'))
    .map(([name, texts]) => `${name}:${escapedPercent(resolve(directory, texts.at(-1)!))}`);
}

function secretsSection(request: UnitRequest): string {
  const { given } = request;
  const files = credentials(request);
  const values = [...given.keys()].filter(name => isSecret(name, 'value'));
  const assignments = values.map(name => `${environmentVariable(name)}=...`).join(', ');
  return [
    ...(files.length === 0 ? [] : [CREDENTIALS_NOTE]),
    ...(given.has('config') ? [CONFIG_NOTE] : []),
    ...files.map(file => `LoadCredential=${file}`),
    ...(values.length === 0
      ? []
      : [
          `# Secrets are not in this file. Mode 0600, owned by root: ${assignments}\nEnvironmentFile=${SECRETS_FILE}`,
        ]),
  ].join('\n');
}

const CREDENTIALS_NOTE = `# Copies of root-only files, made at the start: restart after a change. From systemd 260 on,
# 'RefreshOnReload=credentials' here lets a reload copy them again; older versions do not support it.`;
const CONFIG_NOTE =
  '# This unit depends on the settings in the file of --config: after changing those, generate it again.';

function hardeningSection(needsLowPort: boolean): string {
  const privileges = needsLowPort
    ? `# For a port below 1024, which a private user namespace would not permit.
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE`
    : 'PrivateUsers=yes\nCapabilityBoundingSet=';
  return `# Read-only access to the system.
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
ProcSubset=pid
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
NoNewPrivileges=yes
${privileges}
# No MemoryDenyWriteExecute=, since JavaScript is compiled at run time. No ProtectClock=, which would forbid reading the
# clock's synchronization state; setting the clock takes a capability that the service does not have.
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallFilter=adjtimex clock_adjtime
SystemCallErrorNumber=EPERM`;
}

function networkSection(isLocal: boolean): string {
  const families = 'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX';
  if (!isLocal) return families;
  return `${families}\n# Serves this machine only.\nIPAddressDeny=any\nIPAddressAllow=localhost`;
}

/** Escapes systemd's specifiers, `%` and a letter. */
function escapedPercent(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line in a unit, quoted unless it consists of harmless characters. */
function quotedWord(word: string): string {
  const escaped = word.replaceAll('$', '$$$$');
  if (/^[\w%./:=@,+$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
