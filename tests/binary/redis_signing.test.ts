import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningServer, run, startServer, temporaryFolder, until, within } from '../support/process.ts';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.ts';

const SIGNED = '/v1/time/current?tz=UTC&sign=true';
const KEYS = '/.well-known/time-api-public-key';

/** How long a server may take to notice a change. */
const SECOND_MS = 1000;

/** Servers with separate state directories and one Redis. */
async function startFleet(count: number, flags: readonly string[]) {
  const folders = Array.from({ length: count }, () => temporaryFolder());
  const start = (index: number) => startServer([...flags, '--state-dir', folders[index]!.path]);
  const servers: RunningServer[] = await Promise.all(folders.map((_, index) => start(index)));
  return {
    folders,
    servers,
    start,
    [Symbol.dispose]() {
      for (const server of servers) server[Symbol.dispose]();
      for (const folder of folders) folder[Symbol.dispose]();
    },
  };
}

/** A server's signed response, saved with its headers, and the `kid` of its key. */
async function signedResponse(server: RunningServer, folder: string) {
  const response = await fetch(server.url + SIGNED);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const path = join(folder, 'response');
  writeFileSync(path, `HTTP/1.1 200 OK\r\n${headers}\r\n${await response.text()}`);
  return { path, kid: response.headers.get('x-service-key-id') };
}

async function kidsOf({ url }: RunningServer): Promise<string[]> {
  const { keys } = (await (await fetch(url + KEYS)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

/** Whether a response of each server verifies with every server's key set. */
async function expectVerified(servers: readonly RunningServer[], folder: string): Promise<void> {
  for (const signer of servers) {
    const { path } = await signedResponse(signer, folder);
    for (const { url } of servers) {
      const { exitCode, stderr } = await run(['verify', '--jwks', url + KEYS, '--headers', path]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    }
  }
}

describe.skipIf(REDIS_PROGRAM === null)('servers with one Redis (requires redis-server)', () => {
  test("verify each other's signatures, even after a rotation", async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    using fleet = await startFleet(3, ['--redis', redis.url]);
    await expectVerified(fleet.servers, folder.path);
    const before = await kidsOf(fleet.servers[0]!);
    expect(new Set(before).size).toBe(3);
    const flags = ['--redis', redis.url, '--state-dir', fleet.folders[1]!.path];
    const rotated = await run(['keys', 'rotate', '--force', ...flags]);
    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
    const kid = /^\S+/.exec(rotated.stdout)![0];
    await until(async () => (await kidsOf(fleet.servers[1]!))[0] === kid);
    // The others read new keys from Redis every second.
    for (const server of fleet.servers) await until(async () => (await kidsOf(server)).includes(kid));
    await expectVerified(fleet.servers, folder.path);
    // A revoked key is unknown everywhere within a second.
    const gone = before.find(known => known !== before[0] && rotated.stdout.includes(known) === false)!;
    const list = await run(['keys', 'list', '--redis', redis.url, '--state-dir', join(folder.path, 'none')]);
    expect(list.stdout.match(/active on another machine/g)).toHaveLength(3);
    await run([
      'keys',
      'revoke',
      gone,
      '--force',
      '--redis',
      redis.url,
      '--state-dir',
      join(folder.path, 'none'),
    ]);
    for (const server of fleet.servers)
      await within(SECOND_MS, async () => !(await kidsOf(server)).includes(gone));
    await expectVerified(fleet.servers, folder.path);
  }, 60_000);
});
