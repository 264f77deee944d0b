import { isAbsolute, resolve } from 'node:path';
import { isLoopback, type ListenAddress } from '../server/listening/listen_address.ts';
import type { FlagTable } from './flags.ts';
import { environmentVariable, type SettingTexts } from './settings.ts';

/** What a unit is made for. */
export interface UnitRequest {
  /** The absolute path of the executable. */
  readonly executable: string;
  /** The table of the flags of `serve`. */
  readonly flags: FlagTable;
  /** The texts that were given for some of them, and those that the file of `--config` holds. */
  readonly given: SettingTexts;
  readonly inFile: SettingTexts;
  /** All addresses that these and the defaults come to, that for administrators included. */
  readonly listen: readonly ListenAddress[];
  readonly workers: number;
  readonly logsAllRequests: boolean;
  /** What relative paths are relative to. */
  readonly directory: string;
}

/**
 * Files that root alone may read, or that belong to one of those: systemd hands copies of them to the service. The
 * certificate goes with its key, so that the two stay a pair.
 */
const SECRET_FILES: ReadonlySet<string> = new Set([
  'config',
  'api-key-file',
  'marketplace-keys',
  'tls-cert',
  'tls-key',
]);
/** Values that are secrets themselves, and where they go instead of into the unit, which everyone may read. */
const SECRETS_FILE = '/etc/meridian/secrets';
const SECRET_VALUES: ReadonlySet<string> = new Set(['api-key', 'redis']);

/** The text of a systemd unit that runs the server with all the doors closed that it does not need. */
export function systemdUnit(request: UnitRequest): string {
  const { listen, workers, given, inFile, logsAllRequests } = request;
  const isLocal = listen.every(isLoopback) && !given.has('redis') && !inFile.has('redis');
  const needsLowPort = listen.some(
    address => address.kind === 'tcp' && address.port > 0 && address.port < 1024,
  );
  const sections = [
    unitSection(),
    serviceSection(request),
    stateSection(listen),
    secretsSection(request),
    hardeningSection(needsLowPort),
    networkSection(isLocal),
    workers > 1
      ? ['# A worker that memory runs out for is replaced; the others go on.', 'OOMPolicy=continue']
      : [],
    logsAllRequests
      ? ['# The access log would otherwise be cut, and the events with it.', 'LogRateLimitIntervalSec=0']
      : [],
    ['[Install]', 'WantedBy=multi-user.target'],
  ];
  return sections
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n');
}

function unitSection(): string[] {
  return [
    '# /etc/systemd/system/meridian.service',
    '[Unit]',
    'Description=meridian, the time over HTTP',
    '# Not before the clock is right, where something on this host waits for that.',
    'Wants=time-sync.target network-online.target',
    'After=time-sync.target network-online.target',
  ];
}

function serviceSection(request: UnitRequest): string[] {
  const words = [escapedPercent(request.executable), 'serve', ...serveArguments(request)];
  return [
    '[Service]',
    'Type=notify',
    `ExecStart=${words.map(quotedWord).join(' ')}`,
    credentials(request).length === 0
      ? '# Reads the data files that the flags name anew; no request is dropped.'
      : '# Reads the data files that the flags name anew, but for LoadCredential= below; no request is dropped.',
    'ExecReload=kill -HUP $MAINPID',
    'WatchdogSec=30s',
    'WatchdogSignal=SIGKILL',
    'Restart=on-failure',
    'RestartSec=1s',
    '# Workers are stopped by the main process, which lets requests in flight finish for ten seconds.',
    'KillMode=mixed',
    'TimeoutStopSec=20s',
    'LimitNOFILE=65536',
  ];
}

function stateSection(listen: readonly ListenAddress[]): string[] {
  const inRun = listen.some(address => address.kind === 'unix' && address.path.startsWith('/run/meridian/'));
  return [
    '# A user of its own that exists only while it runs, and /var/lib/meridian, the one place that it writes to.',
    'DynamicUser=yes',
    'StateDirectory=meridian',
    'StateDirectoryMode=0700',
    ...(inRun ? ['RuntimeDirectory=meridian'] : []),
    'UMask=0077',
  ];
}

/**
 * The flags as they were given, with absolute paths and without secrets; and those of the file whose text means
 * something else to the service: a path that is relative, or that systemd copies.
 */
function serveArguments({ flags, given, inFile, directory }: UnitRequest): string[] {
  const fromFile = [...inFile].filter(
    ([name, texts]) =>
      !given.has(name) && (SECRET_FILES.has(name) || (isPath(name) && !isAbsolute(texts.at(-1)!))),
  );
  return [...given, ...fromFile]
    .filter(([name]) => !SECRET_VALUES.has(name))
    .flatMap(([name, texts]) => texts.map(text => argument(name, text)));
  function isPath(name: string): boolean {
    return ['FILE', 'DIR'].includes(flags[name]?.argument ?? '');
  }
  function argument(name: string, text: string): string {
    const isSwitch = flags[name]?.argument === null;
    if (isSwitch) return text === 'true' ? `--${name}` : `--${name}=${text}`;
    if (SECRET_FILES.has(name)) return `--${name}=%d/${name}`;
    return `--${name}=${escapedPercent(isPath(name) ? resolve(directory, text) : text)}`;
  }
}

/** `NAME:PATH` of every file that systemd copies for the service. */
function credentials({ given, inFile, directory }: UnitRequest): string[] {
  return [...given, ...[...inFile].filter(([name]) => !given.has(name))]
    .filter(([name]) => SECRET_FILES.has(name))
    .map(([name, texts]) => `${name}:${escapedPercent(resolve(directory, texts.at(-1)!))}`);
}

function secretsSection(request: UnitRequest): string[] {
  const { given } = request;
  const files = credentials(request);
  const values = [...given.keys()].filter(name => SECRET_VALUES.has(name));
  return [
    ...(files.length === 0 ? [] : CREDENTIALS_NOTE),
    ...(given.has('config') ? [CONFIG_NOTE] : []),
    ...files.map(file => `LoadCredential=${file}`),
    ...(values.length === 0
      ? []
      : [
          `# Secrets stay out of this file. Mode 0600, owned by root: ${values.map(name => `${environmentVariable(name)}=...`).join(', ')}`,
          `EnvironmentFile=${SECRETS_FILE}`,
        ]),
  ];
}

const CREDENTIALS_NOTE = [
  '# Copies of files that only root may read, made at the start: a changed one takes a restart. From systemd 260 on',
  "# 'RefreshOnReload=credentials' here lets a reload copy them anew; older ones do not know it.",
];
const CONFIG_NOTE =
  '# What the settings of --config need is in this unit, too: after a change of them print it anew.';

function hardeningSection(needsLowPort: boolean): string[] {
  return [
    '# Nothing of the system but reading.',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'PrivateMounts=yes',
    'ProtectHostname=yes',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelLogs=yes',
    'ProtectControlGroups=yes',
    'ProtectProc=invisible',
    'ProcSubset=pid',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RemoveIPC=yes',
    'LockPersonality=yes',
    'NoNewPrivileges=yes',
    ...(needsLowPort
      ? [
          '# To listen on a port below 1024; a private user namespace would not let it.',
          'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
          'AmbientCapabilities=CAP_NET_BIND_SERVICE',
        ]
      : ['PrivateUsers=yes', 'CapabilityBoundingSet=']),
    '# MemoryDenyWriteExecute= is missing because JavaScript is compiled while it runs, ProtectClock= because it would',
    '# forbid to ask whether the clock is right; to set it would take a capability that the service does not have.',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    'SystemCallFilter=adjtimex clock_adjtime',
    'SystemCallErrorNumber=EPERM',
  ];
}

function networkSection(isLocal: boolean): string[] {
  const families = 'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX';
  if (!isLocal) return [families];
  return [families, '# It serves this machine alone.', 'IPAddressDeny=any', 'IPAddressAllow=localhost'];
}

/** Systemd replaces `%` and a letter in a unit. */
function escapedPercent(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line in a unit: in quotes where it holds more than harmless characters. */
function quotedWord(word: string): string {
  const escaped = word.replaceAll('$', '$$$$');
  if (/^[\w%./:=@,+$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
