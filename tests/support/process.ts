import { expect, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEventLog, type LogLevel } from '../../src/server/log.ts';

const newFolders: string[] = [];
process.on('exit', () => Bun.spawnSync(['rm', '-rf', ...newFolders]));

/** A new empty folder, removed when this process exits. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'meridian-'));
  newFolders.push(path);
  return path;
}

/**
 * `test` on machines with these programs; `Linux` and `root` are other requirements. Elsewhere the test is skipped. Its name
 * says what it requires.
 */
export function requiring(...needs: readonly string[]) {
  const has = (need: string) => {
    if (need === 'Linux') return process.platform === 'linux';
    return need === 'root' ? process.getuid?.() === 0 : Bun.which(need) !== null;
  };
  return given(needs.every(has), needs.join(', '));
}

/** `test` where a requirement is met, like {@link requiring}. */
export function given(isMet: boolean, requirement: string) {
  // `skipIf` is called for each test, since that sets the timeout (timeout.ts).
  return (claim: string, body: () => void | Promise<void>) =>
    test.skipIf(!isMet)(`${claim} (requires ${requirement})`, body);
}

export const onLinux = requiring('Linux');

/** Polls until a condition holds; a test that waits in vain is ended by its timeout. */
export async function until(holds: () => boolean | Promise<boolean>, pollMs = 10): Promise<void> {
  while (!(await holds())) await Bun.sleep(pollMs);
}

/** Polls until a condition holds, and fails if it does not after some milliseconds. */
export async function within(ms: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + ms;
  for (let isLate = false; !(await holds()); await Bun.sleep(10)) {
    if (isLate) throw new Error(`not within ${ms} ms`);
    isLate = performance.now() > deadlineMs;
  }
}

/** Runs a program to its end; throws with its output unless it exits 0. Returns its stdout. */
export function output(command: readonly string[], cwd = '/tmp'): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd });
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr.toString() + stdout }).toEqual({
    exitCode: 0,
    stderr: '',
  });
  return stdout.toString();
}

/** The executable that `make build` made. */
export const BINARY = join(import.meta.dir, '../../dist/meridian');

/** The default state directory of processes, so that the user's own is not touched. */
const STATE = join(import.meta.dir, '../../dist/test-state');

const ENVIRONMENT = { PATH: process.env['PATH'] ?? '', MERIDIAN_STATE_DIR: STATE };

/** The outcome of a command. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** A command that executes the one after it. */
  readonly through?: readonly string[];
}

/** Runs the binary to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = Bun.spawn([...(options.through ?? []), BINARY, ...args], {
    cwd: options.cwd ?? '/tmp',
    env: { ...ENVIRONMENT, ...options.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/**
 * Commands that must fail: arguments, the exit code, and a part of the only line that they write, which is to stderr; there
 * may be log entries before it.
 */
export async function expectFailures(
  failures: readonly (readonly [args: readonly string[], exitCode: number, message: string])[],
  options: RunOptions = {},
): Promise<void> {
  for (const [args, exitCode, message] of failures) {
    const { stderr, ...outcome } = await run(args, options);
    const lines = stderr.match(/^[^{].*$/gm)?.length;
    expect({ args, ...outcome, lines }).toEqual({ args, exitCode, stdout: '', lines: 1 });
    expect(stderr).toContain(message);
  }
}

/** A server in a separate process; dispose of it to kill it. */
export interface RunningServer {
  /** The URL of its first listener. */
  readonly url: string;
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  /** The URL of `--admin-listen`. */
  readonly adminUrl: string;
  /** What it logs. */
  readonly events: Events;
  /** Stops it with SIGTERM, and returns its exit code. */
  stop(): Promise<number>;
  [Symbol.dispose](): void;
}

/**
 * Starts `meridian serve` on a free port and waits for the line with its URL; `through` is as for {@link run}.
 */
export async function startServer(
  args: readonly string[] = [],
  env: Record<string, string> = {},
  through: readonly string[] = [],
): Promise<RunningServer> {
  const child = Bun.spawn([...through, BINARY, 'serve', '--listen', '127.0.0.1:0', ...args], {
    cwd: '/tmp',
    env: { ...ENVIRONMENT, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const text = await firstOutput(child.stdout);
  let events: Events | undefined;
  return {
    url: /^meridian listening on (\S+)$/m.exec(text)![1]!,
    child,
    adminUrl: / health on (\S+)$/m.exec(text)?.[1] ?? '',
    get events() {
      events ??= eventsOf(child.stderr);
      return events;
    },
    stop() {
      child.kill('SIGTERM');
      return child.exited;
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

/** What a server writes at once when it is serving. */
async function firstOutput(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    text += decoder.decode(value, { stream: true });
    if (/^meridian listening on \S+\n/m.test(text)) {
      reader.releaseLock();
      return text;
    }
    if (done) throw new Error(`the server did not start: ${text}`);
  }
}

/** An event that a server logged, as `--log-format json` writes it. */
interface LoggedEvent {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

type Events = ReturnType<typeof eventsOf>;

/** Reads a server's events from stderr, in order. */
export function eventsOf(stderr: ReadableStream<Uint8Array>) {
  const lines = linesOf(stderr);
  return {
    /** The next event with this message prefix about this item; earlier ones are skipped. */
    async next(message: string, what?: string): Promise<LoggedEvent> {
      const passed: string[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the log ended without '${message}':\n${passed.join('\n')}`);
        const event = JSON.parse(value) as LoggedEvent;
        if (event.message?.startsWith(message) && (what === undefined || event['what'] === what))
          return event;
        passed.push(value);
      }
    },
  };
}

/** An event log, and the events that it has recorded. */
export function recordedEvents(minimumLevel: LogLevel = 'debug') {
  const lines: LoggedEvent[] = [];
  return { log: createEventLog(minimumLevel, 'json', line => lines.push(JSON.parse(line))), lines };
}

/** The lines of a stream, as they arrive. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    yield* lines;
  }
}

/**
 * Replaces a file by a named pipe. Resolves once a process reads it; that process then waits until `resume` writes the contents.
 * Later readers wait for ever, unless the file is replaced again before.
 */
export async function pausedFile(path: string) {
  const pipe = `${path}.pipe`;
  Bun.spawnSync(['mkfifo', pipe]);
  renameSync(pipe, path);
  const writer = await open(path, 'w');
  return {
    async resume(contents: string): Promise<void> {
      await writer.write(contents);
      await writer.close();
    },
  };
}

/** The child processes of a process; none if it has ended. */
export function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? (readFileSync(path, 'utf8').match(/\d+/g) ?? []).map(Number) : [];
}

/** Takes all descriptors of this process, which it limits with `prlimit`, until the result is disposed of. */
export function exhaustDescriptors(): Disposable {
  const prlimit = ['prlimit', '--pid', `${process.pid}`];
  const most = output([...prlimit, '--nofile', '--output', 'SOFT', '--noheadings']).trim();
  output([...prlimit, `--nofile=${Math.max(...readdirSync('/proc/self/fd').map(Number)) + 10}:`]);
  const taken: number[] = [];
  expect(() => {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  }).toThrow('EMFILE');
  return {
    [Symbol.dispose]() {
      for (const descriptor of taken) closeSync(descriptor);
      output([...prlimit, `--nofile=${most}:`]);
    },
  };
}

/** How many sockets a process has. */
export function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const isSocket = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isSocket();
  return readdirSync(folder).filter(isSocket).length;
}

/** The memory of a process, including the touched pages of its executable unless `what` is `RssAnon`. */
export function residentMegabytes(pid: number, what = 'VmRSS'): number {
  const [, kibibytes] = new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )!;
  return (Number(kibibytes) * 1024) / 1e6;
}

/** A currently free port on loopback. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

/** A running proxy, stopped on disposal. */
interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** Starts a proxy in front of a server, and waits until requests reach the server. */
export async function startProxy(
  command: readonly string[],
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Proxy> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  const isReady = () =>
    fetch(`${url}/healthz`, { tls: { rejectUnauthorized: false } })
      .then(({ ok }) => ok)
      .catch(() => false);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}`);
    return await isReady();
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}
