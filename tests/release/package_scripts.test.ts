import { describe, expect } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, newFolder, requiring, startServer, until } from '../support/process.ts';

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

requiring('Linux')('the upgrade of a .deb leaves a service alone that policy-rc.d protects', async () => {
  const state = newFolder();
  using server = await startServer(['--state-dir', state]);
  // deb-systemd-invoke asks the policy again.
  const { restarts } = runScript('.deb', state, { active: '', 'policy-rc.d.exit': '101' });
  expect(restarts).toEqual([SCRIPTS['.deb'][2]]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

requiring('Linux', 'pgrep')(
  'OpenRC supervises the successor of a server, and starts a server when it ends',
  async () => {
    const bin = newFolder();
    using server = await startServer(['--state-dir', newFolder()]);
    const program = join(bin, 'program');
    writeFileSync(program, '#!/bin/sh\necho "started $*"\n', { mode: 0o755 });
    // This test is the parent of both; elsewhere both belong to supervise-daemon or init.
    writeFileSync(join(bin, 'pidof'), `#!/bin/sh\necho ${server.child.pid}\n`, { mode: 0o755 });
    const script = read('alpine/supervised')
      .replace('/usr/bin/meridian', program)
      .replace('sleep 1', 'sleep 0.1');
    const supervised = Bun.spawn(['sh', '-c', script, 'supervised', 'serve', '--open'], {
      env: { PATH: `${bin}:${process.env['PATH']}` },
      stdout: 'pipe',
      stderr: 'inherit',
    });
    await until(() => Bun.spawnSync(['pgrep', '-x', '-P', String(supervised.pid), 'sleep']).success);
    supervised.kill('SIGHUP');
    await server.events.next('reloaded');
    expect(supervised.exitCode).toBeNull();
    await server.stop();
    expect(await new Response(supervised.stdout).text()).toBe('started serve --open\n');
  },
);
