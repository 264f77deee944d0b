import { describe, expect, spyOn, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { convertRoute } from '../../src/api/routes/times.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { createAdminApp } from '../../src/http/admin.ts';
import type { App } from '../../src/http/app.ts';
import type { ServedData } from '../../src/operations/served_data.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { codeBlock } from '../support/documentation.ts';
import { KEY, keyedApp } from '../support/keyed.ts';
import { freePort, newFolder, requiring, startProxy } from '../support/process.ts';
import { expectNoDifferences, runs } from '../support/proof.ts';
import { expectAll, get } from '../support/responses.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const FIXED = 'public, max-age=3600, stale-while-revalidate=86400';
const CONVERT = '/v1/time/convert?unix=0&tz=Asia/Tokyo';

/** Routes whose responses are current until a clock change; with a timestamp they are fixed. */
const UNTIL_A_CHANGE = ['/v1/timezones', '/v1/timezones.csv', '/v1/places'];

/** Embedded resources are always revalidated. */
const EMBEDDED = /^\/(v1\/time\/clock|embed|oembed)/;

/** Successful examples of all other routes except the key set, which has its own rule. */
const REQUESTS: string[] = [];
for (const { path, isPublic, examples } of API_ROUTES) {
  if (isPublic || EMBEDDED.test(path)) continue;
  const targets = examples.map(({ query }) => `${path}?${query}`);
  for (const target of targets) if ((await send(target)).status === 200) REQUESTS.push(target);
}

/** A later time, in another year, and another client. */
const later = testServer({ now: () => NOW_MS + 300 * 86_400_000 });
const elsewhere = createApp(later, { peerOf: () => '1.2.3.4' });
const signing = fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]);

const tagOf = async (path: string, target?: App) => (await get(path, {}, target)).headers.get('ETag');

describe('caches may use a response', () => {
  test.each(REQUESTS)('exactly if it is the same at another time and for another client: %s', async path => {
    const [response, other] = await Promise.all([get(path), get(path, {}, elsewhere)]);
    const cacheControl = response.headers.get('Cache-Control');
    const isOfClocks = UNTIL_A_CHANGE.some(route => path.startsWith(`${route}?`));
    if (isOfClocks && cacheControl !== FIXED) return expect(cacheControl).toBe('public, max-age=3600');
    const isSame = (await response.text()) === (await other.text());
    expect(cacheControl).toBe(isSame ? FIXED : 'no-store');
    expect(response.headers.has('ETag')).toBe(isSame);
  });

  test('and there are requests of both kinds', async () => {
    const responses = await Promise.all(REQUESTS.map(path => get(path)));
    const rules = responses.map(({ headers }) => headers.get('Cache-Control'));
    expect(new Set(rules)).toEqual(new Set([FIXED, 'no-store', 'public, max-age=3600']));
  });

  test.each(REQUESTS)('never if it has details or is signed: %s', async path => {
    const keyed = createApp(testServer({ signing }));
    for (const flag of ['details', 'sign']) {
      const flagged = path.replace('?', `?${flag}=true&`);
      const { status, headers } = await get(flagged, {}, keyed);
      const known = flag in API_ROUTES.find(route => path.startsWith(`${route.path}?`))!.inputs.parameters;
      if (status === 200 && known)
        expect([flagged, headers.get('Cache-Control')]).toEqual([flagged, 'no-store']);
    }
  });

  test('not if it is an error, or has one in a list', async () => {
    for (const path of ['/v1/time/convert?unix=0&tz=Mars', `${CONVERT},Mars`]) {
      const { headers } = await get(path);
      expect([headers.get('Cache-Control'), headers.get('ETag')]).toEqual(['no-store', null]);
    }
  });

  test('not for clients elsewhere if it depends on the address of the client', async () => {
    const london = createApp(testServer(), { peerOf: () => '2.125.160.216' });
    const { status, headers } = await get('/v1/time/convert?unix=0&auto_tz=true', {}, london);
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
  });

  test('for all origins, or by origin if one is configured', async () => {
    const open = (await get(CONVERT)).headers;
    expect([open.get('Access-Control-Allow-Origin'), open.get('Vary')]).toEqual(['*', 'Accept-Encoding']);
    const closed = createApp(testServer({ corsOrigin: 'https://a.example' }));
    for (const headers of [{}, { Origin: 'https://b.example' }]) {
      expect((await get(CONVERT, headers, closed)).headers.get('Vary')).toBe('Origin, Accept-Encoding');
    }
  });
});

describe('an entity tag', () => {
  test('is the same on all machines, and for GET and HEAD', async () => {
    const tag = await tagOf(CONVERT);
    expect(tag).toMatch(/^"[\w-]{11,17}"$/);
    expect(await tagOf(CONVERT, createApp(testServer()))).toBe(tag);
    expect((await send(CONVERT, { method: 'HEAD' })).headers.get('ETag')).toBe(tag);
  });

  test('differs for each request and each build', async () => {
    const fixed = await Promise.all(REQUESTS.map(path => tagOf(path)));
    const tags = fixed.filter(tag => tag !== null);
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(CONVERT, createApp(testServer({ build: 'next' })))).not.toBe(await tagOf(CONVERT));
  });

  test('changes with the data for exactly the requests that use it', async () => {
    const server = testServer({ signing });
    const target = createApp(server);
    const convert = '/v1/time/convert?unix=0&';
    const paths = [...REQUESTS, `${convert}ip=2.125.160.216`, `${convert}place=Berlin`];
    const tags = () => Promise.all(paths.map(path => tagOf(path, target)));
    const usedBy = async (path: string) =>
      (await get(`${path}&sign=true`, {}, target)).headers.get('X-Service-Data') ?? '';
    const used = await Promise.all(paths.map(usedBy));
    const before = await tags();
    const changedPaths = async () => {
      const after = await tags();
      return paths.filter((_, index) => before[index] !== after[index]);
    };
    for (const [set, name] of [
      ['zones', 'tzdata'],
      ['holidays', 'holidays'],
      ['ip', 'ip'],
    ] as const satisfies readonly (readonly [keyof ServedData, string])[]) {
      server.replace({ digests: { [set]: 'replaced' } });
      const isUsed = (index: number) => new RegExp(`\\b${name}=`).test(used[index]!);
      const changed = await changedPaths();
      expect(changed).toEqual(paths.filter((_, index) => before[index] !== null && isUsed(index)));
      expect(changed).not.toBeEmpty();
    }
    server.replace({ digests: { schedules: 'replaced' } });
    expect(await changedPaths()).toEqual(
      paths.filter((path, index) => before[index] !== null && path.includes('schedule=')),
    );
  });
});

describe('a client that has the response', () => {
  const conditional = (path: string, condition: string, target?: App) =>
    get(path, { 'If-None-Match': condition }, target);

  test.each(REQUESTS)('gets 304 without a body: %s', async path => {
    const { headers } = await get(path);
    const tag = headers.get('ETag');
    const response = await conditional(path, tag ?? '*');
    expect(response.status).toBe(tag === null ? 200 : 304);
    if (tag === null) return;
    expect(await response.text()).toBe('');
    for (const name of ['ETag', 'Cache-Control', 'Vary', 'Access-Control-Allow-Origin']) {
      expect(response.headers.get(name)).toBe(headers.get(name));
    }
    expect(response.headers.has('Content-Type')).toBe(false);
  });

  test('gets it for one of several tags, including weak ones, and *', async () => {
    const tag = await tagOf(CONVERT);
    const statusOf = async (condition: string) => (await conditional(CONVERT, condition)).status;
    await expectAll(statusOf, 304, [`"other", ${tag}`, `W/${tag}`, '*']);
    await expectAll(statusOf, 200, ['"other"', '', tag!.slice(0, -2)]);
  });

  test('still gets the errors of an invalid request, and those found only by the computation', () =>
    expectAll(async path => (await conditional(path, '*')).status, 400, [
      ...['/v1/time/add?unix=0&duration=P999999Y', '/v1/tzdata/changes?from=2026a&to=1999a'],
      ...['/api/v3/PublicHolidays/1/DE', '/v1/time/convert?unix=0&tz=Mars', '/v1/time/convert?unix=0'],
      ...['/v1/time/convert?unix=0&tz=UTC&tz=UTC', '/v1/time/convert?unix=0&tz=UTC&x=1&strict=true'],
    ]));

  test('causes no computation', async () => {
    const tag = await tagOf(CONVERT);
    using bodyOf = spyOn(convertRoute, 'bodyOf');
    const fresh = createApp(testServer());
    expect((await conditional(CONVERT, tag!, fresh)).status).toBe(304);
    expect(bodyOf).not.toHaveBeenCalled();
    expect((await conditional(CONVERT, '"other"', fresh)).status).toBe(200);
    expect(bodyOf).toHaveBeenCalled();
  });
});

test('the list of zones may be cached until the next clock change, and not a second longer', async () => {
  const changeMs = Date.UTC(2026, 3, 23, 22); // Egypt begins its summer time
  let nowMs = changeMs - 90_500;
  const target = createApp(testServer({ now: () => nowMs }));
  const before = await get('/v1/timezones?country=NZ', {}, target);
  expect(before.headers.get('Cache-Control')).toBe('public, max-age=90');
  const tag = before.headers.get('ETag')!;
  const statusOf = async () =>
    (await get('/v1/timezones?country=NZ', { 'If-None-Match': tag }, target)).status;
  nowMs = changeMs - 1;
  expect(await statusOf()).toBe(304);
  expect((await get('/v1/timezones', {}, target)).headers.get('Cache-Control')).toBe('public, max-age=0');
  nowMs = changeMs;
  expect(await statusOf()).toBe(200);
  const { headers } = await get('/v1/timezones', {}, target);
  expect(headers.get('Cache-Control')).toBe('public, max-age=3600');
});

test('with API keys, only private caches may store a response, and 304 counts', async () => {
  const { app: target } = keyedApp({ monthlyQuota: 10 });
  const first = await get(CONVERT, KEY, target);
  expect(first.headers.get('Cache-Control')).toBe(FIXED.replace('public', 'private'));
  const again = await get(CONVERT, { ...KEY, 'If-None-Match': first.headers.get('ETag')! }, target);
  expect([again.status, again.headers.get('X-Service-Quota-Remaining')]).toEqual([304, '8']);
});

const services = testServer();
const HANDLERS = { service: createApp(services).handle, admin: createAdminApp(services).handle };
const PATHS = [
  ...['/v1/time/current?tz=UTC', '/v1/time/current?lat=48&lon=2', '/healthz', '/metrics', '/nowhere'],
];

for (const [name, handle] of Object.entries(HANDLERS)) {
  test(`HEAD responses have one Date header, as GET responses do: ${name}`, async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle });
    try {
      for (const path of PATHS) {
        for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS']) {
          const { headers } = await fetch(new URL(path, server.url), { method });
          expect([path, method, headers.get('Date')]).toEqual([
            path,
            method,
            expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
          ]);
        }
      }
    } finally {
      await server.stop(true);
    }
  });
}

const HOLIDAYS = '/v1/holidays?country=DE&year=2026';

requiring('caddy')(
  'the caddy configuration in meridian help caching is valid, and passes tags, conditions and codings through',
  async () => {
    const folder = newFolder();
    const app = createApp(testServer());
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => app.handle(request) });
    const url = `http://127.0.0.1:${freePort()}`;
    const site = codeBlock('src/cli/topics/caching.md', 'caddyfile', [
      ['unix//run/meridian/socket', `127.0.0.1:${server.port}`],
      ['time.example.org', url],
    ]);
    const path = join(folder, 'Caddyfile');
    // Only its own settings for the test: no API for administration, and only errors in the log.
    writeFileSync(path, `{\n\tadmin off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n${site}`);
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const config = ['--config', path, '--adapter', 'caddyfile'];
    const validated = Bun.spawnSync(['caddy', 'validate', ...config], { env: { ...process.env, ...env } });
    expect([validated.exitCode, validated.stderr.toString()]).toEqual([0, expect.any(String)]);
    await using caddy = await startProxy(['caddy', 'run', ...config], url, env);
    const get = (headers: Record<string, string>) =>
      fetch(caddy.url + HOLIDAYS, { headers, decompress: false } as RequestInit);
    const direct = await app.handle(new Request(`http://localhost${HOLIDAYS}`));
    const body = await direct.text();
    for (const coding of ['identity', 'gzip']) {
      const first = await get({ 'Accept-Encoding': coding });
      expect(first.headers.get('Cache-Control')).toBe(direct.headers.get('Cache-Control'));
      expect(first.headers.get('Vary')).toBe('Accept-Encoding');
      const bytes = await first.bytes();
      expect(new TextDecoder().decode(coding === 'gzip' ? gunzipSync(bytes) : bytes)).toBe(body);
      const tag = first.headers.get('ETag')!;
      const again = await get({ 'Accept-Encoding': coding, 'If-None-Match': tag });
      expect([coding, again.status, await again.text(), again.headers.get('ETag')]).toEqual([
        coding,
        304,
        '',
        tag,
      ]);
    }
  },
);

const QUESTIONS = 1000;
const CONNECTIONS = 32;

/** nginx as in `meridian help caching`, in front of a server. */
async function startNginx(folder: string, origin: string) {
  const url = `http://127.0.0.1:${freePort()}`;
  const site = codeBlock('src/cli/topics/caching.md', 'nginx', [
    ['/var/cache/nginx/meridian', join(folder, 'cache')],
    ['unix:/run/meridian/socket', origin],
    ['listen 80', `listen ${new URL(url).host}`],
  ]);
  mkdirSync(join(folder, 'cache'));
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    kind => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const path = join(folder, 'nginx.conf');
  const head = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr warn;\nevents { worker_connections 512; }\n`;
  writeFileSync(path, `${head}http { access_log off; ${scratch.join(' ')}\n${site}}\n`);
  return startProxy(['nginx', '-e', 'stderr', '-c', path], url);
}

test.skipIf(Bun.which('nginx') === null)(
  'through an nginx cache, each request reaches the server once (requires nginx)',
  async () => {
    const folder = newFolder();
    const app = createApp(testServer());
    const arrivals = new Map<string, number>();
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (pathname.startsWith('/v1/'))
          arrivals.set(pathname + search, (arrivals.get(pathname + search) ?? 0) + 1);
        return app.handle(request);
      },
    });
    await using nginx = await startNginx(folder, `127.0.0.1:${server.port}`);
    const paths = Array.from(
      { length: QUESTIONS },
      (_, index) => `/v1/time/convert?unix=${index * 86_400}&tz=Europe/Paris`,
    );
    const requests = runs(20_000, 1_000_000);
    const differences: string[] = [];
    let sent = 0;
    async function send(): Promise<void> {
      while (sent < requests) {
        const index = sent++ % QUESTIONS;
        const response = await fetch(nginx.url + paths[index]);
        const { unix } = (await response.json()) as { unix: number };
        if (unix !== index * 86_400) differences.push(`${paths[index]}: ${unix}`);
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    for (const path of paths) {
      if (arrivals.get(path) !== 1) differences.push(`${path} arrived ${arrivals.get(path)} times`);
    }
    expect(arrivals.size).toBe(QUESTIONS);
    expectNoDifferences('requests through a cache of nginx', requests, differences, 1_000_000);
  },
  { timeout: 900_000 },
);
