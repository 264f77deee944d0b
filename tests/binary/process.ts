import { join } from 'node:path';

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

/** Runs the binary to its end; `through` is a command that executes the one after it. */
export async function run(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; through?: readonly string[] } = {},
): Promise<Outcome> {
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

/** A server in a separate process; dispose of it to kill it. */
export interface RunningServer {
  /** The URL of its first listener. */
  readonly url: string;
  /** What it wrote to stdout until it was serving. */
  readonly lines: readonly string[];
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
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
  const url = /^meridian listening on (\S+)$/m.exec(text)![1]!;
  return { url, lines: text.split('\n'), child, [Symbol.dispose]: () => child.kill('SIGKILL') };
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
