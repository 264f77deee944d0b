import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { perSnapshot, type Snapshot } from '../../src/http/snapshot.ts';
import { DATA_NAMES, FIELD_OF_NAME, type ServedData } from '../../src/operations/served_data.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { expectErrors, get } from '../support/responses.ts';
import { send, testPlaces, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

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
