import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { claimAddress, listen } from '../../src/server/listener.ts';
import { openWithSockets, stopListening } from '../../src/server/lossless_close.ts';
import { temporaryFolder } from '../support/process.ts';

const ANY_PORT = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;

/** Opens an exclusive port; null if another socket has it. */
function openAlone(port: number): Disposable | null {
  try {
    const socket = Bun.listen({ hostname: '127.0.0.1', port, exclusive: true, socket: { data() {} } });
    return { [Symbol.dispose]: () => socket.stop(true) };
  } catch (error) {
    expect(error).toHaveProperty('code', 'EADDRINUSE');
    return null;
  }
}

// Without shared ports a claim cannot be held.
test.skipIf(process.platform !== 'linux')(
  'a port chosen by the system is held until the server listens (requires Linux)',
  async () => {
    const { address, release } = await claimAddress(ANY_PORT);
    if (address.kind === 'unix') throw new Error('It is a port');
    expect(openAlone(address.port)).toBeNull();
    const listener = listen(address, () => ({ handle: () => new Response('ours'), routes: {} }));
    release();
    for (let request = 0; request < 20; request++) {
      const response = await fetch(listener.url, { headers: { Connection: 'close' } });
      expect(await response.text()).toBe('ours');
    }
    await listener.stop();
    using alone = openAlone(address.port);
    expect(alone).not.toBeNull();
  },
);

test.skipIf(process.platform !== 'linux')(
  'ports claimed at the same time differ (requires Linux)',
  async () => {
    const claims = await Promise.all(Array.from({ length: 200 }, () => claimAddress(ANY_PORT)));
    const urls = claims.map(({ address }) => JSON.stringify(address));
    for (const { release } of claims) release();
    expect(new Set(urls).size).toBe(claims.length);
  },
);

test('an address used by another process cannot be claimed', async () => {
  const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const claim = claimAddress({ ...ANY_PORT, port: other.port });
  await expect(claim).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${other.port}: the address is already in use`,
  );
  other.stop(true);
});

test('a unix socket that cannot be connected to is not replaced, unless nobody listens on it', async () => {
  using folder = temporaryFolder();
  const address = { kind: 'unix', path: join(folder.path, 'socket') } as const;
  const other = Bun.listen({ unix: address.path, socket: { data() {} } });
  using connect = spyOn(Bun, 'connect');
  const failing = (code: string) =>
    connect.mockImplementationOnce(() => Promise.reject(Object.assign(new Error('failed'), { code })));
  failing('EACCES');
  await expect(claimAddress(address)).rejects.toThrow(
    `Cannot listen on unix:${address.path}: permission denied`,
  );
  failing('ECONNREFUSED');
  expect((await claimAddress(address)).address).toEqual(address);
  other.stop(true);
});

const isLinux = process.platform === 'linux';
const open = () => Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('served') });

test.if(isLinux)(
  'the sockets of a server are identified, without those opened earlier (requires Linux)',
  async () => {
    const [earlier] = openWithSockets(open);
    const [server, sockets] = openWithSockets(open);
    try {
      expect(sockets).toHaveLength(1);
      expect(await stopListening(sockets)).toBe(true);
      expect(await stopListening(sockets)).toBe(false);
      expect(await (await fetch(earlier.url)).text()).toBe('served');
    } finally {
      await earlier.stop(true);
      await server.stop(true);
    }
  },
);

test.if(isLinux)('a descriptor that has become another socket is not touched (requires Linux)', async () => {
  const [server, [socket]] = openWithSockets(open);
  try {
    expect(await stopListening([{ descriptor: socket!.descriptor, link: 'socket:[0]' }])).toBe(false);
    expect(await (await fetch(server.url)).text()).toBe('served');
  } finally {
    await server.stop(true);
  }
});
