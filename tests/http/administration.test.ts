import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Plan } from '../../src/access/plan.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { monthOf } from '../../src/access/usage.ts';
import { addKey, NOW_MS, openStore } from '../access/control.ts';
import { temporaryFolder } from '../support/process.ts';
import { REDIS_PROGRAM, startRedis } from '../support/redis.ts';
import { administration } from './administration.ts';

const TOKENS = '/admin/v1/tokens';
const PRO: Plan = { name: 'pro', rate: undefined, monthlyQuota: 1000 };

/** Runs a test with keys in a file and, if redis-server is installed, with keys in Redis. */
function onEachStore(
  name: string,
  run: (api: ReturnType<typeof administration>, folder: string) => Promise<void>,
): void {
  test(`${name}, in the file`, async () => {
    using folder = temporaryFolder();
    const api = administration(folder.path, { plans: [PRO] });
    await run(api, folder.path);
    await api.close();
  });
  test.skipIf(REDIS_PROGRAM === null)(`${name}, in Redis (requires redis-server)`, async () => {
    using folder = temporaryFolder();
    await using server = await startRedis();
    const redis = new RedisStore(server.url, 2000);
    await redis.connect();
    const api = administration(folder.path, { plans: [PRO] }, redis);
    await run(api, folder.path);
    redis.close();
    await api.close();
  });
}

onEachStore('a key can be managed from creation to removal', async ({ send }) => {
  const added = await send('POST', TOKENS, { name: 'app', plan: 'pro', expires: '90d' });
  expect(added.status).toBe(201);
  const { key, token } = added.body;
  expect(key).toStartWith(`mrd_${token.id}_`);
  const state = { id: token.id, name: 'app', role: 'client', plan: 'pro', state: 'active' };
  const dates = { created: '2026-11-21T02:00:00Z', expires: '2027-02-19T02:00:00Z', last_used: null };
  expect(token).toEqual({ ...state, ...dates });

  const path = `${TOKENS}/${token.id}`;
  expect((await send('GET', path)).body).toEqual(token);
  const edited = await send('PATCH', path, { name: 'the app', plan: 'default', role: 'operator' });
  expect(edited.body).toEqual({ ...token, name: 'the app', plan: 'default', role: 'operator' });
  expect((await send('POST', `${path}/suspend`)).body.state).toBe('suspended');
  expect((await send('POST', `${path}/resume`)).body.state).toBe('active');
  expect((await send('POST', `${path}/expire`)).body).toMatchObject({
    state: 'expired',
    expires: '2026-11-21T02:00:00Z',
  });
  expect((await send('POST', `${path}/expire`, { expires: null })).body).toMatchObject({
    state: 'active',
    expires: null,
  });
  const rotated = await send('POST', `${path}/rotate`, { overlap: '0' });
  expect(rotated.status).toBe(200);
  expect(rotated.body.key).toStartWith(`mrd_${token.id}_`);
  expect(rotated.body.key).not.toBe(key);
  expect((await send('DELETE', path)).status).toBe(204);
  expect((await send('GET', path)).status).toBe(404);
  for (const action of ['rotate', 'expire', 'suspend', 'resume']) {
    expect((await send('POST', `${path}/${action}`)).body.error.code).toBe('NOT_FOUND');
  }
  expect((await send('PATCH', path, { name: 'x' })).status).toBe(404);
  expect((await send('DELETE', path)).status).toBe(404);
});

onEachStore(
  'each change is logged with the operator, and without the key',
  async ({ send, operator, events, lines }) => {
    const { key, token } = (await send('POST', TOKENS, { name: 'app' })).body;
    const path = `${TOKENS}/${token.id}`;
    await send('PATCH', path, { plan: 'pro' });
    const { body: rotated } = await send('POST', `${path}/rotate`);
    await send('POST', `${path}/expire`, { expires: '2027-01-31T12:00:00Z' });
    await send('POST', `${path}/suspend`);
    await send('POST', `${path}/resume`);
    await send('DELETE', path);
    const common = { level: 'info', message: 'API key changed', key: token.id, operator: operator.id };
    expect(events().map(({ time: _, ...event }) => event)).toEqual([
      { ...common, action: 'add', name: 'app', role: 'client', plan: 'default', expires: null },
      { ...common, action: 'edit', plan: 'pro' },
      { ...common, action: 'rotate', former_expires: '2026-11-28T02:00:00Z' },
      { ...common, action: 'expire', expires: '2027-01-31T12:00:00Z' },
      { ...common, action: 'suspend' },
      { ...common, action: 'resume' },
      { ...common, action: 'remove' },
    ]);
    for (const secret of [key, rotated.key])
      expect(lines.join('')).not.toContain(secret.slice('mrd_123456789_'.length));
    await send('DELETE', path);
    expect(events()).toHaveLength(7);
  },
);

onEachStore('usage is listed by key and month, as JSON and CSV', async ({ send }, folder) => {
  const month = monthOf(NOW_MS).index;
  const { token } = (await send('POST', TOKENS, { name: '=app, "x"', plan: 'pro' })).body;
  const store = openStore(folder);
  store.record([
    { id: token.id, month, count: 7 },
    { id: token.id, month: month - 1, count: 5 },
    { id: 'key-0123456789abcdef', month, count: 1 },
  ]);
  store.close();
  const listed = await send('GET', TOKENS);
  expect(listed.body.month).toBe('2026-11');
  const requestsOf = ({ body }: typeof listed) =>
    Object.fromEntries(
      body.tokens.map(({ id, requests }: { id: string; requests: number }) => [id, requests]),
    );
  expect(requestsOf(listed)[token.id]).toBe(7);
  expect(requestsOf(await send('GET', `${TOKENS}?month=2026-10`))[token.id]).toBe(5);
  const row = { id: token.id, name: '=app, "x"', plan: 'pro', state: 'active' };
  const unlisted = { id: 'key-0123456789abcdef', name: null, plan: null, state: null };
  const ofNovember = [
    { month: '2026-11', ...row, requests: 7 },
    { month: '2026-11', ...unlisted, requests: 1 },
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect((await send('GET', '/admin/v1/usage')).body).toEqual({
    usage: [{ month: '2026-10', ...row, requests: 5 }, ...ofNovember],
  });
  expect((await send('GET', '/admin/v1/usage?month=2026-11')).body).toEqual({ usage: ofNovember });
  const { headers, body } = await send('GET', '/admin/v1/usage.csv?month=2026-10');
  expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(body).toBe(
    `month,id,name,plan,state,requests\r\n2026-10,${token.id},"'=app, ""x""",pro,active,5\r\n`,
  );
});

describe('only operators are admitted', () => {
  test('by a key with the role, neither suspended nor expired', async () => {
    using folder = temporaryFolder();
    const store = openStore(folder.path);
    const [client, suspended, expired] = [
      addKey(store, 1),
      addKey(store, 2, 'default', 'operator'),
      addKey(store, 3, 'default', 'operator'),
    ];
    store.change(suspended.id, { suspendedMs: NOW_MS });
    store.change(expired.id, { expiresMs: NOW_MS });
    store.close();
    const { send, events, close } = administration(folder.path);
    const bearer = ({ key }: { key: string }) => ({ Authorization: `Bearer ${key}` });
    for (const [method, path] of [
      ['GET', TOKENS],
      ['POST', TOKENS],
      ['GET', `${TOKENS}/${client.id}`],
      ['DELETE', `${TOKENS}/${client.id}`],
      ['POST', `${TOKENS}/${client.id}/suspend`],
      ['GET', '/admin/v1/usage'],
      ['GET', '/admin/v1/usage.csv'],
    ] as const) {
      const codeWith = async (headers: Record<string, string>) => {
        const { status, body } = await send(method, path, undefined, headers);
        return `${status} ${body.error?.code}`;
      };
      expect(await codeWith({})).toBe('401 UNAUTHORIZED');
      expect(await codeWith(bearer(client))).toBe('401 UNAUTHORIZED');
      expect(await codeWith({ 'X-API-Key': 'none-of-the-keys' })).toBe('401 INVALID_AUTH');
      expect(await codeWith(bearer(suspended))).toBe('403 SUBSCRIPTION_INACTIVE');
      expect(await codeWith(bearer(expired))).toBe('403 SUBSCRIPTION_INACTIVE');
    }
    expect(events()).toEqual([]);
    await close();
  });

  test('on an open server too', async () => {
    using folder = temporaryFolder();
    const { send, close } = administration(folder.path, { open: true });
    expect((await send('GET', TOKENS, undefined, {})).status).toBe(401);
    expect((await send('GET', TOKENS)).status).toBe(200);
    await close();
  });

  test('but metrics, health and the description are open to everyone', async () => {
    using folder = temporaryFolder();
    const { send, close } = administration(folder.path);
    for (const path of ['/metrics', '/healthz', '/admin/openapi.json']) {
      expect((await send('GET', path, undefined, {})).status).toBe(200);
    }
    await close();
  });

  test('and their requests count against no limit', async () => {
    using folder = temporaryFolder();
    const none: Plan = { name: 'default', rate: { perSecond: 0.001, burst: 1 }, monthlyQuota: 1 };
    const { send, close } = administration(folder.path, { plans: [none] });
    for (let i = 0; i < 5; i++) expect((await send('GET', TOKENS)).status).toBe(200);
    expect((await send('GET', '/admin/v1/usage')).body).toEqual({ usage: [] });
    await close();
  });
});

describe("an invalid request returns an error in the contract's shape and changes nothing", () => {
  const cases: [method: string, path: string, body: unknown, status: number, message: string][] = [
    ['POST', TOKENS, {}, 400, "Cannot read 'name': expected required property"],
    ['POST', TOKENS, { name: '' }, 400, "Cannot read 'name': expected string length greater or equal to 1"],
    ['POST', TOKENS, { name: 'a\nb' }, 400, "Cannot read 'name': expected string to match"],
    ['POST', TOKENS, { name: 'a'.repeat(101) }, 400, "Cannot read 'name': expected string length less"],
    ['POST', TOKENS, { name: 'a', role: 'root' }, 400, "Cannot read 'role': "],
    ['POST', TOKENS, { name: 'a', plan: 'gold' }, 400, "Cannot read 'plan': there is no plan 'gold'"],
    [
      'POST',
      TOKENS,
      { name: 'a', expires: '2027-02-30' },
      400,
      "Cannot read 'expires': '2027-02-30' is not a date",
    ],
    ['POST', TOKENS, { name: 'a', expires: 'soon' }, 400, "Cannot read 'expires': 'soon' is neither"],
    ['POST', TOKENS, { name: 'a', expire: 'never' }, 400, "Cannot read 'expire': it is not one of 'name'"],
    ['POST', TOKENS, 'null', 400, 'The body must be an object with some of '],
    ['POST', TOKENS, '{"name"', 400, 'The body is not JSON'],
    [
      'POST',
      TOKENS,
      JSON.stringify({ name: 'a'.repeat(20_000) }),
      413,
      'The body exceeds the maximum of 16384 bytes',
    ],
    ['PATCH', `${TOKENS}/ID`, {}, 400, 'The body must be an object with some of '],
    ['PATCH', `${TOKENS}/ID`, { plan: 'gold' }, 400, "Cannot read 'plan': there is no plan 'gold'"],
    ['POST', `${TOKENS}/ID/rotate`, { overlap: 'x' }, 400, "Cannot read 'overlap': 'x' is not a duration"],
    ['POST', `${TOKENS}/ID/expire`, { expires: '' }, 400, "Cannot read 'expires': '' is neither"],
    ['GET', `${TOKENS}?month=2026-13`, undefined, 400, "Cannot read 'month': '2026-13' is not a month"],
    ['GET', '/admin/v1/usage?month=', undefined, 400, "Cannot read 'month'"],
    ['PUT', TOKENS, {}, 405, 'PUT is not allowed here; GET, HEAD, POST and OPTIONS are'],
    ['GET', `${TOKENS}/ID/rotate`, undefined, 405, 'GET is not allowed here; POST and OPTIONS are'],
    ['GET', `${TOKENS}/ID/rotate/x`, undefined, 404, 'There is nothing at '],
  ];
  test.each(cases.map(row => [row[4], row] as const))(
    '%s',
    async (_, [method, path, body, status, message]) => {
      using folder = temporaryFolder();
      const { send, operator, events, close } = administration(folder.path);
      const outcome = await send(method, path.replace('ID', operator.id), body);
      expect(outcome.status).toBe(status);
      expect(outcome.body.error.message).toStartWith(message);
      expect(outcome.headers.get('Cache-Control')).toBe('no-store');
      expect((await send('GET', TOKENS)).body.tokens).toHaveLength(1);
      expect(events()).toEqual([]);
      await close();
    },
  );

  test('a body of another type is 415', async () => {
    using folder = temporaryFolder();
    const { send, operator, close } = administration(folder.path);
    const headers = { Authorization: `Bearer ${operator.key}`, 'Content-Type': 'text/plain' };
    expect((await send('POST', TOKENS, '{"name":"a"}', headers)).status).toBe(415);
    await close();
  });
});

test('responses with keys are not stored by caches, and an unknown parameter is named', async () => {
  using folder = temporaryFolder();
  const { send, close } = administration(folder.path);
  const { headers } = await send('POST', `${TOKENS}?dry=true`, { name: 'a' });
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('X-Service-Ignored-Parameters')).toBe('dry');
  await close();
});

test("the available plans are in the error's details", async () => {
  using folder = temporaryFolder();
  const { send, close } = administration(folder.path, { plans: [PRO] });
  const { body } = await send('POST', TOKENS, { name: 'a', plan: 'gold' });
  expect(body.error.details).toEqual({ parameter: 'plan', valid_plans: ['default', 'pro'] });
  await close();
});

test('while another process has the file locked, a change waits', async () => {
  using folder = temporaryFolder();
  const { send, operator, close } = administration(folder.path);
  await send('GET', TOKENS); // opens the file
  const { Database } = await import('bun:sqlite');
  const other = new Database(`${folder.path}/access.sqlite`);
  other.run('BEGIN IMMEDIATE');
  const changing = send('PATCH', `${TOKENS}/${operator.id}`, { name: 'waited' });
  expect((await send('GET', `${TOKENS}/${operator.id}`)).body.name).toBe('key 9');
  other.run('ROLLBACK');
  other.close();
  expect((await changing).body.name).toBe('waited');
  await close();
});

test('an unreachable Redis is 502', async () => {
  using folder = temporaryFolder();
  const redis = new RedisStore('redis://127.0.0.1:1', 200);
  const { send, close } = administration(folder.path, {}, redis);
  const { status, body } = await send('POST', TOKENS, { name: 'a' });
  expect([status, body.error.code]).toEqual([502, 'UPSTREAM_FAILURE']);
  redis.close();
  await close();
});

test('the description is valid OpenAPI 3.1', async () => {
  using folder = temporaryFolder();
  const { send, close } = administration(folder.path);
  const { body } = await send('GET', '/admin/openapi.json', undefined, {});
  expect(await new Validator().validate(body)).toEqual({ valid: true });
  await close();
});
