import { afterAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeBlocks } from '../support/documentation.ts';
import { hasOpenssl } from '../support/openssl.ts';
import { BINARY, startServer } from '../support/process.ts';

const GUIDE = 'src/site/guide/signatures.md';
const FOLDER = mkdtempSync(join(tmpdir(), 'meridian-signatures-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

symlinkSync(BINARY, join(FOLDER, 'meridian'));
const ENVIRONMENT = { ...process.env, PATH: `${FOLDER}:${process.env['PATH']}` };

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
    writeFileSync(join(FOLDER, file), program.replaceAll('127.0.0.1:8080', new URL(url).host));
    // Not spawnSync: the forger runs in this process.
    const child = Bun.spawn([...command, file], {
      cwd: FOLDER,
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
