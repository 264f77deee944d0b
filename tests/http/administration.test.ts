import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { KeyAdministration } from '../../src/access/administration.ts';
import type { KeyStore } from '../../src/access/key_store.ts';
import { layeredStore } from '../../src/access/layers.ts';
import type { Plan } from '../../src/access/plan.ts';
import { RedisKeyStore } from '../../src/access/redis/redis_key_store.ts';
import { logKey, RedisStore } from '../../src/access/redis/redis_store.ts';
import { monthOf } from '../../src/access/usage.ts';
import { script } from '../../src/redis/redis_connection.ts';
import { commandLogger } from '../../src/server/access.ts';
import { addKey, NOW_MS, openStore } from '../access/control.ts';
import { newFolder } from '../support/process.ts';
import { column, expectAll } from '../support/responses.ts';
import { type Administration, administration, onEachStore } from './administration.ts';

const TOKENS = '/admin/v1/tokens';
const USAGE = '/admin/v1/usage';
const LOG = '/admin/v1/log';
const MONTH = monthOf(NOW_MS).index;
const PRO: Plan = { name: 'pro', rate: undefined, monthlyQuota: 1000 };
const PLANS = { plans: [PRO] };

onEachStore('a key can be managed from creation to removal', PLANS, async ({ send }) => {
  const added = await send('POST', TOKENS, { name: 'app', plan: 'pro', expires: '90d' });
  expect(added.status).toBe(201);
  const { key, token } = added.body;
  expect(key).toStartWith(`mrd_${token.id}_`);
  const state = { id: token.id, name: 'app', role: 'client', plan: 'pro', state: 'active' };
  const dates = {
    created: '2026-11-21T02:00:00Z',
    expires: '2027-02-19T02:00:00Z',
    former_expires: null,
    last_used: null,
  };
  expect(token).toEqual({ ...state, ...dates });

  const path = `${TOKENS}/${token.id}`;
  expect((await send('GET', path)).body).toEqual(token);
  const edited = await send('PATCH', path, { name: 'the app', plan: 'default', role: 'operator' });
  expect(edited.body).toEqual({ ...token, name: 'the app', plan: 'default', role: 'operator' });
  expect((await send('POST', `${path}/suspend`, {})).body.state).toBe('suspended');
  expect((await send('POST', `${path}/resume`)).body.state).toBe('active');
  expect((await send('POST', `${path}/expire`)).body).toMatchObject({
    state: 'expired',
    expires: '2026-11-21T02:00:00Z',
  });
  expect((await send('POST', `${path}/expire`, { expires: null })).body).toMatchObject({
    state: 'active',
    expires: null,
  });
  const overlapping = await send('POST', `${path}/rotate`);
  expect(overlapping.body.token.former_expires).toBe('2026-11-28T02:00:00Z');
  expect((await send('GET', path)).body).toEqual(overlapping.body.token);
  const rotated = await send('POST', `${path}/rotate`, { overlap: '0' });
  expect(rotated.body.token.former_expires).toBeNull();
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
  'each change is logged and listed with the operator, and without the key',
  PLANS,
  async ({ send, operator, events, lines, folder }, redis) => {
    const { key, token } = (await send('POST', TOKENS, { name: 'app' })).body;
    const path = `${TOKENS}/${token.id}`;
    await send('PATCH', path, { plan: 'pro' });
    const { body: rotated } = await send('POST', `${path}/rotate`);
    await send('POST', `${path}/expire`, { expires: '2027-01-31T12:00:00Z' });
    await send('POST', `${path}/suspend`);
    await send('POST', `${path}/resume`);
    await send('DELETE', path);
    const changes = [
      ['add', { name: 'app', role: 'client', plan: 'default', expires: null }],
      ['edit', { plan: 'pro' }],
      ['rotate', { former_expires: '2026-11-28T02:00:00Z' }],
      ['expire', { expires: '2027-01-31T12:00:00Z' }],
      ['suspend', {}],
      ['resume', {}],
      ['remove', {}],
    ] as const;
    const common = { level: 'info', message: 'API key changed', event: 'api_key_changed', key: token.id };
    expect(events().map(({ time: _, ...event }) => event)).toEqual(
      changes.map(([action, values]) => ({ ...common, operator: operator.id, action, ...values })),
    );
    const by = { time: '2026-11-21T02:00:00Z', id: token.id, user: null, operator: operator.id };
    const log = changes.map(([action, values]) => ({ ...by, action, values }));
    expect((await send('GET', LOG)).body).toEqual({ log });
    expect(await paged(send, LOG, 'log', 3)).toEqual(log as never);
    const stored = redis === null ? [readFileSync(join(folder, 'access.sqlite'), 'latin1')] : [];
    for (const secret of [key, rotated.key])
      expect([...lines, ...stored].join('')).not.toContain(secret.slice('mrd_123456789_'.length));
    await send('DELETE', path);
    expect(events()).toHaveLength(7);
    expect((await send('GET', LOG)).body).toEqual({ log });
  },
);

onEachStore('usage is listed by key and month, as JSON and CSV', PLANS, async ({ send, folder }) => {
  const { token } = (await send('POST', TOKENS, { name: '=app, "x"', plan: 'pro' })).body;
  const store = openStore(folder);
  store.record([
    { id: token.id, month: MONTH, count: 7 },
    { id: token.id, month: MONTH - 1, count: 5 },
    { id: 'key-0123456789abcdef', month: MONTH, count: 1 },
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
    const folder = newFolder();
    const store = openStore(folder);
    const client = addKey(store, 1);
    const [suspended, expired] = [
      addKey(store, 2, 'default', 'operator'),
      addKey(store, 3, 'default', 'operator'),
    ];
    store.change(suspended.id, { suspendedMs: NOW_MS });
    store.change(expired.id, { expiresMs: NOW_MS });
    store.close();
    await using api = administration({}, folder);
    const { send, events } = api;
    const bearer = ({ key }: { key: string }) => ({ Authorization: `Bearer ${key}` });
    const errorWith = (headers: Record<string, string>) => async (request: string) => {
      const [method, path] = request.split(' ') as [string, string];
      const { status, body } = await send(method, path, undefined, headers);
      return `${status} ${body.error?.code}`;
    };
    const ofKey = ['GET', 'DELETE'].map(method => `${method} ${TOKENS}/${client.id}`);
    const more = [`POST ${TOKENS}/${client.id}/suspend`, `GET ${USAGE}`, `GET ${USAGE}.csv`];
    const requests = [`GET ${TOKENS}`, `POST ${TOKENS}`, ...ofKey, ...more];
    await expectAll(errorWith({}), '401 UNAUTHORIZED', requests);
    await expectAll(errorWith(bearer(client)), '401 UNAUTHORIZED', requests);
    await expectAll(errorWith({ 'X-API-Key': 'none-of-the-keys' }), '401 INVALID_AUTH', requests);
    await expectAll(errorWith(bearer(suspended)), '403 SUBSCRIPTION_INACTIVE', requests);
    await expectAll(errorWith(bearer(expired)), '403 SUBSCRIPTION_INACTIVE', requests);
    expect(events()).toEqual([]);
  });

  test('on an open server too, but metrics, health and the description are open to everyone', async () => {
    await using api = administration({ open: true });
    await using keyed = administration();
    const statusOf = async (path: string) => (await api.send('GET', path, undefined, {})).status;
    expect([await statusOf(TOKENS), (await api.send('GET', TOKENS)).status]).toEqual([401, 200]);
    const openTo = async (path: string) => (await keyed.send('GET', path, undefined, {})).status;
    await expectAll(openTo, 200, ['/metrics', '/healthz', '/admin/openapi.json']);
  });

  test('and their requests count against no limit', async () => {
    const none: Plan = { name: 'default', rate: { perSecond: 0.001, burst: 1 }, monthlyQuota: 1 };
    await using api = administration({ plans: [none] });
    for (let i = 0; i < 5; i++) expect((await api.send('GET', TOKENS)).status).toBe(200);
    expect((await api.send('GET', USAGE)).body).toEqual({ usage: [] });
  });
});

test("an invalid request returns an error in the contract's shape and changes nothing", async () => {
  await using api = administration(PLANS);
  const { app, send, operator, events } = api;
  const long = JSON.stringify({ name: 'a'.repeat(20_000) });
  const TWICE = '400 Cannot read the body: it has the member';
  for (const [request, body, error] of [
    ['POST /tokens', {}, "400 Cannot read 'name': expected required property"],
    ['POST /tokens', { name: '' }, "400 Cannot read 'name': expected string length greater or equal to 1"],
    ['POST /tokens', { name: 'a\nb' }, "400 Cannot read 'name': it is not one line"],
    ['POST /tokens', { name: 'a'.repeat(101) }, "400 Cannot read 'name': expected string length less"],
    ['POST /tokens', { name: 'a', role: 'root' }, "400 Cannot read 'role': expected 'client' or 'operator'"],
    ['POST /tokens', { name: 'a', expires: 5 }, "400 Cannot read 'expires': expected string or null"],
    ['POST /tokens', { name: 'a', plan: 'gold' }, "400 Cannot read 'plan': there is no plan 'gold'"],
    [
      'POST /tokens',
      { name: 'a', expires: '2027-02-30' },
      "400 Cannot read 'expires': '2027-02-30' is not a date",
    ],
    ['POST /tokens', { name: 'a', expires: 'soon' }, "400 Cannot read 'expires': 'soon' is neither"],
    ['POST /tokens', { name: 'a', expire: 'never' }, "400 Cannot read 'expire': it is not one of 'name'"],
    ['POST /tokens', 'null', '400 The body must be an object with some of '],
    ['POST /tokens', '{"name"', '400 Cannot read the body: it is not JSON'],
    ['POST /tokens', '[[[[[]]]]]', '400 Cannot read the body: it is nested deeper than 4 levels'],
    ['POST /tokens', '{"name":"a","n\\u0061me":"b"}', `${TWICE} 'name' twice`],
    ['POST /tokens', '{"name":"\\ud800"}', '400 Cannot read the body: it has an unpaired surrogate'],
    ['POST /tokens', Buffer.from('{"name":"\xe9"}', 'latin1'), '400 Cannot read the body: it is not UTF-8'],
    ['POST /tokens', long, '413 The body exceeds the maximum of 16384 bytes'],
    ['POST /tokens/ID/suspend', { reason: 'x' }, "400 Cannot read 'reason': the body must be empty"],
    ['POST /tokens/ID/resume', '[]', '400 The body must be empty'],
    ['DELETE /tokens/ID', { '/~0': 1 }, "400 Cannot read '/~0': the body must be empty"],
    ['PATCH /tokens/ID', '{"role":"client","role":"operator"}', `${TWICE} 'role' twice`],
    ['PATCH /tokens/ID', {}, '400 The body must be an object with some of '],
    ['PATCH /tokens/ID', { plan: 'gold' }, "400 Cannot read 'plan': there is no plan 'gold'"],
    ['POST /tokens/ID/rotate', { overlap: 'x' }, "400 Cannot read 'overlap': 'x' is not a duration"],
    ['POST /tokens/ID/expire', { expires: '' }, "400 Cannot read 'expires': '' is neither"],
    ['GET /tokens?month=2026-13', undefined, "400 Cannot read 'month': '2026-13' is not a month"],
    ['GET /usage?month=', undefined, "400 Cannot read 'month'"],
    ['PUT /tokens', {}, '405 PUT is not allowed here; GET, HEAD, POST and OPTIONS are'],
    ['GET /tokens/ID/rotate', undefined, '405 GET is not allowed here; POST and OPTIONS are'],
    ['GET /tokens/ID/rotate/x', undefined, '404 There is nothing at '],
  ] as const) {
    const [method, path] = request.replace('ID', operator.id).split(' ') as [string, string];
    const outcome = await send(method, `/admin/v1${path}`, body);
    const found = `${outcome.status} ${outcome.body.error.message}`;
    expect(`${request}: ${found}`).toStartWith(`${request}: ${error}`);
    expect(outcome.headers.get('Cache-Control')).toBe('no-store');
    expect((await send('GET', TOKENS)).body.tokens).toHaveLength(1);
  }
  expect(events()).toEqual([]);
  const { body } = await send('POST', TOKENS, { name: 'a', plan: 'gold' });
  expect(body.error.details).toEqual({ parameter: 'plan', valid_plans: ['default', 'pro'] });
  const text = { Authorization: `Bearer ${operator.key}`, 'Content-Type': 'text/plain' };
  expect((await send('POST', TOKENS, '{"name":"a"}', text)).status).toBe(415);
  // A client that sends its bodies in chunks has one even if it is empty.
  const empty = { method: 'POST', headers: { 'X-API-Key': operator.key }, body: new Blob([]).stream() };
  const chunked = new Request(`http://localhost${TOKENS}/none/suspend`, empty);
  expect((await app.handle(chunked)).status).toBe(404);
});

test('responses with keys are not stored by caches, and an unknown parameter is named', async () => {
  await using api = administration();
  const { headers } = await api.send('POST', `${TOKENS}?dry=true`, { name: 'a' });
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('X-Service-Ignored-Parameters')).toBe('dry');
});

/** KEYS: a hash. ARGV: alternating names and values of its fields. */
const HSET = script("return redis.call('HSET', KEYS[1], unpack(ARGV))");

/** Stores texts as entries of the log, each in a field whose name is its position. */
async function addToLog(entries: Readonly<Record<string, string>>, folder: string, redis: RedisStore | null) {
  if (redis !== null) {
    for (const [name, text] of Object.entries(entries))
      await redis.execute(HSET, [logKey(monthOf(Number.parseInt(name, 10)).index)], [name, text]);
    return;
  }
  const file = new Database(`${folder}/access.sqlite`);
  const insert = file.query('INSERT INTO token_log (time_ms, serial, entry) VALUES (?1, ?2, ?3)');
  for (const [name, text] of Object.entries(entries))
    insert.run(...(name.split('.') as [string, string]), text);
  file.close();
}

const FORGED = { action: 'edit', id: 'a', user: 'eve@host', operator: null };

onEachStore(
  'an entry of the log that is damaged is listed as unreadable, with the time and order that its name gives',
  PLANS,
  async ({ send, folder }, redis) => {
    await send('POST', TOKENS, { name: 'app' });
    const [{ ...first }] = (await send('GET', LOG)).body.log;
    const at = (seconds: number) => `${NOW_MS + seconds * 1000}`;
    const values = { plan: 'pro', expires: null, unknown: 'x', 'level=error event': 'y' };
    await addToLog(
      {
        [`${at(4)}.d`]: JSON.stringify({ ...FORGED, timeMs: null, serial: {}, values }),
        [`${at(2)}.b`]: '{"values":{}}',
        [`${at(1)}.a`]: 'garbage',
        [`${at(3)}.c`]: JSON.stringify({ ...FORGED, values: { plan: 1 } }),
      },
      folder,
      redis,
    );
    const unreadable = { action: 'unreadable', id: '', user: null, operator: null, values: {} };
    const log = [
      first,
      ...[1, 2, 3].map(second => ({ time: `2026-11-21T02:00:0${second}Z`, ...unreadable })),
      { time: '2026-11-21T02:00:04Z', ...FORGED, values: { plan: 'pro', expires: null } },
    ];
    expect((await send('GET', LOG)).body).toEqual({ log });
    expect(await paged(send, LOG, 'log', 1)).toEqual(log as never);
    if (redis === null) return;
    const misplaced = JSON.stringify({ ...FORGED, values: {} });
    await redis.execute(HSET, [logKey(MONTH)], ['junk', misplaced, '1.a', misplaced, '0x.b', misplaced]);
    const more = [1, 2, 3].map(() => ({ time: '2026-11-01T00:00:00Z', ...unreadable }));
    expect(await paged(send, LOG, 'log', 1)).toEqual([...more, ...log] as never);
  },
);

onEachStore(
  'a change by a command is logged once by a server that follows the keys',
  {},
  async (api, redis) => {
    const { log, lines, keys, folder } = api;
    let stamp = '';
    const follow = commandLogger(
      {
        get keyStamp() {
          return stamp;
        },
      },
      keys,
      log,
    );
    const file = openStore(folder);
    const store = redis === null ? file : layeredStore(new RedisKeyStore(redis), file);
    const command = new KeyAdministration(() => store);
    const authored = { author: { user: 'alice as root@host', operator: null }, nowMs: Date.now() };
    const terms = { name: 'app', role: 'client' as const, plan: 'default', expiresMs: null };
    const { report } = await command.add(terms, authored);
    await follow();
    expect(lines).toEqual([]);
    stamp = 'changed';
    await follow();
    await command.change(report.id, 'suspend', { suspendedMs: NOW_MS }, authored);
    await keys.remove(report.id, { author: { user: null, operator: 'key-1' }, nowMs: Date.now() });
    const values = {
      plan: 'pro',
      event: 'x',
      level: 'error',
      message: 'x',
      user: 'x',
      operator: 'x',
      key: 'x',
    };
    await addToLog({ [`${Date.now()}.zz`]: JSON.stringify({ ...FORGED, values }) }, folder, redis);
    stamp = 'changed again';
    await follow();
    const common = { level: 'info', message: 'API key changed', event: 'api_key_changed', key: report.id };
    const [added, removed, suspended, forged, ...others] = api.events().map(({ time: _, ...event }) => event);
    const { expiresMs: expires, ...rest } = terms;
    expect(added).toEqual({ ...common, action: 'add', user: 'alice as root@host', ...rest, expires });
    expect(removed).toEqual({ ...common, action: 'remove', operator: 'key-1' });
    expect(suspended).toEqual({ ...common, action: 'suspend', user: 'alice as root@host' });
    expect(forged).toEqual({ ...common, key: 'a', action: 'edit', user: 'eve@host', plan: 'pro' });
    expect(others).toEqual([]);
    const unused = { lastUsedMs: null, suspendedMs: null, former: null, createdMs: NOW_MS };
    const imported = [1, 2].map(id => ({
      ...terms,
      ...unused,
      id: `${id}`,
      digest: new Uint8Array(32).fill(id),
    }));
    await command.import({ keys: imported, removed: [], usage: [] }, authored);
    stamp = 'changed by an import';
    lines.length = 0;
    await follow();
    const { time: _, ...event } = api.events().at(-1)!;
    const { user } = authored.author;
    expect(event).toEqual({
      level: 'info',
      message: 'API keys imported',
      event: 'api_keys_imported',
      keys: 2,
      user,
    });
    expect(lines).toHaveLength(1);
    file.close();
  },
);

test('while another process has the file locked, a change waits', async () => {
  await using api = administration();
  const { send, operator, folder } = api;
  await send('GET', TOKENS); // opens the file
  const other = new Database(`${folder}/access.sqlite`);
  other.run('BEGIN IMMEDIATE');
  const changing = send('PATCH', `${TOKENS}/${operator.id}`, { name: 'waited' });
  expect((await send('GET', `${TOKENS}/${operator.id}`)).body.name).toBe('key 9');
  other.run('ROLLBACK');
  other.close();
  expect((await changing).body.name).toBe('waited');
});

test('an unreachable Redis is 502 with Retry-After', async () => {
  const redis = new RedisStore('redis://127.0.0.1:1', 200);
  await using api = administration({}, newFolder(), redis);
  const { send } = api;
  const { status, headers, body } = await send('POST', TOKENS, { name: 'a' });
  expect([status, body.error.code, headers.get('Retry-After')]).toEqual([502, 'UPSTREAM_FAILURE', '1']);
  redis.close();
});

test('the description is valid OpenAPI 3.1', async () => {
  await using api = administration();
  const { send } = api;
  const { body } = await send('GET', '/admin/openapi.json', undefined, {});
  expect(await new Validator().validate(body)).toEqual({ valid: true });
});

/** More than two batches of a store, the last one not full. */
const KEYS = 230;

type Send = Administration['send'];

/** Adds keys to two stores in turn, several from the same millisecond, with usage in three months. */
async function fill(stores: readonly KeyStore[], count: (id: string, month: number) => unknown) {
  for (let i = 0; i < KEYS; i++) {
    const id = idOf(i);
    const digest = Buffer.alloc(32, 1 + (i % 250));
    digest.writeUInt32BE(i, 0);
    await stores[i % 2]!.add({
      id,
      name: `key ${i}`,
      plan: 'default',
      digest,
      createdMs: NOW_MS - 1000 + Math.floor(i / 3),
    });
    for (const month of [MONTH, MONTH - 1, MONTH - 12]) await count(id, month);
  }
}

/** An id that does not sort by number. */
function idOf(i: number): string {
  return `${(i * 37) % KEYS}`.padStart(3, '0').concat('Abc');
}

/** The pages of a list, by following its cursors. */
async function* pages(send: Send, path: string, name: string, limit: number, between?: () => unknown) {
  const joint = path.includes('?') ? '&' : '?';
  for (let cursor = ''; ; ) {
    const { status, body } = await send('GET', `${path}${joint}limit=${limit}${cursor}`);
    expect(status).toBe(200);
    expect(body[name].length).toBeLessThanOrEqual(limit);
    yield body[name] as { id: string; month?: string; requests: number }[];
    if (body.next_cursor === undefined) return;
    expect(body[name]).toHaveLength(limit);
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    await between?.();
  }
}

async function paged(...args: Parameters<typeof pages>) {
  return (await Array.fromAsync(pages(...args))).flat();
}

/** Runs a test with {@link KEYS} keys in a file and, if redis-server is installed, half of them in Redis. */
function onFilledStore(name: string, run: (send: Send, store: KeyStore) => Promise<void>): void {
  onEachStore(name, {}, async ({ send, folder }, redis) => {
    const file = openStore(folder);
    const shared = redis === null ? file : new RedisKeyStore(redis);
    const store = redis === null ? file : layeredStore(shared, file);
    await fill([file, shared], (id, month) => {
      file.record([{ id, month, count: 1 }]);
      const usage = [{ id, month, count: Number.parseInt(id, 10) }];
      return redis === null ? file.record(usage) : redis.raiseUsage(usage);
    });
    await run(send, store);
    file.close();
  });
}

onFilledStore('the pages of a list make up the list', async send => {
  for (const [path, name] of [
    [TOKENS, 'tokens'],
    [`${TOKENS}?month=2026-10`, 'tokens'],
    [USAGE, 'usage'],
    [`${USAGE}?month=2026-10`, 'usage'],
    [`${USAGE}?month=2026-09`, 'usage'],
  ] as const) {
    const { body } = await send('GET', path);
    expect(body).not.toHaveProperty('next_cursor');
    for (const limit of [55, 100, KEYS, KEYS + 1])
      expect(await paged(send, path, name, limit)).toEqual(body[name]);
  }
  const { body: tokens } = await send('GET', TOKENS);
  const expected = Array.from({ length: KEYS }, (_, i) => idOf(i));
  for (let i = 0; i < KEYS; i += 3) expected.splice(i, 3, ...expected.slice(i, i + 3).sort());
  expect(column(tokens.tokens, 'id').slice(0, KEYS)).toEqual(expected); // the last one is the operator's
  expect(tokens.tokens[5].requests).toBe(1 + Number.parseInt(expected[5]!, 10));
  const { body: usage } = await send('GET', USAGE);
  const ids = Array.from({ length: KEYS }, (_, i) => idOf(i)).sort();
  const rows = ['2025-11', '2026-10', '2026-11'].flatMap(month => ids.map(id => `${month} ${id}`));
  expect(usage.usage.map(({ month, id }: { month: string; id: string }) => `${month} ${id}`)).toEqual(rows);
  const { body: csv } = await send('GET', `${USAGE}.csv`);
  expect(csv.trimEnd().split('\r\n')).toHaveLength(1 + rows.length);
});

onFilledStore('keys added and removed meanwhile make no other skipped or repeated', async (send, store) => {
  const before = column((await send('GET', TOKENS)).body.tokens, 'id');
  const removed: string[] = [];
  let added = 0;
  const between = async () => {
    const id = before[added * 20]!; // on pages already read and not yet read
    await store.remove(id, NOW_MS);
    removed.push(id);
    added += 1;
    const digest = Buffer.alloc(32, 255 - added);
    await store.add({ id: `new${added}`, name: 'new', plan: 'default', digest, createdMs: NOW_MS + added });
  };
  const seen = (await paged(send, TOKENS, 'tokens', 25, between)).map(({ id }) => id);
  expect(new Set(seen).size).toBe(seen.length);
  expect(before.filter(id => !seen.includes(id) && !removed.includes(id))).toEqual([]);
  expect(removed.length).toBeGreaterThan(5);
  const usage = await paged(send, USAGE, 'usage', 50, async () => {
    if (removed.length < before.length) await store.remove(before[before.length - 2]!, NOW_MS);
  });
  expect(usage).toHaveLength(3 * KEYS); // usage of removed keys stays
});

test("invalid list parameters are errors in the contract's shape", async () => {
  await using api = administration();
  const errorOf = async (path: string) => {
    const { status, body } = await api.send('GET', `/admin/v1/${path}`);
    return `${status} ${body.error.code} ${body.error.details.parameter}: ${body.error.message}`;
  };
  const expected = {
    'tokens?limit=0': "limit: Cannot read 'limit': '0' is not between 1 and 250000",
    'tokens?limit=250001': "limit: Cannot read 'limit': '250001' is not between 1 and 250000",
    'usage?limit=ten': "limit: Cannot read 'limit': 'ten' is not a whole number of rows",
    'tokens?cursor=': "cursor: Cannot read 'cursor': it has no value",
    'tokens?cursor=2026-11.abc':
      "cursor: Cannot read 'cursor': '2026-11.abc' is not a 'next_cursor' of this list",
    'usage?cursor=1795226400000.abc':
      "cursor: Cannot read 'cursor': '1795226400000.abc' is not a 'next_cursor' of this list",
    'usage?cursor=2026-13.abc':
      "cursor: Cannot read 'cursor': '2026-13.abc' is not a 'next_cursor' of this list",
    'usage?cursor=2026-11.a%27%20OR%201':
      "cursor: Cannot read 'cursor': '2026-11.a' OR 1' is not a 'next_cursor'",
    'log?cursor=2026-11.abc':
      "cursor: Cannot read 'cursor': '2026-11.abc' is not a 'next_cursor' of this list",
    'usage?month=2026-10&cursor=2026-11.abc':
      "cursor: Cannot read 'cursor': '2026-11.abc' belongs to a list for another month",
  };
  for (const [path, error] of Object.entries(expected)) {
    expect(await errorOf(path), path).toStartWith(`400 INVALID_PARAMETER ${error}`);
  }
  const { headers } = await api.send('GET', `${USAGE}.csv?limit=5`);
  expect(headers.get('X-Service-Ignored-Parameters')).toBe('limit');
});
