import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { parseChecked } from '../common/checked_json.ts';
import { fileExists, replaceFileSync } from '../common/state_files.ts';

const Report = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  /** The numbers of reloads started and finished; the result is that of the last finished one. */
  started: Type.Integer(),
  finished: Type.Integer(),
  failures: Type.Array(Type.Object({ what: Type.String(), error: Type.String() })),
  /** Changed settings that require a new process. */
  pending: Type.Array(Type.String()),
  /** How many upgrades have failed, and why the last one did. */
  failedUpgrades: Type.Integer(),
  upgradeError: Type.String(),
  /** The process that has taken over. */
  successor: Type.Optional(Type.Integer()),
});

/**
 * The results of signals to a running server. `meridian reload`, which systemd runs, and `meridian upgrade` poll them, since a
 * signal returns no result.
 */
export type ServerReport = Static<typeof Report>;

/** The result of a reload. */
export type ReloadResult = Pick<ServerReport, 'failures' | 'pending'>;

/** Data that could not be reloaded, so that the old data remains in use. */
export type ReloadFailure = ReloadResult['failures'][number];

const Upgrade = Type.Object({ program: Type.Union([Type.String(), Type.Null()]) });

/** The program that is to take over from a server (null for the server's own), which reads it on SIGUSR2. */
export type UpgradeRequest = Static<typeof Upgrade>;

/** The files in a state directory by which commands control a server. */
export interface ControlFiles {
  readonly pid: number;
  /** When the process started. */
  readonly start: string;
  readonly report: string;
  readonly upgrade: string;
}

/**
 * Their names contain the start of the process too, since ids are reused, and the namespace of its id: containers may share a
 * state directory.
 */
const NAME = /^(?<kind>server|upgrade)-(?<pid>[1-9]\d*)-(?<start>\w+)-(?<namespace>\d+)\.json$/;

/** The control files of this process; null on Windows, which has no signals. */
export function ownControlFiles(stateDirectory: string): ControlFiles | null {
  const start = startOf(process.pid);
  return start === null ? null : controlFiles(stateDirectory, process.pid, start);
}

function controlFiles(stateDirectory: string, pid: number, start: string): ControlFiles {
  const pathOf = (kind: string) => join(stateDirectory, `${kind}-${pid}-${start}-${pidNamespace()}.json`);
  return { pid, start, report: pathOf('server'), upgrade: pathOf('upgrade') };
}

/** Whether the process is running, and not another one with its id. */
export function isRunning({ pid, start }: Pick<ControlFiles, 'pid' | 'start'>): boolean {
  return startOf(pid) === start;
}

/** The control files of older versions, which all servers with a state directory shared, and which outlived them. */
export function olderFiles(stateDirectory: string) {
  return { report: join(stateDirectory, 'reload.json'), upgrade: join(stateDirectory, 'upgrade.json') };
}

/** The servers of this namespace that are running with a state directory and have no successor, as far as their reports tell. */
export function runningServers(stateDirectory: string): ControlFiles[] {
  const servers = namedFiles(stateDirectory)
    .filter(({ kind, files }) => kind === 'server' && isRunning(files))
    .map(({ files }) => files)
    .filter(({ report }) => !hasSuccessor(report));
  const older = olderServer(stateDirectory);
  return servers.length > 0 || older === null ? servers : [older];
}

/** Removes the control files of servers of this namespace that were killed. */
export function removeLeftovers(stateDirectory: string): void {
  const leftovers = namedFiles(stateDirectory).filter(({ files }) => !isRunning(files));
  const older = olderServer(stateDirectory) === null ? Object.values(olderFiles(stateDirectory)) : [];
  for (const path of [...leftovers.map(({ path }) => path), ...older]) rmSync(path, { force: true });
}

function hasSuccessor(report: string): boolean {
  try {
    return readServerReport(report)?.successor !== undefined;
  } catch {
    return false; // whoever uses the damaged report learns why
  }
}

/** The control files of this namespace. Process ids in others mean nothing here. */
function namedFiles(stateDirectory: string) {
  const names = fileExists(stateDirectory) ? readdirSync(stateDirectory) : [];
  return names.flatMap(name => {
    const { kind, pid, start, namespace } = NAME.exec(name)?.groups ?? {};
    if (pid === undefined || start === undefined || namespace !== pidNamespace()) return [];
    return [
      { path: join(stateDirectory, name), kind, files: controlFiles(stateDirectory, Number(pid), start) },
    ];
  });
}

/** The unit of start times in `/proc/PID/stat`, `USER_HZ`. */
const MS_PER_TICK = 10;
/** The time origin of this process is somewhat later than its start. */
const TOLERANCE_MS = 5000;

/** A running server of an older version: the process with its id had started when its report was written. Null except on Linux. */
function olderServer(stateDirectory: string): ControlFiles | null {
  const files = olderFiles(stateDirectory);
  try {
    const { pid } = readServerReport(files.report)!; // if there is none, this throws too
    const start = startOf(pid);
    if (pid === 1 || start === null) return null;
    const startMs = performance.timeOrigin + (Number(start) - Number(startOf(process.pid))) * MS_PER_TICK;
    return statSync(files.report).mtimeMs + TOLERANCE_MS >= startMs ? { pid, start, ...files } : null;
  } catch {
    return null;
  }
}

/** When a process started, as text, which no other process with its id has; null if it is not running, and on Windows. */
function startOf(pid: number): string | null {
  if (process.platform === 'win32') return null;
  if (process.platform !== 'linux') {
    const env = { LC_ALL: 'C', TZ: 'UTC0' };
    const { stdout } = Bun.spawnSync(['/bin/ps', '-o', 'lstart=', '-p', String(pid)], { env });
    return stdout.toString().replaceAll(/\W/g, '') || null;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8'); // proc_pid_stat(5); the name in parentheses may contain any character
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : fields[18]!;
  } catch {
    return null;
  }
}

/** The inode of this process's pid namespace (pid_namespaces(7)), unique while it exists; `0` on systems without them. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '0';
  }
}

/** The last report in a file; undefined if it does not exist. Throws an Error if it is damaged or cannot be read. */
export function readServerReport(path: string): ServerReport | undefined {
  return fileExists(path) ? parseChecked(Report, readFileSync(path, 'utf8'), path) : undefined;
}

/** The last request in a file, like {@link readServerReport}; removes it, so that another signal does not repeat it. */
export function takeUpgradeRequest(path: string): UpgradeRequest | undefined {
  try {
    return fileExists(path) ? parseChecked(Upgrade, readFileSync(path, 'utf8'), path) : undefined;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Replaces a control file. Throws the system's error if it cannot be written. */
export function writeControlFile(path: string, contents: ServerReport | UpgradeRequest): void {
  replaceFileSync(path, JSON.stringify(contents));
}
