import { describe, expect } from 'bun:test';
import { chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, given, newFolder, requiring, startServer, until } from '../support/process.ts';

const PACKAGING = join(import.meta.dir, '../../data/packaging');
const read = (name: string) => readFileSync(join(PACKAGING, name), 'utf8');

/** The scripts after an upgrade, with their arguments, and how they restart the service. */
const SCRIPTS = {
  '.deb': [read('postinst'), ['configure', '1.0.0'], 'deb-systemd-invoke restart meridian.service'],
  '.rpm': [
    /^%post\n(.*?)^%/ms.exec(read('meridian.spec'))![1]!, // the spec has the section
    ['2'],
    'systemctl try-restart meridian.service',
  ],
  '.apk': [read('alpine/post-upgrade'), [], 'rc-service meridian restart'],
} as const;

/** Programs that record how they were called; a service is active if the file `active` exists. */
const RECORDED = [
  ...['adduser', 'install', 'systemctl', 'deb-systemd-helper', 'deb-systemd-invoke', 'policy-rc.d'],
  ...['rc-service', 'pgrep'],
];
const STUB = `#!/bin/sh
folder=$(dirname "$0")
case "$*" in *is-active* | *status) test -e "$folder/active"; exit ;; esac
echo "$(basename "$0") $*" >> "$folder/calls"
if [ -e "$0.exit" ]; then exit "$(cat "$0.exit")"; fi
`;

/** Runs a script with the executable and a state directory in the place of the package's; returns how it called programs. */
function runScript(kind: keyof typeof SCRIPTS, state: string, exits: Readonly<Record<string, string>>) {
  const bin = newFolder();
  mkdirSync(join(bin, 'system'));
  for (const name of RECORDED) writeFileSync(join(bin, name), STUB, { mode: 0o755 });
  for (const [name, text] of Object.entries(exits)) writeFileSync(join(bin, name), text);
  const [script, args] = SCRIPTS[kind];
  const replaced = script
    .replaceAll('/usr/bin/meridian', BINARY)
    .replaceAll('/var/lib/meridian', state)
    .replaceAll('/run/systemd/system', join(bin, 'system'))
    .replaceAll('/usr/sbin/policy-rc.d', join(bin, 'policy-rc.d'));
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', '-c', replaced, 'script', ...args], { env });
  expect({ kind, exitCode, stderr: exitCode === 0 ? '' : stderr.toString() }).toEqual({
    kind,
    exitCode: 0,
    stderr: '',
  });
  const calls = readFileSync(join(bin, 'calls'), 'utf8').split('\n');
  return {
    successor: Number(/^process (\d+) has taken over/m.exec(stdout.toString())?.[1]),
    stderr: stderr.toString(),
    restarts: calls.filter(call => call.includes('restart') && !call.startsWith('policy')),
  };
}

for (const [kind, [, , restart]] of Object.entries(SCRIPTS)) {
  const onUpgrade = (exits: Readonly<Record<string, string>>, state: string) =>
    runScript(kind as keyof typeof SCRIPTS, state, exits);

  describe(`the upgrade of a ${kind}`, () => {
    requiring('Linux')(
      'makes a running service hand over to its executable, and does not restart it',
      async () => {
        const state = newFolder();
        using server = await startServer(['--state-dir', state]);
        const { successor, restarts } = onUpgrade({ active: '' }, state);
        expect(restarts).toEqual([]);
        expect(await server.child.exited).toBe(0);
        const { status } = await fetch(`${server.url}/healthz`);
        process.kill(successor, 'SIGKILL');
        expect(status).toBe(200);
      },
    );

    requiring('Linux')('restarts a service that does not hand over, and says why', () => {
      const { restarts, stderr } = onUpgrade({ active: '' }, newFolder());
      expect(restarts).toEqual([restart]);
      expect(stderr).toStartWith('meridian: ');
    });
  });
}

for (const [exitCode, permits] of [
  ['101', false],
  ['104', true],
] as const) {
  const does = permits ? 'makes a service hand over' : 'leaves a service alone';
  requiring('Linux')(`the upgrade of a .deb ${does} if policy-rc.d exits with ${exitCode}`, async () => {
    const state = newFolder();
    using server = await startServer(['--state-dir', state]);
    const { successor, restarts } = runScript('.deb', state, { active: '', 'policy-rc.d.exit': exitCode });
    // deb-systemd-invoke asks the policy again.
    expect(restarts).toEqual(permits ? [] : [SCRIPTS['.deb'][2]]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    if (permits) process.kill(successor, 'SIGKILL');
    else expect(await server.stop()).toBe(0);
  });
}

/** The files for OpenRC with a program and a state directory in the place of the package's. */
function openrcFiles(program: string, state: string) {
  const supervised = join(newFolder(), 'supervised');
  const replaced = (name: string) =>
    read(`alpine/${name}`)
      .replaceAll('/usr/bin/meridian', program)
      .replaceAll('/var/lib/meridian', state)
      .replaceAll('/usr/libexec/meridian-supervised', supervised)
      .replaceAll('"$PPID"', String(process.pid)) // this test starts the servers
      .replaceAll('sleep 1\n', 'sleep 0.1\n');
  writeFileSync(supervised, replaced('supervised'), { mode: 0o755 });
  return { supervised, initd: replaced('meridian.initd') };
}

/** Calls a function of an init script, whose messages are on stdout. */
function openrc(initd: string, name: string) {
  const script = `checkpath() { :; }\newarn() { echo "warning: $*"; }\n${initd}\n${name}`;
  const { exitCode, stdout } = Bun.spawnSync(['sh', '-c', script], { stderr: 'inherit' });
  return { exitCode, stdout: stdout.toString() };
}

for (const [end, started] of [
  ['when it ends', 'started serve --open\n'],
  ['unless the service is stopped', ''],
] as const) {
  requiring('Linux', 'pgrep')(
    `OpenRC supervises the successor of a server, and starts a server ${end}`,
    async () => {
      const state = newFolder();
      using server = await startServer(['--state-dir', state]);
      using _other = await startServer(['--state-dir', newFolder()]);
      const program = join(newFolder(), 'program');
      writeFileSync(program, '#!/bin/sh\necho "started $*"\n', { mode: 0o755 });
      const { supervised: script } = openrcFiles(program, state);
      const supervised = Bun.spawn([script, 'serve', '--open'], { stdout: 'pipe', stderr: 'inherit' });
      await until(() => Bun.spawnSync(['pgrep', '-x', '-P', String(supervised.pid), 'sleep']).success);
      supervised.kill('SIGHUP');
      await server.events.next('reloaded');
      expect(supervised.exitCode).toBeNull();
      (started === '' ? supervised : server.child).kill('SIGTERM');
      expect(await server.child.exited).toBe(0);
      expect(await new Response(supervised.stdout).text()).toBe(started);
      expect(await supervised.exited).toBe(0);
    },
  );
}

requiring('Linux')('OpenRC stops a successor, and no other process of the executable', async () => {
  const state = newFolder();
  using server = await startServer(['--state-dir', state]);
  using other = await startServer(['--state-dir', newFolder()]);
  const [report] = readdirSync(state).filter(name => name.startsWith('server-'));
  // As if a killed server had had the id of the other one.
  const stale = report!.replace(String(server.child.pid), String(other.child.pid));
  copyFileSync(join(state, report!), join(state, stale));
  const { initd } = openrcFiles(BINARY, state);
  expect(openrc(initd, 'stop_post').exitCode).toBe(0);
  expect(await server.child.exited).toBe(0);
  expect((await fetch(`${other.url}/healthz`)).status).toBe(200);
});

given(process.getuid?.() === 0, 'root')(
  'OpenRC signals no process of another user than that of the state directory',
  async () => {
    const state = newFolder();
    using server = await startServer(['--state-dir', state]);
    chownSync(state, 65_534, 65_534);
    expect(openrc(openrcFiles(BINARY, state).initd, 'stop_post').exitCode).toBe(0);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  },
);

requiring('Linux')('OpenRC starts a server whose Redis is unavailable, and prints faults', () => {
  const state = newFolder();
  const config = join(state, 'meridian.toml');
  writeFileSync(config, `redis = "redis://127.0.0.1:1"\nmax-bulk = "many"\nstate-dir = "${state}"\n`);
  const initd = openrcFiles(BINARY, state).initd.replaceAll('/etc/meridian/meridian.toml', config);
  const { exitCode, stdout } = openrc(initd, 'start_pre');
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith('warning: ');
  expect(stdout).toContain('Redis: ');
  expect(stdout).toContain(`${config}:2:12: `);
});
