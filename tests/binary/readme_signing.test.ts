import { afterAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasOpenssl } from '../signing/openssl.ts';
import { BINARY, startServer } from './process.ts';

const README = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8');
const SECTION = README.slice(README.indexOf('## Signed answers'), README.indexOf('### The keys'));
const FOLDER = mkdtempSync(join(tmpdir(), 'meridian-readme-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

mkdirSync(join(FOLDER, 'dist'));
symlinkSync(BINARY, join(FOLDER, 'dist/meridian'));

/** The programs of a language that the section prints. */
function printed(language: string): string[] {
  return [...SECTION.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    match => match[1]!,
  );
}

const [withMeridian = '', withOpenssl = ''] = printed('sh');
const [inPython = ''] = printed('python');
const [inTypeScript = ''] = printed('ts');

const runs = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const hasCurl = runs('curl', '-sS', '-o', '/dev/null', '-w', '%{header_json}', 'file:///dev/null');
const hasPython = runs('python3', '-c', 'from cryptography.hazmat.primitives.asymmetric import ed25519');

/** A server in front of another that changes a byte of each answer's body. */
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

/** Runs a program as it is printed, against a server and against one that forges; it must tell them apart. */
async function tellsForgeries(program: string, file: string, command: readonly string[]): Promise<void> {
  using server = await startServer();
  using forging = forger(server.url);
  const outcomes = [];
  for (const url of [server.url, forging.url.origin]) {
    writeFileSync(join(FOLDER, file), program.replaceAll('127.0.0.1:8080', new URL(url).host));
    // Not spawnSync: the forger runs in this process.
    const child = Bun.spawn([...command, file], { cwd: FOLDER, stdout: 'pipe', stderr: 'pipe' });
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
  'what the README prints for meridian verify tells forgeries (wants curl 7.83)',
  async () => {
    await tellsForgeries(withMeridian, 'meridian.sh', ['sh']);
  },
);

test.skipIf(!hasCurl || !hasOpenssl || Bun.which('jq') === null)(
  'what the README prints for curl, jq and OpenSSL tells forgeries (wants curl 7.83, jq, OpenSSL 3)',
  async () => {
    await tellsForgeries(withOpenssl, 'openssl.sh', ['sh']);
  },
);

test.skipIf(!hasPython)(
  'what the README prints in Python tells forgeries (wants python3-cryptography)',
  async () => {
    await tellsForgeries(inPython, 'verify.py', ['python3']);
  },
);

test('what the README prints in TypeScript tells forgeries', async () => {
  await tellsForgeries(inTypeScript, 'verify.ts', [process.execPath]);
});
