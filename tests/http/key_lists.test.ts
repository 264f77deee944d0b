import { expect, test } from 'bun:test';
import type { KeyStore } from '../../src/access/key_store.ts';
import { LayeredKeyStore } from '../../src/access/layers.ts';
import { RedisKeyStore } from '../../src/access/redis/redis_key_store.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { monthOf } from '../../src/access/usage.ts';
import { NOW_MS, openStore } from '../access/control.ts';
import { temporaryFolder } from '../support/process.ts';
import { REDIS_PROGRAM, startRedis } from '../support/redis.ts';
import { administration } from './administration.ts';

const TOKENS = '/admin/v1/tokens';
const USAGE = '/admin/v1/usage';
const MONTH = monthOf(NOW_MS).index;
/** More than two batches of a store, the last one not full. */
const KEYS = 230;

type Send = ReturnType<typeof administration>['send'];

/** Keys, several from the same millisecond, with usage in three months; the id of each. */
async function fill(store: KeyStore, count: (id: string, month: number) => Promise<unknown> | unknown) {
  for (let i = 0; i < KEYS; i++) {
    const id = idOf(i);
    const digest = Buffer.alloc(32, 1 + (i % 250));
    digest.writeUInt32BE(i, 0);
    await store.add({
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

/** Runs a test with keys in a file and, if redis-server is installed, with keys in Redis. */
function onEachStore(name: string, run: (send: Send, store: KeyStore) => Promise<void>): void {
  test(`${name}, in the file`, async () => {
    using folder = temporaryFolder();
    const store = openStore(folder.path);
    await fill(store, (id, month) => store.record([{ id, month, count: 1 + Number.parseInt(id, 10) }]));
    const api = administration(folder.path);
    await run(api.send, store);
    store.close();
    await api.close();
  });
  test.skipIf(REDIS_PROGRAM === null)(`${name}, in Redis (requires redis-server)`, async () => {
    using folder = temporaryFolder();
    await using server = await startRedis();
    const redis = new RedisStore(server.url, 2000);
    await redis.connect();
    const file = openStore(folder.path);
    const store = new LayeredKeyStore(new RedisKeyStore(redis), file);
    await fill(store, (id, month) => redis.raiseUsage([{ id, month, count: 1 + Number.parseInt(id, 10) }]));
    const api = administration(folder.path, {}, redis);
    await run(api.send, store);
    redis.close();
    file.close();
    await api.close();
  });
}

onEachStore('the pages of a list make up the list', async send => {
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
  const listed = tokens.tokens.map(({ id }: { id: string }) => id);
  expect(listed.slice(0, KEYS)).toEqual(expected); // the last one is the operator's
  expect(tokens.tokens[5].requests).toBe(1 + Number.parseInt(expected[5]!, 10));
  const { body: usage } = await send('GET', USAGE);
  const ids = Array.from({ length: KEYS }, (_, i) => idOf(i)).sort();
  const rows = ['2025-11', '2026-10', '2026-11'].flatMap(month => ids.map(id => `${month} ${id}`));
  expect(usage.usage.map(({ month, id }: { month: string; id: string }) => `${month} ${id}`)).toEqual(rows);
  const { body: csv } = await send('GET', `${USAGE}.csv`);
  expect(csv.trimEnd().split('\r\n')).toHaveLength(1 + rows.length);
});

onEachStore(
  'keys added and removed meanwhile cause no other to be skipped or repeated',
  async (send, store) => {
    const before = (await send('GET', TOKENS)).body.tokens.map(({ id }: { id: string }) => id) as string[];
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
  },
);

test("invalid list parameters are errors in the contract's shape", async () => {
  using folder = temporaryFolder();
  const { send, close } = administration(folder.path);
  for (const [path, parameter, message] of [
    [`${TOKENS}?limit=0`, 'limit', "'0' is not between 1 and 250000"],
    [`${TOKENS}?limit=250001`, 'limit', "'250001' is not between 1 and 250000"],
    [`${USAGE}?limit=ten`, 'limit', "'ten' is not a whole number of rows"],
    [`${TOKENS}?cursor=`, 'cursor', 'it has no value'],
    [`${TOKENS}?cursor=2026-11.abc`, 'cursor', "'2026-11.abc' is not a 'next_cursor' of this list"],
    [
      `${USAGE}?cursor=1795226400000.abc`,
      'cursor',
      "'1795226400000.abc' is not a 'next_cursor' of this list",
    ],
    [`${USAGE}?cursor=2026-13.abc`, 'cursor', "'2026-13.abc' is not a 'next_cursor' of this list"],
    [`${USAGE}?cursor=2026-11.a%27%20OR%201`, 'cursor', "'2026-11.a' OR 1' is not a 'next_cursor'"],
    [
      `${USAGE}?month=2026-10&cursor=2026-11.abc`,
      'cursor',
      "'2026-11.abc' belongs to a list for another month",
    ],
  ] as const) {
    const { status, body } = await send('GET', path);
    expect([path, status, body.error.code]).toEqual([path, 400, 'INVALID_PARAMETER']);
    expect(body.error.message).toStartWith(`Cannot read '${parameter}': ${message}`);
    expect(body.error.details).toEqual({ parameter });
  }
  const { headers } = await send('GET', `${USAGE}.csv?limit=5`);
  expect(headers.get('X-Service-Ignored-Parameters')).toBe('limit');
  await close();
});
