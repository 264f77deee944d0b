import { expect } from 'bun:test';
import { join } from 'node:path';
import {
  newFolder,
  onLinux,
  type RunningServer,
  run,
  startServer,
  until,
  within,
} from '../support/process.ts';
import { startRedis, withRedis } from '../support/redis.ts';

/** How long servers may take to notice a change: a second, and more on a busy machine. */
const NOTICED_MS = 5000;

/** The first operator key, which only the command can create. */
async function firstOperator(...store: string[]): Promise<string> {
  return (await run(['tokens', 'add', '--name', 'ops', '--role', 'operator', ...store])).stdout.trim();
}

/** Calls a server's operator API. */
function operatorOf({ adminUrl }: RunningServer, key: string) {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.status === 204 ? null : JSON.parse(await response.text());
  };
}

/** The statuses of 20 requests on separate connections, which reach all workers. */
async function statuses({ url }: RunningServer, key: string): Promise<number[]> {
  const request = async () => {
    const headers = { 'X-API-Key': key, Connection: 'close' };
    const response = await fetch(`${url}/v1/time/current`, { headers, keepalive: false });
    await response.text();
    return response.status;
  };
  return Promise.all(Array.from({ length: 20 }, request));
}

/** Waits until all requests have a status, for a second at most; returns how many were granted until then. */
async function expectSoon(servers: readonly RunningServer[], key: string, status: number) {
  let granted = 0;
  await within(NOTICED_MS, async () => {
    const all = (await Promise.all(servers.map(server => statuses(server, key)))).flat();
    granted += all.filter(each => each === 200).length;
    return all.every(each => each === status);
  });
  return granted;
}

onLinux("operators' changes to keys in the file take effect on all workers within a second", async () => {
  const folder = newFolder();
  const state = ['--state-dir', join(folder, 'state')];
  const key = await firstOperator(...state);
  using server = await startServer([...state, '--workers', '2', '--admin-listen', '127.0.0.1:0']);
  const operate = operatorOf(server, key);
  const added = await operate('POST', '/admin/v1/tokens', { name: 'app' });
  const { id } = added.token;
  expect(await server.events.next('API key changed')).toMatchObject({
    level: 'info',
    action: 'add',
    key: id,
    operator: key.split('_')[1]!,
  });
  let granted = await expectSoon([server], added.key, 200);
  await operate('POST', `/admin/v1/tokens/${id}/suspend`);
  granted += await expectSoon([server], added.key, 403);
  const { key: rotated } = await operate('POST', `/admin/v1/tokens/${id}/rotate`, { overlap: '0' });
  await operate('POST', `/admin/v1/tokens/${id}/resume`);
  granted += await expectSoon([server], rotated, 200);
  expect(new Set(await statuses(server, added.key))).toEqual(new Set([403]));
  // Each worker writes its usage once a second.
  const requests = async () => (await operate('GET', '/admin/v1/usage')).usage[0]?.requests;
  await until(async () => (await requests()) === granted);
  expect(await operate('DELETE', `/admin/v1/tokens/${id}`)).toBeNull();
  await expectSoon([server], rotated, 401);
  const listed = JSON.parse((await run(['tokens', 'list', '--json', ...state])).stdout);
  expect(listed).toMatchObject([{ name: 'ops', role: 'operator' }]);
});

withRedis("operators' changes to keys in Redis take effect on all servers within a second", async () => {
  const folder = newFolder();
  await using redis = await startRedis();
  const store = ['--redis', redis.url];
  const key = await firstOperator(...store, '--state-dir', join(folder, 'none'));
  const args = (name: string) => [...store, '--state-dir', join(folder, name)];
  using first = await startServer([...args('a'), '--admin-listen', '127.0.0.1:0']);
  using second = await startServer(args('b'));
  const operate = operatorOf(first, key);
  const added = await operate('POST', '/admin/v1/tokens', { name: 'app' });
  await expectSoon([first, second], added.key, 200);
  await operate('POST', `/admin/v1/tokens/${added.token.id}/suspend`);
  await expectSoon([first, second], added.key, 403);
  await redis.send('CONFIG', 'SET', 'maxmemory', '1');
  const { error: full } = await operate('POST', '/admin/v1/tokens', { name: 'another' });
  expect([full.code, full.message]).toEqual([
    'UPSTREAM_FAILURE',
    expect.stringContaining('it is full (OOM)'),
  ]);
  await redis.kill();
  const { error } = await operate('POST', '/admin/v1/tokens', { name: 'another' });
  expect(error.code).toBe('UPSTREAM_FAILURE');
});
