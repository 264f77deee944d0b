import { describe, expect, test } from 'bun:test';
import { monthOf } from '../../src/access/month.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { addKey, openStore } from '../access/control.ts';
import { hasOpenssl, selfSigned } from '../support/openssl.ts';
import { freePort, run, startServer, temporaryFolder, until } from '../support/process.ts';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.ts';

/** The ACL rules of the user that `meridian help redis` proposes, without its password. */
function documentedRules(): string[] {
  const { text } = TOPICS.find(({ name }) => name === 'redis')!;
  const [, rules] = /^ {4}user meridian on >PASSWORD ((?:.+\n)(?: {6}.+\n)*)/m.exec(text)!;
  return rules!.trim().split(/\s+/);
}

/** A Redis that accepts only TLS and an ACL user. */
async function startTls(folder: string) {
  const { cert, key } = selfSigned(folder, 'localhost');
  const port = freePort();
  const tls = [
    '--tls-port',
    String(port),
    '--tls-cert-file',
    cert,
    '--tls-key-file',
    key,
    '--tls-auth-clients',
    'no',
  ];
  const users = ['--user', 'default', 'off', '--user', 'meridian', 'on', '>secret', ...documentedRules()];
  const redis = new RedisServer(folder, { more: [...tls, ...users] });
  await redis.start();
  return { redis, cert, urlOf: (login: string, host = 'localhost') => `rediss://${login}@${host}:${port}` };
}

describe.skipIf(REDIS_PROGRAM === null || !hasOpenssl)(
  'Redis with TLS and an ACL (requires redis-server and openssl)',
  () => {
    test('serves everything to the documented user', async () => {
      using folder = temporaryFolder();
      const { redis, cert, urlOf } = await startTls(folder.path);
      await using _redis = redis;
      const store = openStore(folder.path);
      const { id, key } = addKey(store, 1);
      store.close();
      const flags = ['--redis', urlOf('meridian:secret'), '--state-dir', folder.path];
      const env = { NODE_EXTRA_CA_CERTS: cert };
      const command = async (...args: string[]) => {
        const { exitCode, stdout, stderr } = await run([...args, ...flags], { env });
        expect([args, exitCode, stderr.replace(/^meridian: (--redis: every user|plan ).*\n/gm, '')]).toEqual([
          args,
          0,
          '',
        ]);
        return stdout;
      };
      expect(await command('migrate', 'to-redis')).toStartWith('moved to Redis: 1 API key,');
      await command('plans', 'set', 'small', '--requests-per-month', '1');
      const outage = openStore(folder.path);
      outage.record([{ id, month: monthOf(Date.UTC(2026, 1)).index, count: 4321 }]);
      outage.close();
      using server = await startServer([...flags, '--quota-fail', 'closed'], env);
      const status = async () =>
        (await fetch(`${server.url}/v1/time/current?tz=UTC`, { headers: { 'X-API-Key': key } })).status;
      expect(await status()).toBe(200);
      await command('tokens', 'edit', id, '--plan', 'small');
      await until(async () => (await status()) === 429);
      expect(JSON.parse(await command('tokens', 'usage', '--json'))).toMatchObject([
        { id, month: '2026-02', requests: 4321 },
        { id, requests: expect.any(Number) },
      ]);
      expect(await command('keys', 'list')).toContain('active');
      expect(await command('fleet', 'status')).toContain('nothing differs');
    }, 30_000);

    test('cannot be reached with a wrong password, an unknown CA or under another name', async () => {
      using folder = temporaryFolder();
      const { redis, cert, urlOf } = await startTls(folder.path);
      await using _redis = redis;
      const list = (url: string, env: Record<string, string>) =>
        run(['tokens', 'list', '--redis', url, '--state-dir', folder.path], { env });
      const trusting = { NODE_EXTRA_CA_CERTS: cert };
      expect((await list(urlOf('meridian:secret'), trusting)).exitCode).toBe(0);
      expect((await list(urlOf('meridian:wrong'), trusting)).exitCode).toBe(1);
      expect((await list(urlOf('default:secret'), trusting)).exitCode).toBe(1);
      expect((await list(urlOf('meridian:secret'), {})).exitCode).toBe(1);
      expect((await list(urlOf('meridian:secret', '127.0.0.1'), trusting)).exitCode).toBe(1);
    }, 30_000);
  },
);
