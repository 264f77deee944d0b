import { describe, expect, test } from 'bun:test';
import type { ErrorBody } from '../../src/http/errors.ts';
import { hostCheck } from '../../src/http/host.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { createApp } from '../../src/server/app.ts';
import { expectAll, get } from '../support/responses.ts';
import { app, keyedAccess, type ServerChanges, send, testServer } from '../support/service.ts';

test('a path is found after any host, however short', async () => {
  const overHttp = createApp(testServer());
  const overHttps = createApp(testServer(), { isHttps: true });
  const hosts = ['x', 't', 'tz', 'api', 'a.b', 'x:1', 't.co', 'localhost', '[::1]:8080', 'time.example.com'];
  for (const host of hosts) {
    for (let time = 0; time < 3; time++) {
      const path = `${host}/v1/time/current?tz=UTC`;
      const response = await overHttp.handle(new Request(`http://${path}`));
      const secured = await overHttps.handle(new Request(`https://${path}`));
      expect([host, response.status, secured.status]).toEqual([host, 200, 200]);
    }
  }
});

/** A request as Bun passes it on: its URL has no host if the `Host` header has none. */
function received(url: string, host?: string): Request {
  const request = new Request('http://localhost/', { headers: host === undefined ? {} : { Host: host } });
  return Object.defineProperty(request, 'url', { value: url, configurable: true });
}

test('a request without a Host, or with an empty one, succeeds', async () => {
  const { handle } = createApp(testServer());
  for (const host of [undefined, '']) {
    const response = await handle(received('/v1/time/convert?unix=0&tz=UTC', host));
    expect([host, response.status]).toEqual([host, 200]);
  }
});

describe('the URL of this server in a response', () => {
  const overHttps = createApp(testServer(), { isHttps: true });
  const describedBy = async (url: string, host?: string) => {
    const response = await overHttps.handle(received(url, host));
    return [response.status, ((await response.json()) as { provider_url?: string }).provider_url];
  };

  test.each(['t', 'ab', 'x:1', 'time.example.com', '[::1]:8080'])('has the host %s', async host => {
    for (let time = 0; time < 3; time++) {
      const page = encodeURIComponent(`https://${host}/embed/clock`);
      const described = await describedBy(`https://${host}/oembed?url=${page}`, host);
      expect(described).toEqual([200, `https://${host}`]);
    }
    const response = await overHttps.handle(received(`https://${host}/embed/clock`, host));
    expect(await response.text()).toContain(`href="https://${host}/oembed?url=`);
  });

  test('has the host of its request, also where the same path was requested from another', async () => {
    for (const host of ['ab', 'cd', 'ab', 'cd', 'ab', 'cd']) {
      const described = await describedBy(`https://${host}/oembed?url=/embed/clock`, host);
      expect(described).toEqual([200, `https://${host}`]);
    }
  });

  test('has localhost if the request has no host', async () => {
    expect(await describedBy('/oembed?url=/embed/clock')).toEqual([200, 'https://localhost']);
  });

  test('is an error with a host that is none', async () => {
    expect(await describedBy('https://[::1/oembed?url=/embed/clock', '[::1')).toEqual([400, undefined]);
  });
});

test('an invalid or repeated Host is rejected, even for a cached query', async () => {
  const { handle } = createApp(testServer());
  for (let time = 0; time < 3; time++) {
    const response = await handle(received('http://a/v1/timezones', 'a'));
    expect(response.status).toBe(200);
  }
  for (const [url, host] of [
    ['/v1/timezones', 'a b'],
    ['http://a/v1/timezones', 'a, b'],
  ] as const) {
    const response = await handle(received(url, host));
    const { error, request_id } = (await response.json()) as ErrorBody;
    expect([response.status, error.code, error.message]).toEqual([
      400,
      'INVALID_PARAMETER',
      `Cannot read the header 'Host': '${host}' is not a single host with an optional port`,
    ]);
    expect(response.headers.get('X-Request-Id')).toBe(request_id);
  }
});

describe('an open server on a loopback address', () => {
  const callerTrust = { proxies: parseTrustedProxies(['127.0.0.9']), header: 'X-Forwarded-For' };
  const open = (changes: ServerChanges = {}, peer = '127.0.0.1') =>
    createApp(testServer({ callerTrust, ...changes }), {
      isAllowedHost: hostCheck(['time.example.com', '[2001:db8::1]']),
      peerOf: () => peer,
    });
  const EVIL = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil-localhost'];
  const FOREIGN = [...EVIL, '10.0.0.1:80', '[::2]'];

  test.each([
    undefined,
    ...['localhost', 'LOCALHOST:8080', 'localhost.', 'clock.localhost:1', '127.0.0.1', '127.8.9.1:80'],
    ...['[::1]:8080', '[::ffff:127.0.0.1]', 'time.example.com', 'Time.Example.com:443', '[2001:db8::1]:80'],
  ])('accepts the Host %p', async host => {
    const url = `http://${host ?? 'localhost'}/v1/time/convert?unix=0&tz=UTC`;
    expect((await open().handle(received(url, host))).status).toBe(200);
  });

  test.each(FOREIGN)('rejects the Host %p on every path', async host => {
    const { handle } = open();
    await handle(received('http://localhost/healthz', 'localhost'));
    for (const path of ['/v1/time/current', '/', '/healthz', '/openapi.json', '/nothing']) {
      const response = await handle(received(`http://${host}${path}`, host));
      const { error } = (await response.json()) as ErrorBody;
      expect([path, response.status, error.code]).toEqual([path, 421, 'HOST_NOT_ALLOWED']);
      expect(error.message).toContain(`'${host}'`);
    }
  });

  test('accepts every Host that a trusted proxy forwards', async () => {
    const { handle } = open({}, '127.0.0.9');
    expect((await handle(received('http://evil.example/healthz', 'evil.example'))).status).toBe(200);
  });

  test('accepts every Host once it requires API keys', async () => {
    const isOpen = [true];
    const { handle } = open({ access: keyedAccess(() => isOpen[0]!) });
    const request = () => received('http://evil.example/healthz', 'evil.example');
    expect((await handle(request())).status).toBe(421);
    isOpen[0] = false;
    expect((await handle(request())).status).toBe(200);
  });
});

const CLOCK_SCRIPT = '/v1/time/clock/assets/v1/clock.js';

async function corsOf(method: string, path: string, headers: Record<string, string> = {}, asked = app) {
  const response = await asked.handle(new Request(`http://localhost${path}`, { method, headers }));
  return [...response.headers.keys()].filter(name => name.startsWith('access-control-'));
}

test('without an origin, only responses that caches may store have CORS headers: the origin', async () => {
  const cacheable = ['/.well-known/api-catalog', '/openapi.json', CLOCK_SCRIPT];
  for (const method of ['GET', 'HEAD']) {
    await expectAll(path => corsOf(method, path), ['access-control-allow-origin'], cacheable);
  }
  const paths = ['/v1/batch', '/v1/time/current', '/mcp', '/openapi.json', '/nowhere'];
  await expectAll(path => corsOf('OPTIONS', path), [], paths);
  const configured = createApp(testServer({ corsOrigin: 'https://a.example' }));
  expect(await corsOf('GET', '/openapi.json', {}, configured)).toEqual([]);
});

test('with an origin, scripts may read our headers', async () => {
  const cross = { Origin: 'https://a.example' };
  for (const path of ['/.well-known/api-catalog', '/openapi.json', CLOCK_SCRIPT]) {
    const names = await corsOf('GET', path, cross);
    expect(names).toEqual(['access-control-allow-origin', 'access-control-expose-headers']);
  }
  expect(await corsOf('OPTIONS', '/v1/batch', cross)).toContain('access-control-allow-methods');
});

const CATALOG = '/.well-known/api-catalog';

/** The relations and targets of a `Link` header: RFC 8288 §3. */
function relationsOf(header: string | null): Record<string, string> {
  const links = [...(header ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)];
  return Object.fromEntries(links.map(([, href, relation]) => [relation!, href!]));
}

test('the catalog is a linkset whose links resolve', async () => {
  const response = await get(CATALOG);
  expect(response.headers.get('Content-Type')).toStartWith('application/linkset+json');
  const { linkset } = (await response.json()) as {
    linkset: Record<string, { href: string; type: string }[]>[];
  };
  expect(linkset).toHaveLength(1);
  const { anchor, ...relations } = linkset[0]!;
  expect(String(anchor)).toBe('/');
  expect(Object.keys(relations)).toEqual(['service-desc', 'service-doc', 'status']);
  for (const { href, type } of Object.values(relations).flat()) {
    const { status, headers } = await send(href);
    expect([href, status, headers.get('Content-Type')?.replace(/;.*/, '')]).toEqual([href, 200, type]);
  }
});

test('HEAD and the pages have its links, and nothing else does', async () => {
  const linksOf = (method: string) => async (path: string) => {
    const response = await app.handle(new Request(`http://localhost${path}`, { method }));
    return relationsOf(response.headers.get('Link'));
  };
  const links = {
    'api-catalog': CATALOG,
    'service-desc': '/openapi.json',
    'service-doc': '/docs',
    status: '/readyz',
  };
  for (const method of ['GET', 'HEAD']) await expectAll(linksOf(method), links, [CATALOG, '/', '/docs']);
  const others = ['/clocks', '/openapi.json', '/v1/time/current', '/healthz', '/nowhere'];
  await expectAll(linksOf('GET'), {}, others);
});
