import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { nextTurn } from '../../src/common/promises.ts';
import type { App } from '../../src/http/app.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { requireKeysIfExposed } from '../../src/server/access.ts';
import { claimAddress, inheritedAddress } from '../../src/server/address_claim.ts';
import { createApp } from '../../src/server/app.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from '../../src/server/listen_address.ts';
import { listen, openListeners } from '../../src/server/listener.ts';
import { NO_SOCKET, openWithSockets, stopListening } from '../../src/server/lossless_close.ts';
import { exchange, type RawResponse } from '../support/clients.ts';
import { exhaustDescriptors, newFolder, onLinux, requiring } from '../support/process.ts';
import { testServer } from '../support/service.ts';

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

test('a successor has the same ports as its predecessor, each for the setting that it was for', () => {
  const [fixed, admin] = [{ ...ANY_PORT, port: 8080 }, { ...ANY_PORT }];
  const settings = { listen: [fixed, ANY_PORT], 'admin-listen': admin };
  const addresses = ['127.0.0.1:8080', '127.0.0.1:4001', '127.0.0.1:4002'];
  const portsOf = (operators: readonly string[], changes = {}, served = addresses) =>
    [fixed, ANY_PORT, admin].map(address => {
      const inherited = { addresses: served, admin: operators };
      return inheritedAddress(address, { ...settings, ...changes }, inherited);
    });
  const at = (port: number) => ({ ...ANY_PORT, port });
  expect(portsOf(['127.0.0.1:4002'])).toEqual([8080, 4001, 4002].map(at));
  // The settings have changed since, or the predecessor does not tell which addresses are the operator's.
  expect(portsOf([], {}, addresses.slice(0, 2))).toEqual([at(8080), at(4001), null]);
  expect(portsOf([], { listen: [fixed] })).toEqual([at(8080), null, null]);
  expect(portsOf(['127.0.0.1:4001'], {}, addresses.slice(0, 2))).toEqual([at(8080), null, at(4001)]);
});

// Without shared ports a claim cannot be held.
onLinux('a port chosen by the system is held until the server listens', async () => {
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
});

onLinux('ports claimed at the same time differ', async () => {
  const claims = await Promise.all(Array.from({ length: 200 }, () => claimAddress(ANY_PORT)));
  const urls = claims.map(({ address }) => JSON.stringify(address));
  for (const { release } of claims) release();
  expect(new Set(urls).size).toBe(claims.length);
});

test('an address used by another process cannot be claimed', async () => {
  const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const claim = claimAddress({ ...ANY_PORT, port: other.port });
  await expect(claim).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${other.port}: the address is already in use`,
  );
  other.stop(true);
});

test('a unix socket that cannot be connected to is not replaced, unless nobody listens on it', async () => {
  const folder = newFolder();
  const address = { kind: 'unix', path: join(folder, 'socket') } as const;
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

const open = () => Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('served') });

onLinux('the sockets of a server are identified, without those opened earlier', async () => {
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
});

requiring('Linux', 'prlimit')(
  'a server whose sockets cannot be found, as no descriptor is free, is closed',
  async () => {
    let url = '';
    let exhausted: Disposable | undefined;
    const openLast = () => {
      const server = open();
      url = `${server.url}`;
      exhausted = exhaustDescriptors();
      return server;
    };
    try {
      expect(() => openWithSockets(openLast)).toThrow('EMFILE');
    } finally {
      exhausted?.[Symbol.dispose]();
    }
    await expect(fetch(url)).rejects.toThrow('Unable to connect');
  },
);

onLinux('a descriptor that has become another socket is not touched', async () => {
  const [server, [socket]] = openWithSockets(open);
  try {
    expect(await stopListening([{ descriptor: socket!.descriptor, link: 'socket:[0]' }])).toBe(false);
    expect(await (await fetch(server.url)).text()).toBe('served');
  } finally {
    await server.stop(true);
  }
});

/** Listens with several workers, each of which responds with its name. */
function openWorkers(address: ListenAddress, name: string, workers: number, isSuccessor = false) {
  return Array.from({ length: workers }, (_, index) => {
    const app = { handle: () => new Response(`${name} ${index}`), routes: {} };
    return listen(address, () => app, null, { workers, isSuccessor });
  });
}

const stopAll = (listeners: ReturnType<typeof openWorkers>, successorWorkers?: number) =>
  Promise.all(listeners.map(listener => listener.stop(successorWorkers)));

/** Who responds to requests, each on a connection of its own. */
async function responders(url: string, requests: number): Promise<Set<string>> {
  const request = async () => (await fetch(url, { keepalive: false })).text();
  return new Set(await Promise.all(Array.from({ length: requests }, request)));
}

for (const [count, successorCount] of [
  [1, 2],
  [2, 1],
  [2, 4],
] as const) {
  onLinux(
    `while ${count} of ${count + successorCount} listeners close, another gets all new connections`,
    async () => {
      const { address, release } = await claimAddress(ANY_PORT);
      const predecessors = openWorkers(address, 'predecessor', count);
      release();
      const successors = openWorkers(address, 'successor', successorCount, true);
      const { url } = successors[0]!;
      const accepted = Promise.withResolvers<void>();
      using sleep = spyOn(Bun, 'sleep');
      for (let worker = 0; worker < count; worker++) sleep.mockReturnValueOnce(accepted.promise);
      const stopping = stopAll(predecessors, successorCount);
      expect(sleep).toHaveBeenCalledTimes(count);
      // Until then, a predecessor would ignore attempts to connect to it.
      expect([...(await responders(url, 20))]).toEqual([expect.stringMatching(/^successor/)]);
      accepted.resolve();
      await stopping;
      expect(await responders(url, 100)).toHaveProperty('size', successorCount);
      await stopAll(successors);
    },
  );
}

onLinux("while workers close, a successor gets all new connections to the operator's address", async () => {
  const { address, release } = await claimAddress(ANY_PORT);
  const settings = {
    listen: [],
    'admin-listen': address,
    'allowed-host': [],
    'public-url': '',
    mcp: 'off',
    compat: 'none',
  } as const;
  const open = (isSuccessor: boolean) => {
    const addresses = { main: [], admin: [address], release };
    return openListeners(addresses, settings, testServer(), null, { workers: 4, isSuccessor });
  };
  const predecessor = await open(false);
  const successor = await open(true);
  const accepted = Promise.withResolvers<void>();
  using sleep = spyOn(Bun, 'sleep');
  sleep.mockReturnValueOnce(accepted.promise);
  const stopping = predecessor.stop(4);
  while (sleep.mock.calls.length === 0) await nextTurn();
  expect((await responders(`${successor.all[0]!.url}/healthz`, 20)).size).toBe(1);
  accepted.resolve();
  await stopping;
  await successor.stop(null);
});

onLinux('a hand-over does not affect the connections of the next one', async () => {
  const { address, release } = await claimAddress(ANY_PORT);
  const first = openWorkers(address, 'first', 1);
  release();
  const second = openWorkers(address, 'second', 2, true);
  const { url } = second[0]!;
  await stopAll(first, 2);
  const third = openWorkers(address, 'third', 2, true);
  expect(await responders(url, 100)).toHaveProperty('size', 4);
  await stopAll(second, 2);
  const older = openWorkers(address, 'older', 3); // of a version that does not know its predecessor's filter
  await stopAll(third, NO_SOCKET);
  expect(await responders(url, 100)).toHaveProperty('size', 3);
  await stopAll(older);
});

const QUERY = '?unix=0&tz=Asia/Tokyo';

const TARGETS = [
  `/v1/time/convert${QUERY}`,
  '/v1/time/convert',
  '/v1/time/convert?',
  `/v1/time/convert/${QUERY}`,
  `//v1/time/convert${QUERY}`,
  `/v1//time/convert${QUERY}`,
  `/v1/./time/convert${QUERY}`,
  `/v1/x/../time/convert${QUERY}`,
  `/v1/time/CONVERT${QUERY}`,
  `/v1/time/conver%74${QUERY}`,
  `/v1%2Ftime%2Fconvert${QUERY}`,
  `/v1/time/convert;x${QUERY}`,
  `/v1/time/convert%00${QUERY}`,
  `/v1/time/convert${QUERY}#fragment`,
  `http://localhost/v1/time/convert${QUERY}`,
  `v1/time/convert${QUERY}`,
  ...['/zone/Europe/Paris', '/healthz', '/', '//', '/?tz=UTC', '*'],
];
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'TRACE', 'get'];
const HOSTS = ['Host: localhost\r\n', 'Host: a\r\n', 'Host: a,b\r\n', 'Host: [::1\r\n', ''];

/** Opens a listener on a port of its own. */
async function openListener(app: Pick<App, 'handle' | 'routes'>) {
  const { address, release } = await claimAddress(ANY_PORT);
  const listener = listen(address, () => app);
  release();
  return { port: Number(new URL(listener.url).port), ...listener };
}

const NO_RESPONSE: RawResponse = { status: 0, headers: new Map(), body: '' };

/** The response to a request on a connection of its own, without its date. */
async function responseTo(request: string, port: number) {
  const { responses, rest } = await exchange(port, request);
  const [{ status, headers, body } = NO_RESPONSE] = responses;
  return { status, headers: [...headers].filter(([name]) => name !== 'date'), body, rest };
}

test("Bun's router finds the endpoints that Elysia finds, and no others", async () => {
  const app = createApp(testServer(), { isAllowedHost: host => host !== 'a' });
  const routed = await openListener(app);
  const unrouted = await openListener({ ...app, routes: {} });
  const statuses = new Set<number>();
  const heads = ['1.1', '1.0'].flatMap(version => HOSTS.map(host => ` HTTP/${version}\r\n${host}`));
  for (const method of METHODS) {
    const requests = TARGETS.flatMap(target =>
      heads.map(head => `${method} ${target}${head}X-Request-Id: one\r\nConnection: close\r\n\r\n`),
    );
    await Promise.all(
      requests.map(async request => {
        const expected = await responseTo(request, unrouted.port);
        const response = await responseTo(request, routed.port);
        expect({ request, response }).toEqual({ request, response: expected });
        statuses.add(response.status);
      }),
    );
  }
  await Promise.all([routed.stop(), unrouted.stop()]);
  for (const status of [200, 204, 400, 404, 405, 421]) expect(statuses).toContain(status);
});

test.each([
  ...['127.0.0.1:1', '127.8.9.1:1', 'localhost:1', 'LOCALHOST:1', '[::1]:1', '[::ffff:127.0.0.1]:1'],
  'unix:/run/x',
])('%p is reachable only from this machine', text => expect(isLoopback(parseListenAddress(text))).toBe(true));

test.each([
  ...['0.0.0.0:1', '[::]:1', '10.0.0.1:1', '128.0.0.1:1', 'example.com:1', '127.example.com:1'],
  '[::ffff:10.0.0.1]:1',
])('%p may be reachable from other machines', text =>
  expect(isLoopback(parseListenAddress(text))).toBe(false),
);

test('an exposed server requires API keys or --open', () => {
  const requirement = (isOpen: boolean, open: boolean, listen: string[], proxies: string[]) => {
    const [addresses, trusted] = [listen.map(parseListenAddress), parseTrustedProxies(proxies)];
    const settings = { open, listen: addresses, 'trust-proxy': trusted };
    return expect(() => requireKeysIfExposed(settings, { isOpen }));
  };
  requirement(true, false, ['127.0.0.1:1', 'unix:/run/x'], []).not.toThrow();
  requirement(true, false, ['127.0.0.1:1', '0.0.0.0:80'], []).toThrow(
    'Cannot listen on 0.0.0.0:80 without API keys',
  );
  requirement(true, false, ['127.0.0.1:1'], ['127.0.0.1']).toThrow(
    'Cannot serve behind --trust-proxy without API keys',
  );
  for (const listen of [['0.0.0.0:80'], ['unix:/run/x']]) {
    requirement(true, true, listen, ['unix']).not.toThrow();
    requirement(false, false, listen, ['unix']).not.toThrow();
  }
});
