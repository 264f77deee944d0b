import { expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import {
  BINARY,
  expectFailures,
  given,
  newFolder,
  output,
  requiring,
  run,
  startServer,
} from '../support/process.ts';

test('get prints the body and exits 0, or 1 for an error response', async () => {
  const good = await run(['get', '/v1/time/convert?unix=0&tz=Europe/Paris']);
  expect(JSON.parse(good.stdout).iso_local).toBe('1970-01-01T01:00:00+01:00');
  expect(good).toMatchObject({ exitCode: 0, stderr: '' });
  const bad = await run(['get', '/v1/time/convert?unix=x&tz=Europe/Paris']);
  expect(JSON.parse(bad.stdout).error.code).toBe('INVALID_PARAMETER');
  expect(bad.exitCode).toBe(1);
});

test('get -i prints status and headers before the body', async () => {
  const { stdout } = await run(['get', '-i', '/v1/time/current']);
  expect(stdout).toStartWith('HTTP/1.1 200');
  expect(stdout.toLowerCase()).toContain('content-type: application/json');
});

test('unusable arguments are usage errors that name them or the valid ones', () =>
  expectFailures([
    [['get', 'toString'], 2, 'get takes one path'],
    [['completions', 'tcsh'], 2, "Unknown command 'completions tcsh'"],
    [['--config', '/nonexistent.toml'], 2, '/nonexistent.toml'],
    [['frobnicate'], 2, 'doctor'],
  ]));

test('flags of a single invocation are not read from the configuration or the environment', async () => {
  const config = join(newFolder(), 'meridian.toml');
  writeFileSync(config, 'json = true\n');
  const doctor = await run(['doctor', '--config', config]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain(`fault      ${config}:1:1: Unknown key 'json'`);
  const { stdout } = await run(['doctor'], { env: { MERIDIAN_JSON: 'true', MERIDIAN_CONFIG: '' } });
  expect(stdout).not.toStartWith('{');
});

given(existsSync('/dev/full'), '/dev/full')('output that cannot be written exits 1', async () => {
  const child = Bun.spawn(['sh', '-c', `"${BINARY}" doctor > /dev/full`], { stdout: 'pipe', stderr: 'pipe' });
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toContain('ENOSPC');
});

test('the version is printed', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^meridian \d+\.\d+\.\d+ \([0-9a-f]{12}\)$/m);
});

test('the binary ignores bunfig.toml and .env in the working directory', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(folder, 'preload.ts'), 'throw new Error("preloaded");\n');
  writeFileSync(join(folder, '.env'), 'MERIDIAN_LISTEN=nowhere\n');
  expect(await run(['get', '/v1/time/current'], { cwd: folder })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('serve listens on TCP and a unix socket, and stops on SIGTERM with exit 0', async () => {
  const socket = join(newFolder(), 'socket');
  using server = await startServer(['--listen', `unix:${socket}`]);
  const overTcp = await fetch(`${server.url}/v1/time/current?tz=Asia/Tokyo`);
  expect(((await overTcp.json()) as { timezone: string }).timezone).toBe('Asia/Tokyo');
  const overUnix = await fetch('http://localhost/v1/time/current?tz=Asia/Tokyo', { unix: socket });
  expect(overUnix.status).toBe(200);
  expect((statSync(socket).mode & 0o777).toString(8)).toBe('666');
  expect(await server.stop()).toBe(0);
});

test('a stale unix socket is replaced, but not one in use', async () => {
  const socket = join(newFolder(), 'socket');
  using first = await startServer(['--listen', `unix:${socket}`]);
  await expectFailures([[['serve', '--listen', `unix:${socket}`], 1, 'already in use']]);
  first.child.kill('SIGKILL');
  await first.child.exited;
  using third = await startServer(['--listen', `unix:${socket}`]);
  expect((await fetch('http://localhost/healthz', { unix: socket })).status).toBe(200);
  await third.stop();
  expect(existsSync(socket)).toBe(false);
});

test('a file that is not a unix socket is never removed', async () => {
  const file = join(newFolder(), 'precious');
  writeFileSync(file, 'precious');
  const reason = `meridian: Cannot listen on unix:${file}: the file exists and is not a unix socket\n`;
  await expectFailures([[['serve', '--listen', `unix:${file}`], 1, reason]]);
  expect(readFileSync(file, 'utf8')).toBe('precious');
});

test('a long request body gets the usual 405 with an error body', async () => {
  using server = await startServer();
  const body = new Uint8Array(3_000_000);
  const response = await fetch(`${server.url}/v1/time/current`, { method: 'POST', body });
  expect(response.status).toBe(405);
  expect(((await response.json()) as { error: { code: string } }).error.code).toBe('METHOD_NOT_ALLOWED');
});

test('an unavailable address is one line with the address and the reason, exit 1', async () => {
  using server = await startServer();
  const { host } = new URL(server.url);
  const listen = ['serve', '--log-level', 'error', '--open', '--listen'];
  const absent = '[2001:db8::1]:0'; // reserved for documentation (RFC 3849)
  await expectFailures([
    [[...listen, host], 1, `meridian: Cannot listen on ${host}: the address is already in use\n`],
    [[...listen, absent], 1, `Cannot listen on ${absent}: this machine does not have the address\n`],
    [[...listen, 'unix:/nowhere/socket'], 1, 'Cannot listen on unix:/nowhere/socket: ENOENT: no such file'],
  ]);
});

test('a closed pipe ends a command silently', () => {
  const piped = `'${BINARY}' licenses | head -n 1; exit "\${PIPESTATUS[0]}"`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '-c', piped]);
  expect(stdout.toString().split('\n')).toHaveLength(2);
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 141, stderr: '' });
});

/** Only root can switch to another user, here one without a home directory. */
const asNobody = requiring('root', 'setpriv');
const NOBODY = 65_532;

/** A folder accessible to every user, and commands run by another user with a copy of the executable in it. */
function placeOfNobody() {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  const binary = join(folder, 'meridian');
  copyFileSync(BINARY, binary);
  return {
    path: folder,
    run(...args: string[]) {
      const nobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', binary];
      const { exitCode, stdout, stderr } = Bun.spawnSync([...nobody, ...args], { cwd: '/', env: {} });
      return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

asNobody('a user without a home directory can run get, and needs --state-dir for the rest', () => {
  using place = placeOfNobody();
  const message = 'This user has no home directory: set --state-dir, where keys and usage are stored';
  expect(place.run('get', '/v1/time/convert?unix=0&tz=UTC')).toMatchObject({ exitCode: 0, stderr: '' });
  const signed = place.run('get', '/v1/time/convert?unix=0&tz=UTC&sign=true');
  expect(signed).toMatchObject({ exitCode: 1, stderr: `meridian: ${message}\n` });
  expect(JSON.parse(signed.stdout).error.code).toBe('SIGNING_NOT_READY');
  for (const command of [
    ['serve', '--listen', '127.0.0.1:0'],
    ['tokens', 'list'],
    ['keys', 'list'],
    ['doctor'],
  ]) {
    expect(place.run(...command)).toEqual({ exitCode: 2, stdout: '', stderr: `meridian: ${message}\n` });
  }
});

// Windows refuses to sync folders: the first `tokens add` failed there, and left an empty store, with which servers were open.
asNobody('the first key is stored in a folder that cannot be synced', () => {
  using place = placeOfNobody();
  const state = join(place.path, 'state');
  mkdirSync(state);
  chownSync(state, NOBODY, NOBODY);
  chmodSync(state, 0o300); // syncing requires opening it for reading
  expect(place.run('tokens', 'add', '--name', 'test', '--state-dir', state)).toMatchObject({ exitCode: 0 });
  expect(place.run('tokens', 'list', '--state-dir', state).stdout).toContain('active');
});

const folder = newFolder();

async function scriptFor(shell: string): Promise<string> {
  const { exitCode, stdout } = await run(['completions', shell]);
  expect(exitCode).toBe(0);
  const path = join(folder, `meridian.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

/** A line with an incomplete last word, and its completions. */
const LINES: readonly (readonly [line: string, offers: readonly string[]])[] = [
  ['meridian ke', ['keys']],
  ['meridian serve --zonei', ['--zoneinfo']],
  ['meridian --zonei', ['--zoneinfo']],
  ['meridian keys r', ['revoke', 'rotate']],
  ['meridian tokens re', ['remove', 'resume']],
  ['meridian tokens sus', ['suspend']],
  ['meridian serve --log-format j', ['json']],
  ['meridian completions f', ['fish']],
];

requiring('bash')('bash completes commands, flags and words', async () => {
  const path = await scriptFor('bash');
  const complete = (line: string) =>
    output([
      'bash',
      '-c',
      `source ${path}; COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _meridian; echo "\${COMPREPLY[@]}"`,
    ]);
  for (const [line, offers] of LINES) expect(complete(line).trim().split(' ').sort()).toEqual([...offers]);
  const flags = complete('meridian serve --').trim().split(' ');
  expect(flags.sort()).toEqual([...Object.keys(SERVE_FLAGS), 'help'].map(name => `--${name}`).sort());
});

requiring('fish')('fish completes commands, flags and words', async () => {
  const path = await scriptFor('fish');
  for (const [line, offers] of LINES) {
    const text = output(['fish', '--no-config', '-c', `source ${path}; complete -C '${line}'`]);
    const offered = text.trimEnd().split('\n');
    expect(offered.map(offer => offer.split('\t')[0]!).sort()).toEqual([...offers]);
  }
});

requiring('zsh')('zsh completes commands, flags and words', async () => {
  const path = await scriptFor('zsh');
  for (const [line, [offer, ...more]] of LINES.filter(([, offers]) => offers.length === 1)) {
    expect(more).toEqual([]);
    // A shell on its own pseudo-terminal completes the typed line and prints the result.
    const typed = join(folder, 'typed.zsh');
    writeFileSync(
      typed,
      `zmodload zsh/zpty
zpty t zsh -f -i
zpty -w t "autoload -U compinit; compinit -u -D; source ${path}; tell() { print -r \\"<\\$BUFFER>\\"; BUFFER=; zle accept-line }; zle -N tell; bindkey '^I' complete-word '^T' tell; print RE''ADY"
zpty -r t out '*READY*'
zpty -w -n t $'${line}\\t\\x14'
zpty -r -m t out '*<*>*' && print -r -- \${\${out##*<}%%>*}
zpty -d t
`,
    );
    expect(output(['zsh', '-f', typed]).trim()).toMatch(new RegExp(`${offer}=?$`));
  }
});
