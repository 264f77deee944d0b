import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningServer, run, startServer, temporaryFolder } from '../support/process.ts';

const ROUNDS = Number(process.env['ABUSE_KILLS'] ?? 2);
const SIGNED = '/v1/time/current?tz=Europe/Paris&sign=true';

/** Sends requests on several connections until the server is gone; counts the responses and collects their `kid`s. */
async function load({ url }: RunningServer, key: string) {
  const seen = { responses: 0, kids: new Set<string>() };
  const send = async () => {
    for (;;) {
      const response = await fetch(url + SIGNED, { headers: { 'X-API-Key': key } });
      await response.text();
      if (response.status !== 200) throw new Error(`${response.status}`);
      seen.responses++;
      seen.kids.add(response.headers.get('X-Service-Key-Id') ?? 'unsigned');
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: 4 }, send));
  // Each ended with a lost connection, not with an error response.
  return {
    ...seen,
    rejections: ends.filter(end => end.status === 'rejected' && /^Error: \d+$/.test(end.reason)),
  };
}

/** The `kid`s that a server publishes. */
async function publishedKids({ url }: RunningServer): Promise<string[]> {
  const response = await fetch(`${url}/.well-known/time-api-public-key`);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

test(`kill -9 of server and rotation under load, ${ROUNDS} times: every key stays published, every file whole`, async () => {
  using folder = temporaryFolder();
  const state = ['--state-dir', folder.path];
  const key = (await run(['tokens', 'add', '--name', 'a', ...state])).stdout.trim();
  const promised = new Set<string>();
  let responses = 0;
  for (let round = 0; round < ROUNDS; round++) {
    using server = await startServer(state);
    for (const kid of await publishedKids(server)) promised.add(kid);
    const loaded = load(server, key);
    const rotations = Array.from({ length: 4 }, () => run(['keys', 'rotate', '--force', ...state]));
    server.child.kill('SIGHUP');
    await Promise.race(rotations);
    await Bun.sleep(Math.random() * 60);
    server.child.kill('SIGKILL');
    const { rejections, kids, responses: received } = await loaded;
    expect(rejections).toEqual([]);
    responses += received;
    for (const { exitCode, stdout } of await Promise.all(rotations)) {
      expect(exitCode).toBe(0);
      promised.add(stdout.split(' ')[0]!);
    }
    for (const kid of kids) promised.add(kid);
  }
  expect(responses).toBeGreaterThan(0);

  using server = await startServer(state);
  expect((await publishedKids(server)).toSorted()).toEqual([...promised].toSorted());
  const keys = join(folder.path, 'signing-keys');
  for (const name of readdirSync(keys).filter(name => name !== 'lock')) {
    expect([name, JSON.parse(readFileSync(join(keys, name), 'utf8')).kty]).toEqual([name, 'OKP']);
  }
  const { stdout } = await run(['tokens', 'list', '--json', ...state]);
  const [{ used_this_month: used }] = JSON.parse(stdout);
  expect(used).toBeLessThanOrEqual(responses + 4 * ROUNDS); // those whose response the kill cut off
});
