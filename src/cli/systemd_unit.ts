import { isAbsolute, resolve } from 'node:path';
import type { FlagTable } from './flags.ts';
import { isLoopback, type ListenAddress } from './listen_address.ts';
import { environmentVariable } from './settings.ts';

/** What a unit is made for. */
export interface UnitRequest {
  /** The absolute path of the executable. */
  readonly executable: string;
  /** The table of the flags of `serve`, and the texts that were given for some of them. */
  readonly flags: FlagTable;
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** All addresses that the given flags and the defaults come to, that for administrators included. */
  readonly listen: readonly ListenAddress[];
  readonly workers: number;
  /** What relative paths are relative to. */
  readonly directory: string;
}

/** Files that only root may read: systemd hands copies of them to the service. */
const SECRET_FILES: ReadonlySet<string> = new Set(['api-key-file', 'marketplace-keys', 'tls-key']);
/** Values that are secrets themselves, and where they go instead of into the unit, which everyone may read. */
const SECRETS_FILE = '/etc/meridian/secrets';
const SECRET_VALUES: ReadonlySet<string> = new Set(['api-key', 'redis']);

/** The text of a systemd unit that runs the server with all the doors closed that it does not need. */
export function systemdUnit(request: UnitRequest): string {
  const { listen, workers, given } = request;
  const isLocal = listen.every(isLoopback) && !given.has('redis');
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
    given.get('access-log')?.at(-1) === 'all'
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

function serviceSection({ executable, flags, given, directory }: UnitRequest): string[] {
  const args = [...given].flatMap(([name, texts]) => texts.map(text => argument(name, text)));
  function argument(name: string, text: string): string {
    const kind = flags[name]?.argument ?? null;
    if (kind === null) return text === 'true' ? `--${name}` : `--${name}=${text}`;
    if (SECRET_FILES.has(name)) return `--${name}=%d/${name}`;
    const isPath = kind === 'FILE' || kind === 'DIR';
    return `--${name}=${escapedPercent(isPath && !isAbsolute(text) ? resolve(directory, text) : text)}`;
  }
  const shown = args.filter(text => !SECRET_VALUES.has(/^--([\w-]+)/.exec(text)?.[1] ?? ''));
  return [
    '[Service]',
    'Type=notify',
    `ExecStart=${[escapedPercent(executable), 'serve', ...shown].map(quotedWord).join(' ')}`,
    '# Reads keys, certificates and data files anew; no request is dropped.',
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

function secretsSection({ given, directory }: UnitRequest): string[] {
  const files = [...given].filter(([name]) => SECRET_FILES.has(name));
  const values = [...given.keys()].filter(name => SECRET_VALUES.has(name));
  const lines = files.map(
    ([name, texts]) => `LoadCredential=${name}:${escapedPercent(resolve(directory, texts.at(-1)!))}`,
  );
  if (lines.length > 0) {
    lines.unshift(
      '# Copies of files that only root may read, made at the start: a changed one needs a restart.',
    );
  }
  if (values.length > 0) {
    const variables = values.map(name => `${environmentVariable(name)}=...`);
    lines.push(
      `# Secrets stay out of this file. Mode 0600, owned by root: ${variables.join(', ')}`,
      `EnvironmentFile=${SECRETS_FILE}`,
    );
  }
  return lines;
}

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
