import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BINARY,
  childrenOf,
  expectFailures,
  linesOf,
  newFolder,
  onLinux,
  output,
  requiring,
  run,
  startServer,
} from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

const folder = newFolder();

/** No state directory, so that the tests' default is not in the unit. */
const NO_SETTINGS = { MERIDIAN_STATE_DIR: '' };

/** The unit printed for flags, written to a file. */
async function unitFor(args: readonly string[]): Promise<{ path: string; text: string }> {
  const { exitCode, stdout, stderr } = await run(['systemd-unit', ...args], { env: NO_SETTINGS });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const path = join(folder, 'meridian.service');
  writeFileSync(path, stdout);
  return { path, text: stdout };
}

function analyze(...args: readonly string[]): string {
  return output(['systemd-analyze', '--no-pager', ...args]);
}

requiring('systemd-analyze')('systemd verifies the unit, and rates its exposure low', async () => {
  for (const [args, most] of [
    [[], 1.5],
    [['--listen', '0.0.0.0:8080', '--workers', '4', '--access-log', 'all'], 1.5],
    [['--listen', 'unix:/run/meridian/socket'], 1.5],
    // A port below 1024 requires a capability.
    [['--listen', '[::]:443', '--tls-cert', 'a.pem', '--tls-key', 'b.pem'], 2],
  ] as const) {
    const { path } = await unitFor(args);
    analyze('verify', path);
    const level = /exposure level for \S+ ([\d.]+)/.exec(analyze('security', '--offline=true', path))?.[1];
    expect(Number(level)).toBeLessThanOrEqual(most);
  }
});

test('the unit runs this binary with the given flags and absolute paths', async () => {
  const { text } = await unitFor(['--max-bulk=5', '--zoneinfo', 'zones here', '--ip-zones', '/etc/100%.csv']);
  expect(text).toMatch(/^ExecReload=\S+\/meridian reload \$MAINPID$/m);
  const command = /^ExecStart=(.*)$/m.exec(text)?.[1];
  expect(command).toEndWith(
    'meridian serve --max-bulk=5 "--zoneinfo=/tmp/zones here" --ip-zones=/etc/100%%.csv',
  );
});

test('only a unit for a loopback server denies network access', async () => {
  const flagsOf = (...flags: readonly string[]) => ['--listen', 'unix:/run/meridian/socket', ...flags];
  expect((await unitFor(flagsOf())).text).toContain('\nIPAddressDeny=any\n');
  expect((await unitFor(flagsOf('--admin-listen', '127.0.0.1:9090'))).text).toContain(
    '\nIPAddressDeny=any\n',
  );
  for (const flags of [
    ['--listen', '127.example.com:8080'],
    ['--admin-listen', '10.0.0.5:9090'],
    ['--listen', '[::]:8080'],
    ['--redis', 'redis://10.0.0.9'],
  ]) {
    expect((await unitFor(flagsOf(...flags))).text).not.toContain('IPAddressDeny');
  }
});

test('secret files are passed as credentials, and --state-dir is rejected', async () => {
  const { text } = await unitFor(['--tls-cert', '/c.pem', '--tls-key', '/k.pem']);
  expect(text).toContain('LoadCredential=tls-cert:/c.pem\nLoadCredential=tls-key:/k.pem\n');
  expect(text).toContain('--tls-cert=%d/tls-cert --tls-key=%d/tls-key');
  await expectFailures([[['systemd-unit', '--state-dir', '/srv'], 2, '/var/lib/meridian']]);
});

/** A configuration file, as the flag that names it. */
function configFlag(toml: string): string[] {
  const path = join(folder, 'meridian.toml');
  writeFileSync(path, toml);
  return ['--config', path];
}

/** The lines of a unit in order, without those about a configuration file. */
function linesWithoutConfig(unit: string): string[] {
  const aboutConfig =
    /^(LoadCredential=config:|# This unit depends on the settings in the --config file).*\n/gm;
  return unit.replace(' --config=%d/config', '').replace(aboutConfig, '').split('\n');
}

test('a setting of the configuration file grants the same permissions as its flag', async () => {
  for (const [flags, toml] of [
    [['--listen', '127.0.0.1:443'], 'listen = "127.0.0.1:443"'],
    [['--listen', '0.0.0.0:8080'], 'listen = ["0.0.0.0:8080"]'],
    [['--listen', 'unix:/run/meridian/socket'], 'listen = "unix:/run/meridian/socket"'],
    [['--admin-listen', '10.0.0.5:9090'], 'admin-listen = "10.0.0.5:9090"'],
    [['--workers', '4'], 'workers = 4'],
    [['--access-log', 'all'], 'access_log = "all"'],
  ] as const) {
    const isPermission = (line: string) => !/^(ExecStart=|#|$)/.test(line);
    const [byFlag, byFile] = [await unitFor(flags), await unitFor(configFlag(toml))];
    expect(linesWithoutConfig(byFile.text).filter(isPermission)).toEqual(
      byFlag.text.split('\n').filter(isPermission),
    );
  }
  const { text } = await unitFor(configFlag('redis = "redis://:secret@10.0.0.9:6379"'));
  expect(text).not.toContain('IPAddressDeny');
  expect(text).not.toContain('secret@');
});

test('files named in the configuration file are passed like those in flags', async () => {
  const byFlag = await unitFor([
    ...['--tls-cert=/c.pem', '--tls-key=/k.pem', '--api-key-file=keys', '--marketplace-keys=/m'],
    ...['--marketplace-host=a', '--zoneinfo=zones', '--ip-zones=/etc/zones'],
  ]);
  const toml = `tls-cert = "/c.pem"\ntls-key = "/k.pem"\napi-key-file = "keys"\nmarketplace-keys = "/m"\nzoneinfo = "zones"\n`;
  const byFile = await unitFor([
    '--marketplace-host=a',
    '--ip-zones=/etc/zones',
    ...configFlag(`${toml}marketplace-host = "b"\nip-zones = "relative"`),
  ]);
  expect(byFile.text).toContain(`\nLoadCredential=config:${join(folder, 'meridian.toml')}\n`);
  const words = (text: string) =>
    linesWithoutConfig(text)
      .flatMap(line => (line.startsWith('ExecStart=') ? line.split(' ') : line))
      .sort();
  expect(words(byFile.text)).toEqual(words(byFlag.text));
});

test('settings from the environment are not in the unit, and are named in a warning', async () => {
  const env = { ...NO_SETTINGS, MERIDIAN_CONFIG: '/nonexistent', MERIDIAN_MAX_BULK: '7', MERIDIAN_OPEN: '' };
  const { exitCode, stdout, stderr } = await run(['systemd-unit', '--redis', 'redis://a'], {
    env: { ...env, MERIDIAN_REDIS: 'redis://b', MERIDIAN_API_KEY: 'secret' },
  });
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    'meridian: the unit does not include the environment: MERIDIAN_CONFIG, MERIDIAN_MAX_BULK, MERIDIAN_API_KEY\n',
  );
  expect(stdout).not.toContain('nonexistent');
  expect(stdout).not.toContain('secret\n');
  const help = (await run(['systemd-unit', '--help'])).stdout.replace(/\s+/g, ' ');
  expect(help).toContain('The environment of this shell is not used');
  expect(help).not.toContain('can also be set in the environment');
});

test('the unit documents that a reload does not copy credentials again', async () => {
  const { text } = await unitFor(['--api-key-file=/keys', '--ip-zones=/etc/zones']);
  expect(text).toMatch(/^# Copies of .*: restart after a change\..*\n(#.*\n)*LoadCredential=/m);
  expect(text).toMatch(/^# Reloads .*except those of LoadCredential= below.*\nExecReload=/m);
});

onLinux('the unit stops a server gracefully and waits for it, whoever started it', async () => {
  const { text } = await unitFor([]);
  const [, prefix, escaped] = /^ExecStop=(-?)\/bin\/sh -c '(.*)'$/m.exec(text)!;
  const stop = (env: Record<string, string>) =>
    Bun.spawn(['/bin/sh', '-c', escaped!.replaceAll('$$', '$')], { env, stderr: 'pipe' });
  using server = await startServer(['--state-dir', newFolder()]);
  const { pid } = server.child;
  expect(await stop({ MAINPID: String(pid) }).exited).toBe(0);
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(await server.child.exited).toBe(0);
  // As systemd runs it when the main process has exited already: a failure would count as the service's, and restart it.
  for (const env of [{}, { MAINPID: String(pid) }]) {
    const vain = stop(env);
    expect(await new Response(vain.stderr).text()).toBe('');
    expect((await vain.exited) === 0 || prefix === '-').toBe(true);
  }
});

/** Prints the messages arriving at a unix datagram socket, one per line; ends with STOPPING=1. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1].replace('@', '\\0', 1) if sys.argv[1][0] == '@' else sys.argv[1])
print('bound', flush=True)
while True:
    text = receiver.recv(4096).decode()
    print(text.replace('\\n', ' '), flush=True)
    if 'STOPPING' in text: break
`;

const ZONES = zoneinfo('2099a');

for (const [kind, address] of [
  ['a path', join(folder, 'notify')],
  ['an abstract name', `@meridian-test-${process.pid}`],
] as const) {
  for (const workers of process.platform === 'linux' ? ['1', '2'] : []) {
    requiring('python3', 'prlimit')(
      `systemd at ${kind} is notified of start, watchdog, reload, upgrade and stop with --workers ${workers}`,
      async () => {
        const name = address.startsWith('@') ? address : `${address}-${workers}`;
        const receiver = Bun.spawn(['python3', '-c', RECEIVER, name], { stdout: 'pipe', stderr: 'inherit' });
        const lines = linesOf(receiver.stdout);
        const next = async (begin: string): Promise<string> => {
          for (;;) {
            const { value, done } = await lines.next();
            if (done) throw new Error(`'${begin}' was not received`);
            if (value.startsWith(begin)) return value;
          }
        };
        await next('bound');
        const calendar = join(folder, `calendar-${workers}`);
        writeFileSync(calendar, 'nonsense\n');
        // With many files a reload is still running when the next one is requested.
        const flags = ['--workers', workers, '--zoneinfo', ZONES, '--calendar', calendar];
        const notified = { NOTIFY_SOCKET: name, WATCHDOG_USEC: '20000' };
        const state = newFolder();
        using server = await startServer([...flags, '--state-dir', state], notified);
        const fault = `${calendar}:1:1: `;
        expect(await next('READY=1')).toContain(`connections; degraded to the embedded data: ${fault}`);
        await next('WATCHDOG=1');
        server.child.kill('SIGHUP');
        const [, microseconds] = (await next('RELOADING=1')).split('MONOTONIC_USEC=');
        expect(Number(microseconds)).toBeGreaterThan(0);
        server.child.kill('SIGHUP');
        const failed = `STATUS=reload failed, the previous data remains in use: calendar (${fault}`;
        expect(await next('READY=1')).toContain(failed);
        await next('READY=1');
        writeFileSync(calendar, '2026-12-24 holiday\n');
        server.child.kill('SIGHUP');
        expect(await next('READY=1')).toEndWith('STATUS=reloaded');
        const limit = ['prlimit', '--pid', `${server.child.pid}`];
        output([...limit, '--nofile=3:4096']); // so that no descriptor is free
        for (let ping = 0; ping < 50; ping++) await next('WATCHDOG=1'); // more than those before
        output([...limit, '--nofile=4096:4096']);
        const { stdout } = await run(['upgrade', BINARY, '--unsigned', '--state-dir', state]);
        const successor = Number(/^process (\d+) has taken over/.exec(stdout)?.[1]);
        const succession = await next('MAINPID=');
        process.kill(successor, 'SIGTERM');
        expect(succession).toStartWith(`MAINPID=${successor} READY=1 WATCHDOG=1 `);
        await next('STOPPING=1');
        expect(await server.child.exited).toBe(0);
        await receiver.exited;
      },
    );
  }
}

/** The system calls of a set such as `@system-service`, including nested sets. */
function callsOf(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  return analyze('syscall-filter', name)
    .split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .flatMap(callsOf);
}

/** The system calls that a unit allows: its filters applied in order, each adding or removing calls. */
function allowedBy(unit: string): Set<string> {
  const allowed = new Set(callsOf('@default'));
  for (const [, not, names] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of names!.split(' ').flatMap(callsOf)) {
      if (not === '~') allowed.delete(call);
      else allowed.add(call);
    }
  }
  return allowed;
}

/** Resolves when a text appears in a stream. */
async function heard(stream: ReadableStream<Uint8Array>, words: string): Promise<void> {
  for await (const line of linesOf(stream)) if (line.includes(words)) return;
  throw new Error(`'${words}' did not appear`);
}

const tracing = requiring('Linux', 'strace', 'systemd-analyze');

tracing('the unit allows every system call that a server makes', async () => {
  const folder = newFolder();
  const socket = join(folder, 'socket');
  const flags = ['--listen', `unix:${socket}`, '--listen', '127.0.0.1:0', '--workers', '2'];
  const { stdout: unit } = await run(['systemd-unit', ...flags]);
  const traced = Bun.spawn(
    ['strace', '-ff', '-qq', '-o', join(folder, 'calls'), BINARY, 'serve', ...flags, '--state-dir', folder],
    { stdout: 'pipe', stderr: 'pipe', stdin: 'ignore', env: {} },
  );
  await heard(traced.stdout, 'meridian listening');
  for (const path of [
    '/v1/time/current?lat=1&lon=2&sign=true',
    '/v1/timezone?ip=8.8.8.8',
    '/metrics',
    '/docs',
  ]) {
    expect((await fetch(`http://localhost${path}`, { unix: socket })).status).toBe(200);
  }
  // strace does not forward signals: the server is its child.
  const [server] = childrenOf(traced.pid) as [number];
  process.kill(server, 'SIGHUP');
  await heard(traced.stderr, 'reloaded');
  process.kill(server, 'SIGTERM');
  await traced.exited;

  const made = readdirSync(folder)
    .filter(name => name.startsWith('calls.'))
    .flatMap(name => [...readFileSync(join(folder, name), 'latin1').matchAll(/^(\w+)\(/gm)])
    .map(([, call]) => call!);
  const allowed = allowedBy(unit);
  expect(allowed.has('read') && !allowed.has('reboot') && !allowed.has('mount')).toBe(true);
  expect(new Set(made).size).toBeGreaterThan(40);
  expect([...new Set(made)].filter(call => !allowed.has(call))).toEqual([]);
});
