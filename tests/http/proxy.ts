/** A loopback URL whose port was free a moment ago. */
export function freeUrl(): string {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  probe.stop(true);
  return `http://127.0.0.1:${probe.port}`;
}

/** A running proxy, stopped on disposal. */
export interface Proxy extends AsyncDisposable {
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
    fetch(`${url}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}`);
    await Bun.sleep(20);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}
