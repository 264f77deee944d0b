import { describe, expect, test } from 'bun:test';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startClients } from '../support/clients.ts';
import { codeBlock } from '../support/documentation.ts';
import { selfSigned } from '../support/openssl.ts';
import { eventsOf, freePort, newFolder, run, startProxy, startServer } from '../support/process.ts';

const FOLDER = newFolder();
// The proxies switch to their own users.
chmodSync(FOLDER, 0o755);

const NAME = 'time.example.org';
const KEY = 'a-key-for-the-tests-of-proxies';
/** The source address of requests: not that of the proxy, which is trusted. */
const CLIENT = '127.0.0.2';
const NETWORKS = join(FOLDER, 'networks');
writeFileSync(NETWORKS, `${CLIENT}/32, Europe/Paris\n10.0.0.0/8, Asia/Tokyo\n`);

const printed = (language: string, replacements: readonly (readonly [string, string])[]) =>
  codeBlock('src/cli/topics/proxies.md', language, replacements);

/** A proxy: its configuration for a server, written to a folder. */
interface Proxy {
  /** Returns its command and URL. */
  readonly configure: (server: string) => {
    readonly command: readonly string[];
    readonly env?: Record<string, string>;
    readonly url: string;
  };
}

const nginx: Proxy = {
  configure(server) {
    const port = freePort();
    const { cert, key } = selfSigned(FOLDER, NAME);
    const site = printed('nginx', [
      ['unix:/run/meridian/socket', server],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      [`/etc/ssl/certs/${NAME}.pem`, cert],
      [`/etc/ssl/private/${NAME}.key`, key],
    ]);
    const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      kind => `${kind}_temp_path ${join(FOLDER, kind)};`,
    );
    const path = join(FOLDER, 'nginx.conf');
    writeFileSync(
      path,
      `daemon off; pid ${join(FOLDER, 'nginx.pid')}; error_log stderr warn;\nevents {}\nhttp { access_log off; ${scratch.join(' ')}\n${site}}\n`,
    );
    return { command: ['nginx', '-e', 'stderr', '-c', path], url: `https://127.0.0.1:${port}` };
  },
};

const caddy: Proxy = {
  configure(server) {
    const url = `http://127.0.0.1:${freePort()}`;
    const site = printed('caddyfile', [
      ['unix//run/meridian/socket', server.replace(/^unix:/, 'unix/')],
      [NAME, url],
    ]);
    const path = join(FOLDER, 'Caddyfile');
    writeFileSync(path, `{\n\tadmin off\n}\n${site}`);
    const env = { XDG_DATA_HOME: FOLDER, XDG_CONFIG_HOME: FOLDER };
    const command = ['sh', '-c', `exec caddy run --config ${path} --adapter caddyfile 2> /dev/null`];
    return { command, env, url };
  },
};

/** Starts a server and a proxy in front of it, configured as in `meridian help proxies`. */
async function startBoth(proxy: Proxy, over: 'a unix socket' | 'the loopback') {
  const socket = join(FOLDER, 'socket');
  const isUnix = over === 'a unix socket';
  const server = await startServer([
    ...(isUnix ? ['--listen', `unix:${socket}`] : []),
    ...['--trust-proxy', isUnix ? 'unix' : '127.0.0.1'],
    ...['--ip-zones', NETWORKS, '--api-key', KEY],
  ]);
  const { command, env, url } = proxy.configure(isUnix ? `unix:${socket}` : new URL(server.url).host);
  const running = await startProxy(command, url, env).catch(error => {
    server[Symbol.dispose]();
    throw error;
  });
  return {
    server,
    url,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      server[Symbol.dispose]();
      await server.child.exited; // the next server takes over the same socket
    },
  };
}

/** Sends a request from another address. */
async function curl(url: string, ...args: readonly string[]) {
  const [head, body] = [join(FOLDER, 'head'), join(FOLDER, 'body')];
  rmSync(head, { force: true });
  writeFileSync(body, '');
  const child = Bun.spawn(
    ['curl', '-gksS', '--interface', CLIENT, '-D', head, '-o', body, '-w', '%{http_code}', ...args, url],
    { stdout: 'pipe', stderr: 'ignore' },
  );
  const status = Number(await new Response(child.stdout).text());
  const text = readFileSync(body, 'utf8');
  return { status, head, body, text, headers: status === 0 ? '' : readFileSync(head, 'latin1') };
}

const withKey = ['-H', `Authorization: Bearer ${KEY}`];

const PROGRAMS = ['curl', 'openssl'];
for (const [name, proxy] of [
  ['nginx', nginx],
  ['caddy', caddy],
] as const) {
  const missing = [name, ...PROGRAMS].filter(program => Bun.which(program) === null);
  for (const over of ['a unix socket', 'the loopback'] as const) {
    describe.skipIf(missing.length > 0 || process.platform !== 'linux')(
      `behind ${name} over ${over}, as in meridian help proxies (requires Linux, ${name}, ${PROGRAMS.join(', ')})`,
      () => {
        test('no client can forge its address, and requests without a key are rejected', async () => {
          await using both = await startBoth(proxy, over);
          const zone = async (...args: readonly string[]) => {
            const { text } = await curl(`${both.url}/v1/time/current?auto_tz=true`, ...withKey, ...args);
            return (JSON.parse(text) as { timezone: string }).timezone;
          };
          expect(await zone()).toBe('Europe/Paris');
          for (const header of [
            'X-Forwarded-For: 10.1.2.3',
            'Forwarded: for=10.1.2.3',
            'X-Real-IP: 10.1.2.3',
          ])
            expect(await zone('-H', header)).toBe('Europe/Paris');
          expect((await curl(`${both.url}/v1/time/current`)).status).toBe(401);
          expect((await curl(`${both.url}/`)).text).toContain('<!doctype html>');
        });

        test('request ids, HEAD and signatures pass through unchanged', async () => {
          await using both = await startBoth(proxy, over);
          const id = ['-H', 'X-Request-Id: mine'];
          const { headers } = await curl(`${both.url}/v1/time/current`, ...withKey, ...id);
          expect(headers).toMatch(/^x-request-id: mine\r$/im);
          const response = await curl(`${both.url}/v1/time/current?tz=Asia/Tokyo`, ...withKey, '-I');
          expect(response.status).toBe(200);
          expect(Number(/^content-length: (\d+)/im.exec(response.headers)?.[1])).toBeGreaterThan(200);

          const jwks = (await curl(`${both.url}/.well-known/time-api-public-key`)).text;
          const jwksPath = join(FOLDER, 'jwks');
          writeFileSync(jwksPath, jwks);
          for (const path of [
            `/v1/time/current?sign=true&format=%Y-it's~%7e|&tz[]=a%2Fb&tz=Europe%2fParis`,
            `/v1/time/current?tz=Europe%2fParis&sign=true&note=${'\\'.repeat(7_500)}`,
          ]) {
            const { status, head, body } = await curl(both.url + path, ...withKey);
            const files = ['--jwks', jwksPath, '--headers', head, '--body', body, '--url', path];
            const { exitCode, stdout, stderr } = await run(['verify', ...files]);
            expect({ status, exitCode, stderr, stdout }).toMatchObject({
              status: 200,
              exitCode: 0,
              stderr: '',
            });
          }
        });

        test('reloads under load lose no request', async () => {
          await using both = await startBoth(proxy, over);
          const events = eventsOf(both.server.child.stderr);
          const clients = startClients(both.url, 8, 50, withKey[1]);
          for (let reload = 0; reload < 20; reload++) {
            both.server.child.kill('SIGHUP');
            await Promise.all([events.next('reloaded', 'access'), clients.receive(20)]);
          }
          expect(await clients.stop()).toMatchObject({ lost: 0, refused: 0 });
        });
      },
    );
  }
}
