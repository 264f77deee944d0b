import { expect, test } from 'bun:test';
import { openWithSockets, stopListening } from '../../src/server/lossless_close.ts';

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
