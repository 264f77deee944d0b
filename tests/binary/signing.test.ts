import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { verifySigned } from '../../src/signing/verify_signed.ts';
import { codeBlocks } from '../support/documentation.ts';
import { hasOpenssl } from '../support/openssl.ts';
import {
  BINARY,
  expectFailures,
  given,
  newFolder,
  type RunningServer,
  run,
  startServer,
  until,
} from '../support/process.ts';
import { sampleSeed } from '../support/signing_keys.ts';

const FOLDER = newFolder();

const KEYS_PATH = '/.well-known/time-api-public-key';
const SIGNED = '/v1/time/current?tz=Europe/Paris&sign=true';
const today = (): string => `ed25519-${new Date().toISOString().slice(0, 10)}`;

/** A new state directory, as an environment variable. */
const freshState = () => ({ MERIDIAN_STATE_DIR: newFolder() });

const keyFolder = (env: { MERIDIAN_STATE_DIR: string }): string =>
  join(env.MERIDIAN_STATE_DIR, 'signing-keys');

async function json<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

async function publishedKids({ url }: RunningServer): Promise<string[]> {
  const { keys } = await json<{ keys: { kid: string }[] }>(url + KEYS_PATH);
  return keys.map(({ kid }) => kid);
}

/** A signed response as received. */
async function sendSigned({ url }: RunningServer, path = SIGNED) {
  const response = await fetch(url + path);
  const header = (name: string) => response.headers.get(name);
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, header, body, method: 'GET', path };
}

const kidOf = (response: { header: (name: string) => string | null }) => response.header('X-Service-Key-Id');

interface JsonWebKeySet {
  readonly keys: readonly (webcrypto.JsonWebKey & { readonly kid: string })[];
}

/** Verifies a response's signature against the key set with `node:crypto`, which is fast. */
function isSignedBy(response: { header: (name: string) => string | null }, { keys }: JsonWebKeySet): boolean {
  const jwk = keys.find(({ kid }) => kid === kidOf(response));
  const bytes = (name: string, encoding: 'base64' | 'base64url') =>
    Buffer.from(response.header(name) ?? '', encoding);
  return (
    jwk !== undefined &&
    verify(
      null,
      bytes('X-Service-Signature-Input', 'base64url'),
      createPublicKey({ key: { ...jwk }, format: 'jwk' }),
      bytes('X-Service-Signature', 'base64'),
    )
  );
}

test('the first start creates a key with private permissions, and the next start signs with it', async () => {
  const env = freshState();
  const first = await startServer([], env);
  const response = await sendSigned(first);
  const keySet = await json(first.url + KEYS_PATH);
  expect(verifySigned(response, keySet).holds).toBe(true);
  await first.stop();
  const file = join(keyFolder(env), `${kidOf(response)}.json`);
  expect([statSync(keyFolder(env)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  using second = await startServer([], env);
  expect(verifySigned(await sendSigned(second), keySet).holds).toBe(true);
});

test('rotating under load fails no request, old responses still verify, and the new key comes first', async () => {
  const env = freshState();
  using server = await startServer([], env);
  const before = await sendSigned(server);
  const responses = [before];
  const rotated = [kidOf(before)!];
  let isLoading = true;
  const load = async (): Promise<void> => {
    while (isLoading) responses.push(await sendSigned(server));
  };
  const loads = Array.from({ length: 8 }, load);
  for (let rotation = 0; rotation < 5; rotation++) {
    const { exitCode, stdout } = await run(['keys', 'rotate', '--force'], { env });
    expect(exitCode).toBe(0);
    const kid = stdout.split(' ')[0]!;
    rotated.unshift(kid);
    server.child.kill('SIGHUP');
    await until(async () => responses.some(response => kidOf(response) === kid));
    expect((await publishedKids(server))[0]).toBe(kid);
  }
  isLoading = false;
  await Promise.all(loads);
  expect(new Set(responses.map(kidOf))).toEqual(new Set(rotated));
  expect(await publishedKids(server)).toEqual(rotated);
  const keySet = await json<JsonWebKeySet>(server.url + KEYS_PATH);
  expect(verifySigned(before, keySet).holds).toBe(true);
  const failed = responses.filter(response => response.status !== 200 || !isSignedBy(response, keySet));
  expect([responses.length > 100, failed.length]).toEqual([true, 0]);
});

test('SIGHUP loads a rotation, and retains the keys if the store has been damaged', async () => {
  const env = freshState();
  using server = await startServer([], env);
  const { stdout } = await run(['keys', 'rotate', '--force'], { env });
  const kid = stdout.split(' ')[0]!;
  server.child.kill('SIGHUP');
  expect(await server.events.next('signing key in use')).toMatchObject({ kid });
  expect(await server.events.next('reloaded')).toMatchObject({ what: 'signing keys', now: kid });
  const file = join(keyFolder(env), `${kid}.json`);
  writeFileSync(file, '');
  server.child.kill('SIGHUP');
  const { what, error } = await server.events.next('reload failed');
  expect([what, error]).toEqual(['signing keys', expect.stringContaining(`'${file}': it is empty`)]);
  expect(kidOf(await sendSigned(server))).toBe(kid);
  expect(await publishedKids(server)).toEqual([kid, today()]);
});

test("servers that share a directory serve each other's keys", async () => {
  const env = freshState();
  using one = await startServer([], env);
  using other = await startServer([], env);
  expect(await publishedKids(other)).toEqual(await publishedKids(one));
  await run(['keys', 'rotate', '--force'], { env });
  one.child.kill('SIGHUP');
  await until(async () => kidOf(await sendSigned(one)) !== today());
  const kid = kidOf(await sendSigned(one));
  const { keys } = await json<{ keys: { kid: string }[] }>(`${other.url}${KEYS_PATH}?kid=${kid}`);
  expect(keys.map(key => key.kid)).toEqual([kid!]);
  expect(kidOf(await sendSigned(other))).toBe(kid);
});

test('servers that start at once on an empty folder create one key', async () => {
  const env = freshState();
  const servers = await Promise.all([1, 2, 3].map(() => startServer([], env)));
  const sets = await Promise.all(servers.map(({ url }) => json(url + KEYS_PATH)));
  for (const server of servers) server[Symbol.dispose]();
  expect(sets).toEqual([sets[0], sets[0], sets[0]]);
  expect((sets[0] as { keys: unknown[] }).keys).toHaveLength(1);
});

test('a key past its scheduled age is replaced at startup', async () => {
  const env = freshState();
  const store = new KeyDirectory(keyFolder(env));
  await store.rotate({ epochMs: Date.now() - 91 * 86_400_000, seed: sampleSeed(1) });
  const [old] = await store.read();
  const started = async (args: readonly string[]): Promise<string[]> => {
    using server = await startServer(args, env);
    return await publishedKids(server);
  };
  expect(await started(['--rotate-keys-every', '92d'])).toEqual([old!.kid]);
  expect(await started(['--rotate-keys-every', '13w'])).toEqual([today(), old!.kid]);
  expect(await started(['--retain-keys', '0'])).toEqual([today()]);
});

test('keys are listed, created, revoked and exported', async () => {
  const env = freshState();
  const keys = async (...args: string[]) => await run(['keys', ...args], { env });
  expect((await keys('list')).stdout).toBe(`no signing keys in ${keyFolder(env)}\n`);
  const first = today();
  expect((await keys('rotate')).stdout).toStartWith(`${first} is now the active key`);
  await expectFailures([[['keys', 'rotate'], 1, '--force']], { env });
  const second = (await keys('rotate', '--force')).stdout.split(' ')[0]!;
  const rows = (await keys('list')).stdout.trimEnd().split('\n');
  expect(rows.map(row => row.split(/ {2,}/).filter((_, column) => column !== 1))).toEqual([
    [second, 'active'],
    [first, 'retired'],
  ]);
  expect((await keys('list', '--retain-keys', '0')).stdout).toContain('not published');
  const exported = JSON.parse((await keys('export')).stdout) as { keys: { kid: string }[] };
  expect(exported.keys.map(({ kid }) => kid)).toEqual([second, first]);
  expect(JSON.stringify(exported)).not.toContain('"d"');
  await expectFailures([[['keys', 'revoke', second], 1, 'active key']], { env });
  expect((await keys('revoke', first)).exitCode).toBe(0);
  expect((await keys('list')).stdout).not.toContain(first);
});

test('invalid arguments are usage errors that name them or the valid ones', () =>
  expectFailures([
    [['keys'], 2, 'list|rotate | revoke KID | export'],
    [['keys', 'rotat'], 2, "'rotate'"],
    [['keys', 'toString'], 2, "Unknown command 'keys toString'"],
    [['keys', 'revoke'], 2, 'KID'],
    [['keys', 'rotate', 'now'], 2, 'flags only'],
    [['--rotate-keys-every', '1h'], 2, "--rotate-keys-every: '1h'"],
    [['--rotate-keys-every', '0d'], 2, "--rotate-keys-every: '0d'"],
    [['--rotate-keys-every', '-1d'], 2, "--rotate-keys-every: '-1d'"],
    [['--rotate-keys-every', '90'], 2, "--rotate-keys-every: '90'"],
    [['--retain-keys', '1.5'], 2, "--retain-keys: '1.5'"],
    [['--retain-keys', 'none'], 2, "--retain-keys: 'none'"],
    [['verify'], 2, '--jwks and --headers'],
    [['verify', '--jwks', '/none'], 2, '--jwks and --headers'],
    [['verify', '--jwks', '/none', '--headers', '/none', 'more'], 2, "'more'"],
  ]));

test('verify accepts signed responses and rejects modified ones', async () => {
  const env = freshState();
  using server = await startServer([], env);
  const response = await fetch(server.url + SIGNED);
  const body = await response.text();
  const head = ['HTTP/1.1 200 OK', ...[...response.headers].map(pair => pair.join(': '))].join('\r\n');
  const file = (name: string, text: string): string => {
    const path = join(FOLDER, name);
    writeFileSync(path, text);
    return path;
  };
  const headers = file('headers', `${head}\r\n\r\n`);
  const good = file('body', body);
  const jwks = file('jwks', (await run(['keys', 'export'], { env })).stdout);
  const verified = async (...args: string[]) => await run(['verify', ...args]);
  for (const args of [
    ['--jwks', jwks, '--headers', headers, '--body', good],
    ['--jwks', server.url + KEYS_PATH, '--headers', headers, '--body', good, '--url', server.url + SIGNED],
    ['--jwks', jwks, '--headers', file('both', `${head}\r\n\r\n${body}`), '--url', SIGNED],
  ]) {
    const { exitCode, stdout } = await verified(...args);
    expect([args, exitCode, stdout.split('\n').at(-2)]).toEqual([
      args,
      0,
      expect.stringContaining(`verified: GET ${SIGNED} has status 200 and was signed at 2`),
    ]);
  }
  for (const [args, failing] of [
    [['--headers', headers], 'body'],
    [['--headers', headers, '--body', file('changed', body.replace('Paris', 'Perth'))], 'body'],
    [['--headers', headers, '--body', file('longer', `${body}\n`)], 'body'],
    [['--headers', headers, '--body', good, '--url', '/v1/time/current?sign=true&tz=Europe/Paris'], 'path'],
    [['--headers', file('status', `${head.replace('200', '404')}\r\n\r\n${body}`)], 'status'],
    [['--headers', file('none', `HTTP/1.1 200 OK\r\n\r\n${body}`)], 'headers'],
  ] as const) {
    const { exitCode, stdout } = await verified('--jwks', jwks, ...args);
    const lines = stdout.trimEnd().split('\n');
    expect([args, exitCode, lines.at(-1)]).toEqual([args, 1, 'NOT verified']);
    const failed = lines.filter(line => line.startsWith('FAIL')).map(line => line.split(/ {2,}/)[1]);
    expect([args, failed]).toEqual([args, [failing]]);
  }
  const other = file('other', (await run(['keys', 'export'], { env: freshState() })).stdout);
  const unknown = await verified('--jwks', other, '--headers', headers, '--body', good);
  expect([unknown.exitCode, unknown.stdout]).toEqual([1, expect.stringContaining('is not in the key set')]);
});

test('the output of get verifies byte for byte, and get creates no keys', async () => {
  const env = freshState();
  const unsigned = await run(['get', '-i', SIGNED], { env });
  expect([unsigned.exitCode, unsigned.stdout]).toEqual([1, expect.stringContaining('SIGNING_NOT_READY')]);
  expect(readdirSync(env.MERIDIAN_STATE_DIR)).toEqual([]);
  await run(['keys', 'rotate'], { env });
  const response = join(FOLDER, 'response');
  writeFileSync(response, (await run(['get', '-i', SIGNED], { env })).stdout);
  const jwks = join(FOLDER, 'exported');
  writeFileSync(jwks, (await run(['keys', 'export'], { env })).stdout);
  const { exitCode, stdout } = await run(['verify', '--jwks', jwks, '--headers', response, '--url', SIGNED]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('verified')]);
});

test('a store that is damaged or readable by others prevents startup with one line that names it', async () => {
  for (const [spoil, words] of [
    [(folder: string) => writeFileSync(join(folder, `${today()}.json`), ''), 'it is empty'],
    [(folder: string) => writeFileSync(join(folder, 'stray.json'), '{}'), 'stray.json'],
    [(folder: string) => Bun.spawnSync(['chmod', '755', folder]), "has mode 755; 'chmod 700"],
  ] as const) {
    const env = freshState();
    await run(['keys', 'rotate'], { env });
    spoil(keyFolder(env));
    const serve = ['serve', '--listen', '127.0.0.1:0'];
    await expectFailures(
      [words, keyFolder(env)].map(text => [serve, 1, text]),
      { env },
    );
    const unsigned = await run(['get', '/v1/time/current'], { env });
    expect([unsigned.exitCode, unsigned.stderr]).toEqual([0, '']);
    const signed = await run(['get', SIGNED], { env });
    expect([signed.exitCode, signed.stderr]).toEqual([1, expect.stringContaining(words)]);
  }
});

test.skipIf(!existsSync('/proc/self'))(
  'a server that cannot store keys serves, but does not sign (requires /proc)',
  async () => {
    const env = { MERIDIAN_STATE_DIR: '/proc/meridian' }; // a file system that allows no new folders, even to root
    using server = await startServer([], env);
    expect((await fetch(`${server.url}/v1/time/current`)).status).toBe(200);
    const { error } = await json<{ error: { code: string } }>(server.url + SIGNED);
    expect(error.code).toBe('SIGNING_NOT_READY');
    expect((await fetch(server.url + KEYS_PATH)).status).toBe(500);
    expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('signing absent');
    const { level } = await server.events.next(
      "Cannot change the signing keys in '/proc/meridian/signing-keys': ",
    );
    expect(level).toBe('error');
  },
);

test('doctor reports the signing keys', async () => {
  const env = freshState();
  const signing = async () => JSON.parse((await run(['doctor', '--json'], { env })).stdout).signing;
  const none = { from: keyFolder(env), active: null, created: null, retired: 0, problem: null };
  expect(await signing()).toEqual(none);
  for (let keys = 0; keys < 2; keys++) await run(['keys', 'rotate', '--force'], { env });
  const created = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const active = expect.stringMatching(/^ed25519-/);
  expect(await signing()).toEqual({ ...none, active, created, retired: 1 });
  expect((await run(['doctor'], { env })).stdout).toMatch(
    /^signing +ed25519-\S+ created \S+, 1 retired, in /m,
  );
  writeFileSync(join(keyFolder(env), `${today()}.json`), '{');
  expect((await signing()).problem).toContain('it is not JSON');
});

const GUIDE = 'src/site/guide/signatures.md';
const GUIDE_FOLDER = newFolder();

symlinkSync(BINARY, join(GUIDE_FOLDER, 'meridian'));
const ENVIRONMENT = { ...process.env, PATH: `${GUIDE_FOLDER}:${process.env['PATH']}` };

const runs = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const hasCurl = runs('curl', '-sS', '-o', '/dev/null', '-w', '%{header_json}', 'file:///dev/null');
const hasPython = runs('python3', '-c', 'from cryptography.hazmat.primitives.asymmetric import ed25519');

/** A proxy that changes a byte of each response's body. */
function forger(url: string) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { status, headers, body } = await fetch(url + pathname + search);
      const text = await new Response(body).text();
      return new Response(pathname.startsWith('/v1/') ? text.replace('Paris', 'Perth') : text, {
        status,
        headers,
      });
    },
  });
}

const codeOf = (path: string, language: string) => codeBlocks(path, language)[0] ?? '';
const hasJq = Bun.which('jq') !== null;
const PROGRAMS = [
  ['meridian.sh', 'sh', codeOf('src/cli/topics/signing.md', 'sh'), hasCurl, 'curl 7.83'],
  ['openssl.sh', 'sh', codeOf(GUIDE, 'sh'), hasCurl && hasOpenssl && hasJq, 'curl 7.83, jq, OpenSSL 3'],
  ['verify.py', 'python3', codeOf(GUIDE, 'python'), hasPython, 'python3-cryptography'],
  ['verify.ts', process.execPath, codeOf(GUIDE, 'ts'), true, 'Bun'],
] as const;

// Each runs as printed, against a server and a forging proxy.
for (const [file, runtime, program, isPossible, needs] of PROGRAMS) {
  given(isPossible, needs)(`the documented program ${file} detects forgeries`, async () => {
    using server = await startServer();
    using forging = forger(server.url);
    const outcomes = [];
    for (const url of [server.url, forging.url.origin]) {
      writeFileSync(join(GUIDE_FOLDER, file), program.replaceAll('127.0.0.1:8080', new URL(url).host));
      // Not synchronously: the forger runs in this process.
      const { exitCode, stdout, stderr } = await Bun.$`${runtime} ${file}`
        .cwd(GUIDE_FOLDER)
        .env(ENVIRONMENT)
        .nothrow()
        .quiet();
      outcomes.push([exitCode === 0, /^verified/m.test(String(stdout)), String(stderr)]);
    }
    expect(outcomes).toEqual([
      [true, true, ''],
      [false, false, expect.any(String)],
    ]);
  });
}
