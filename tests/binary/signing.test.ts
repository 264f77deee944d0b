import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { verifySigned } from '../../src/signing/verify_signed.ts';
import { codeBlocks } from '../support/documentation.ts';
import { hasOpenssl } from '../support/openssl.ts';
import {
  BINARY,
  eventsOf,
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

let states = 0;
/** An empty state directory, as an environment variable. */
function freshState(): { MERIDIAN_STATE_DIR: string } {
  const path = join(FOLDER, `state-${++states}`);
  mkdirSync(path);
  return { MERIDIAN_STATE_DIR: path };
}

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
  const { status, headers } = response;
  const header = (name: string) => headers.get(name);
  return { status, header, body: new Uint8Array(await response.arrayBuffer()), method: 'GET', path };
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
  first.child.kill('SIGTERM');
  await first.child.exited;
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
  const events = eventsOf(server.child.stderr);
  const { stdout } = await run(['keys', 'rotate', '--force'], { env });
  const kid = stdout.split(' ')[0]!;
  server.child.kill('SIGHUP');
  expect(await events.next('signing key in use')).toMatchObject({ kid });
  expect(await events.next('reloaded')).toMatchObject({ what: 'signing keys', now: kid });
  const file = join(keyFolder(env), `${kid}.json`);
  writeFileSync(file, '');
  server.child.kill('SIGHUP');
  const { what, error } = await events.next('reload failed');
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
  const [old] = await store.load();
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
  const again = await keys('rotate');
  expect([again.exitCode, again.stdout]).toEqual([1, '']);
  expect(again.stderr).toContain('--force');
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
  const active = await keys('revoke', second);
  expect([active.exitCode, active.stderr]).toEqual([1, expect.stringContaining('active key')]);
  expect((await keys('revoke', first)).exitCode).toBe(0);
  expect((await keys('list')).stdout).not.toContain(first);
});

test('`keys` with a missing or wrong argument is a usage error that names the valid ones', async () => {
  for (const [args, advice] of [
    [[], 'list, rotate, revoke KID, export'],
    [['rotat'], "'rotate'"],
    [['toString'], "Unknown command 'keys toString'"],
    [['revoke'], 'KID'],
    [['rotate', 'now'], 'flags only'],
  ] as const) {
    const { exitCode, stderr } = await run(['keys', ...args], { env: freshState() });
    expect([args, exitCode]).toEqual([args, 2]);
    expect(stderr).toContain(advice);
  }
});

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

test('verify reports unreadable or missing input in one line', async () => {
  const file = join(FOLDER, 'no-json');
  writeFileSync(file, '<html>');
  for (const [args, code] of [
    [[], 2],
    [['--jwks', file], 2],
    [['--jwks', file, '--headers', file, 'more'], 2],
    [['--jwks', file, '--headers', '/nonexistent'], 1],
    [['--jwks', '/nonexistent', '--headers', file], 1],
    [['--jwks', file, '--headers', file], 1],
    [['--jwks', 'http://127.0.0.1:1/', '--headers', file], 1],
  ] as const) {
    const { exitCode, stdout, stderr } = await run(['verify', ...args]);
    expect([args, exitCode, stdout]).toEqual([args, code, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
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
    const { exitCode, stdout, stderr } = await run(['serve', '--listen', '127.0.0.1:0'], { env });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain(keyFolder(env));
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
    const { level } = await eventsOf(server.child.stderr).next(
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

test('invalid ages and numbers of keys are rejected by name', async () => {
  for (const [flag, text] of [
    ['--rotate-keys-every', '1h'],
    ['--rotate-keys-every', '0d'],
    ['--rotate-keys-every', '-1d'],
    ['--rotate-keys-every', '90'],
    ['--retain-keys', '1.5'],
    ['--retain-keys', 'none'],
  ] as const) {
    const { exitCode, stderr } = await run([flag, text], { env: freshState() });
    expect([flag, text, exitCode]).toEqual([flag, text, 2]);
    expect(stderr).toContain(`${flag}: '${text}'`);
  }
});

const GUIDE = 'src/site/guide/signatures.md';
const GUIDE_FOLDER = newFolder();

symlinkSync(BINARY, join(GUIDE_FOLDER, 'meridian'));
const ENVIRONMENT = { ...process.env, PATH: `${GUIDE_FOLDER}:${process.env['PATH']}` };

const [withMeridian = ''] = codeBlocks('src/cli/topics/signing.md', 'sh');
const [withOpenssl = ''] = codeBlocks(GUIDE, 'sh');
const [inPython = ''] = codeBlocks(GUIDE, 'python');
const [inTypeScript = ''] = codeBlocks(GUIDE, 'ts');

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

/** Runs a program as printed, against a server and a forging proxy; it must distinguish them. */
async function expectForgeryDetected(
  program: string,
  file: string,
  command: readonly string[],
): Promise<void> {
  using server = await startServer();
  using forging = forger(server.url);
  const outcomes = [];
  for (const url of [server.url, forging.url.origin]) {
    writeFileSync(join(GUIDE_FOLDER, file), program.replaceAll('127.0.0.1:8080', new URL(url).host));
    // Not spawnSync: the forger runs in this process.
    const child = Bun.spawn([...command, file], {
      cwd: GUIDE_FOLDER,
      env: ENVIRONMENT,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    outcomes.push({ status, isVerified: /^verified/m.test(stdout), stderr });
  }
  const [good, forged] = outcomes;
  expect(good).toEqual({ status: 0, isVerified: true, stderr: '' });
  expect({ failed: forged!.status !== 0, isVerified: forged!.isVerified }).toEqual({
    failed: true,
    isVerified: false,
  });
}

test.skipIf(!hasCurl)(
  'the documented program for meridian verify detects forgeries (requires curl 7.83)',
  async () => {
    await expectForgeryDetected(withMeridian, 'meridian.sh', ['sh']);
  },
);

test.skipIf(!hasCurl || !hasOpenssl || Bun.which('jq') === null)(
  'the documented program for curl, jq and OpenSSL detects forgeries (requires curl 7.83, jq, OpenSSL 3)',
  async () => {
    await expectForgeryDetected(withOpenssl, 'openssl.sh', ['sh']);
  },
);

test.skipIf(!hasPython)(
  'the documented program in Python detects forgeries (requires python3-cryptography)',
  async () => {
    await expectForgeryDetected(inPython, 'verify.py', ['python3']);
  },
);

test('the documented program in TypeScript detects forgeries', async () => {
  await expectForgeryDetected(inTypeScript, 'verify.ts', [process.execPath]);
});
