import { join } from 'node:path';

/** The program of Redis or Valkey, null where neither is installed. */
export const REDIS_PROGRAM = Bun.which('redis-server') ?? Bun.which('valkey-server');

/** A Redis server of a test's own, on a unix socket; `kill` and `start` as often as wanted. */
export class RedisServer {
  readonly url: string;
  readonly #folder: string;
  #child: Bun.Subprocess | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.url = `redis+unix://${join(folder, 'redis.sock')}`;
  }

  /** Starts it and waits until it is ready. What it has acknowledged survives `kill`. */
  async start(): Promise<void> {
    const socket = join(this.#folder, 'redis.sock');
    const options = ['--port', '0', '--unixsocket', socket, '--dir', this.#folder, '--save', ''];
    this.#child = Bun.spawn([REDIS_PROGRAM!, ...options, '--appendonly', 'yes', '--appendfsync', 'no'], {
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of this.#child.stdout as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (/ready to accept connections/i.test(text)) return;
    }
    throw new Error(`redis-server did not start: ${text}`);
  }

  /** Kills it without notice. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#child?.exited;
  }

  /** Stops it in its tracks, connections open, or lets it go on. */
  freeze(frozen: boolean): void {
    this.#child?.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
