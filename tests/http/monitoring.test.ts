import { expect, test } from 'bun:test';
import type { AccessControl } from '../../src/access/access_control.ts';
import type { AccessTopic } from '../../src/access/problems.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { perSnapshot, type Snapshot } from '../../src/http/snapshot.ts';
import {
  type AccessLogMode,
  jsonAccessLine,
  mergeMetrics,
  metricsText,
  Traffic,
  textAccessLine,
} from '../../src/http/traffic.ts';
import { DATA_NAMES, FIELD_OF_NAME, type ServedData } from '../../src/operations/served_data.ts';
import { createApp } from '../../src/server/app.ts';
import { renderedMetrics } from '../../src/server/metrics.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { expectErrors, get } from '../support/responses.ts';
import { NOW_MS, send, testPlaces, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const OFF = { isSynchronized: false, maxErrorSeconds: 16 };

/** The status of `/readyz`, and its line for one item. */
async function readiness(about: string, ...changes: Parameters<typeof testServer>): Promise<string> {
  const { status, body } = await send('/readyz', {}, createApp(testServer(...changes)));
  return `${status} ${(body as string).split('\n').find(line => line.startsWith(`${about} `))}`;
}

test('an unsynchronized clock is a warning, or a failure if so configured', async () => {
  const right = { isSynchronized: true, maxErrorSeconds: 0.01 };
  expect(await readiness('clock', { hostClock: () => OFF })).toStartWith('200 clock warning');
  const strict = { hostClock: () => OFF, requireClockSync: true };
  expect(await readiness('clock', strict)).toStartWith('503 clock broken');
  expect(await readiness('clock', { ...strict, hostClock: () => right })).toStartWith('200 clock ok');
  expect((await send('/healthz', {}, createApp(testServer(strict)))).status).toBe(200);
});

test('data is ready before its first use, and a failure once found broken', async () => {
  const boundaries = new LazyData('boundaries', '2026x', () => Promise.reject(new Error('cut short')));
  const places = testPlaces({ boundaries: boundaries as never });
  expect(await readiness('boundaries', { places })).toBe('200 boundaries ok 2026x, loaded at first use');
  await boundaries.load();
  expect(await readiness('boundaries', { places })).toBe('503 boundaries broken 2026x: cut short');
});

test('problems with keys and usage are warnings as long as requests are served', async () => {
  let isOpen = false;
  const store = (sharedStore: AccessControl['sharedStore'], ...troubles: readonly AccessTopic[]) => {
    const problem = (topic: AccessTopic) => (troubles.includes(topic) ? 'trouble' : undefined);
    return readiness('store', {
      access: { isOpen, sharedStore, sharedFailure: 'full', problem } as unknown as AccessControl,
    });
  };
  expect(await store('none')).toBe('200 store ok');
  expect(await store('up')).toBe('200 store ok');
  expect(await store('none', 'tokens')).toBe('200 store warning keys cannot be read');
  expect(await store('none', 'files')).toBe('200 store warning key or plan files cannot be read');
  const undefinedPlan = 'keys are rejected, as their plan is not defined';
  const unavailable = 'the shared store is unavailable: full';
  expect(await store('none', 'plans')).toBe(`200 store warning ${undefinedPlan}`);
  expect(await store('degraded', 'usage')).toBe(`200 store warning usage cannot be written, ${unavailable}`);
  expect(await store('down')).toBe(`503 store broken ${unavailable}`);
  isOpen = true;
  expect(await store('none')).toBe('200 store ok open to all');
  expect(await store('none', 'tokens')).toBe('200 store warning open to all, keys cannot be read');
  for (const away of ['degraded', 'down'] as const) {
    expect(await store(away)).toBe(`200 store warning open to all, ${unavailable}`);
  }
  expect(await readiness('store', { access: null })).toBe('200 store ok open to all');
});

/** The value of a series in the text format, as a scraper reads it. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

function trafficOf(...responses: readonly (readonly [status: number, durationNs: number])[]): Traffic {
  const traffic = new Traffic();
  const meter = traffic.meter('/v1/time/current');
  for (const [status, durationNs] of responses) meter.count(status, durationNs);
  return traffic;
}

test('responses are counted by route and status', () => {
  const text = metricsText(trafficOf([200, 1], [200, 1], [404, 1]).families());
  const series = (status: number) =>
    `meridian_http_requests_total{route="/v1/time/current",status="${status}"}`;
  expect(seriesValue(text, series(200))).toBe(2);
  expect(seriesValue(text, series(404))).toBe(1);
  expect(seriesValue(text, series(500))).toBeUndefined();
  expect(metricsText(new Traffic().families())).toBe(''); // no family is empty
});

test('histogram buckets are cumulative, include their bound, and the last one has everything', () => {
  const text = metricsText(trafficOf([200, 10_000], [200, 10_001], [200, 5e9]).families());
  const name = 'meridian_http_request_duration_seconds';
  const bucket = (le: string) => seriesValue(text, `${name}_bucket{route="/v1/time/current",le="${le}"}`);
  expect([bucket('0.00001'), bucket('0.000025'), bucket('1'), bucket('+Inf')]).toEqual([1, 2, 2, 3]);
  expect(seriesValue(text, `${name}_count{route="/v1/time/current"}`)).toBe(3);
  expect(seriesValue(text, `${name}_sum{route="/v1/time/current"}`)).toBeCloseTo(5.000_020_001, 9);
});

test('label values and help texts are escaped', () => {
  const samples = [{ labels: { zone: 'a"b\\c\nd' }, value: 1 }];
  const family = { name: 'meridian_x', help: 'one\ntwo \\', type: 'gauge', across: 'max', samples } as const;
  expect(metricsText([family])).toBe(
    '# HELP meridian_x one\\ntwo \\\\\n# TYPE meridian_x gauge\nmeridian_x{zone="a\\"b\\\\c\\nd"} 1\n',
  );
});

test("workers' metrics are summed, reduced to the extreme, or listed per worker", () => {
  const families = (value: number) =>
    (['sum', 'max', 'min', 'worker'] as const).map(across => ({
      name: `meridian_${across}`,
      help: across,
      type: 'gauge' as const,
      across,
      samples: [{ labels: { route: '/' }, value }],
    }));
  const text = metricsText(mergeMetrics(new Map([1, 2].map(worker => [worker, families(worker * 10)]))));
  expect(seriesValue(text, 'meridian_sum{route="/"}')).toBe(30);
  expect(seriesValue(text, 'meridian_max{route="/"}')).toBe(20);
  expect(seriesValue(text, 'meridian_min{route="/"}')).toBe(10);
  expect(seriesValue(text, 'meridian_worker{worker="2",route="/"}')).toBe(20);
});

test('histograms of workers add up bucket by bucket', () => {
  const workers = [trafficOf([200, 20_000]), trafficOf([200, 2_000], [500, 20_000])];
  const all = trafficOf([200, 20_000], [200, 2_000], [500, 20_000]);
  const merged = mergeMetrics(new Map(workers.map((traffic, index) => [index, traffic.families()])));
  const counts = (text: string) => text.split('\n').filter(line => /_(bucket|count|total)\{/.test(line));
  expect(counts(metricsText(merged)).sort()).toEqual(counts(metricsText(all.families())).sort());
  expect(counts(metricsText(merged)).length).toBeGreaterThan(10);
});

test('metrics are rendered at most once a second, however often they are requested', async () => {
  let gathered = 0;
  const render = renderedMetrics(() => {
    gathered += 1;
    return Promise.resolve(trafficOf([200, gathered]).families());
  });
  const texts = await Promise.all(Array.from({ length: 50 }, () => render()));
  expect(texts[0]).toContain('meridian_http_requests_total');
  expect([new Set(texts).size, gathered]).toEqual([1, 1]);
  while (gathered === 1) await render();
  expect(await render()).not.toBe(texts[0]!);
});

/** The log lines of some requests. */
async function linesOf(mode: AccessLogMode, paths: readonly string[], line = jsonAccessLine) {
  const lines: string[] = [];
  const accessLog = { mode, line, write: (text: string) => lines.push(text), client: 'none' as const };
  const app = createApp(testServer({ observer: { traffic: new Traffic(), accessLog } }));
  for (const path of paths) await get(path, { 'X-Request-Id': 'asked-1' }, app);
  return lines;
}

test('a line has the route and the outcome, and nothing of the query', async () => {
  const [line] = await linesOf('all', ['/v1/time/current?tz=Europe/Paris&ip=192.0.2.1']);
  expect(line).toEndWith('}\n');
  const { time, duration_ms, ...rest } = JSON.parse(line!);
  expect(Date.parse(time)).toBeGreaterThan(NOW_MS);
  expect(duration_ms).toBeGreaterThanOrEqual(0);
  const request = { request_id: 'asked-1', method: 'GET', route: '/v1/time/current', status: 400 };
  expect(rest).toEqual({ level: 'info', message: 'request', ...request });
});

test('an unknown path is not logged', async () => {
  for (const line of [jsonAccessLine, textAccessLine]) {
    const [text] = await linesOf('all', ['/etc/passwd?secret=1'], line);
    expect(text).toContain('unmatched');
    expect(text).toContain('404');
    expect(text).not.toMatch(/passwd|secret/);
  }
});

test('`errors` logs only server errors, and `off` logs nothing', async () => {
  const paths = ['/v1/time/current', '/v1/time/current?tz=x', '/v1/time/current?sign=true'];
  expect((await linesOf('all', paths)).map(line => JSON.parse(line).status)).toEqual([200, 400, 501]);
  expect((await linesOf('errors', paths)).map(line => JSON.parse(line).status)).toEqual([501]);
  expect(await linesOf('off', paths)).toEqual([]);
});

test('if a line cannot be written the response is a server error, even for a cached query', async () => {
  const failure = new Error('no more room');
  const write = () => {
    throw failure;
  };
  const accessLog = { mode: 'all' as const, line: jsonAccessLine, write, client: 'none' as const };
  const logged: unknown[] = [];
  const logError = (_message: string, cause: unknown) => logged.push(cause);
  const app = createApp(testServer({ observer: { traffic: new Traffic(), accessLog }, logError }));
  await expectErrors('/v1/time/current', { '500 INTERNAL_ERROR': ['', '', '', ''] }, app);
  expect(logged).toEqual([failure, failure, failure, failure]);
});

test('HEAD, preflights and health are counted under their routes', async () => {
  const traffic = new Traffic();
  const accessLog = { mode: 'off' as const, line: jsonAccessLine, write: () => {}, client: 'none' as const };
  const app = createApp(testServer({ observer: { traffic, accessLog } }));
  for (const [method, path] of [
    ...Array<['GET', string]>(4).fill(['GET', '/v1/time/current']),
    ['HEAD', '/v1/time/current'],
    ['OPTIONS', '/v1/time/current'],
    ['POST', '/v1/time/current'],
    ['GET', '/healthz'],
  ] as const) {
    await app.handle(new Request(`http://localhost${path}`, { method }));
  }
  const [requests] = traffic.families();
  expect(requests!.samples.map(({ labels, value }) => [labels!['route'], labels!['status'], value])).toEqual([
    ['/healthz', '200', 1],
    ['/v1/time/current', '200', 5],
    ['preflight', '204', 1],
    ['unmatched', '405', 1],
  ]);
});

/** The data sets with releases that requests have read. */
const read = new Set<keyof ServedData>();
const server = testServer({ signing: fixedKeys([sampleKey(1)]) });
const noted = { ...server.snapshot() };
const noting =
  <Value>(field: keyof ServedData, get: () => Value) =>
  () => {
    read.add(field);
    return get();
  };
for (const name of DATA_NAMES) {
  const field = FIELD_OF_NAME[name];
  const value = noted[field];
  // Requests that do not read a lazy set may still see whether it is loaded.
  if (value instanceof LazyData) Object.assign(value, { get: noting<unknown>(field, value.get.bind(value)) });
  else Object.defineProperty(noted, field, { get: noting(field, () => value) });
}
const notingApp = createApp({ ...server, snapshot: () => noted });

const TARGETS = API_ROUTES.filter(({ inputs }) => 'sign' in inputs.parameters).flatMap(({ path, examples }) =>
  examples.map(({ query }) => `${path}?${query}&sign=true`),
);

async function declaredBy(target: string): Promise<readonly (keyof ServedData)[] | undefined> {
  const { headers } = await get(target, {}, notingApp);
  const names = headers.get('X-Service-Data')?.split(', ');
  return names?.map(name => FIELD_OF_NAME[name.split('=')[0] as keyof typeof FIELD_OF_NAME]);
}

test('responses name all data sets that they read', async () => {
  const undeclared: unknown[] = [];
  let signed = 0;
  for (const target of TARGETS) {
    await declaredBy(target); // loads the data, and computes the headers
    read.clear();
    const declared = await declaredBy(`${target}&nonce=again`);
    if (declared === undefined) continue;
    signed++;
    const others = [...read].filter(field => !declared.includes(field));
    if (others.length > 0) undeclared.push([target, others]);
  }
  expect(undeclared).toEqual([]);
  expect(signed).toBeGreaterThan(60);
});

test('a request waits for the data it needs', async () => {
  const { promise, resolve } = Promise.withResolvers<{ zoneNameOf: () => string }>();
  const ip = new LazyData('ip', 'of the test', () => promise);
  const app = createApp(testServer({ places: testPlaces({ ip }) }));
  const response = send('/v1/time/current?ip=8.8.8.8', {}, app);
  resolve({ zoneNameOf: () => 'Asia/Tokyo' });
  expect((await response).body.timezone).toBe('Asia/Tokyo');
});

/** Data of addresses that cannot be loaded, and an app with it. */
const brokenIp = (reason: string) => {
  const ip = new LazyData<never>('ip', 'of the test', () => Promise.reject(new Error(reason)));
  return { ip, app: createApp(testServer({ places: testPlaces({ ip }) })) };
};

test('an invalid request loads nothing', async () => {
  const { ip, app } = brokenIp('was loaded');
  const invalid = ['tz=UTC&nothing=1&strict=true'];
  await expectErrors('/v1/time/current?', { '400 INVALID_PARAMETER': invalid }, app);
  expect(ip.state.kind).toBe('unread');
});

test('every request that needs unloadable data is 501', async () => {
  const { app } = brokenIp('secret');
  for (let time = 0; time < 2; time++) {
    const { status, body } = await send('/v1/time/current?ip=8.8.8.8', {}, app);
    expect([status, body.error.code]).toEqual([501, 'DEPENDENCY_NOT_READY']);
    expect(JSON.stringify(body)).not.toContain('secret');
  }
});

test('a handler that throws or rejects is a 500 without the reason, which is logged', async () => {
  const logged: string[] = [];
  const server = testServer({
    logError: (message, cause) => logged.push(`${message}: ${(cause as Error).message}`),
  });
  const app = createHttpApp(server, [
    {
      path: '/throws',
      access: 'public',
      handle() {
        throw new Error('secret');
      },
    },
    { path: '/rejects', access: 'public', handle: () => Promise.reject(new Error('secret')) },
  ]);
  for (const path of ['throws', 'rejects']) {
    const response = await get(`/${path}`, { 'X-Request-Id': path }, app);
    expect(response.status).toBe(500);
    expect(response.headers.get('X-Request-Id')).toBe(path);
    expect(await response.text()).not.toContain('secret');
  }
  expect(logged).toEqual(['request throws failed: secret', 'request rejects failed: secret']);
});

const newSnapshot = (): Snapshot => ({ ...testServer().snapshot() });

test('a value is derived once from each snapshot', () => {
  const derived = perSnapshot(snapshot => ({ snapshot }));
  const other = perSnapshot(snapshot => ({ snapshot }));
  const [first, second] = [newSnapshot(), newSnapshot()];
  expect(derived(first)).toBe(derived(first));
  expect(derived(first).snapshot).toBe(first);
  expect(derived(second).snapshot).toBe(second);
  expect(derived(first).snapshot).toBe(first);
  expect(other(first)).not.toBe(derived(first));
});

test('a replaced snapshot is freed, although nothing was derived from its successor', async () => {
  const derivations = Array.from({ length: 20 }, () => perSnapshot(snapshot => ({ snapshot })));
  const replaced = derivations.map(derive => {
    const snapshot = newSnapshot();
    derive(snapshot);
    return new WeakRef(snapshot);
  });
  // A reference is dropped at the earliest at the end of a turn of the event loop, and the stack is scanned conservatively.
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(setImmediate);
    Bun.gc(true);
  }
  expect(replaced.filter(snapshot => snapshot.deref() !== undefined).length).toBeLessThan(5);
  expect(derivations.length).toBe(20);
});
