import { expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS } from '../../data/release.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder, output, requiring } from '../support/process.ts';

const PACKAGING = join(import.meta.dir, '../../data/packaging');
const SHELL = /^supervised$|^(post|pre)(inst|rm|-install|-upgrade|-deinstall)$|\.(sh|initd)$/;
const scripts = (readdirSync(PACKAGING, { recursive: true }) as string[]).filter(path =>
  SHELL.test(path.split('/').at(-1)!),
);

requiring('shellcheck')('shellcheck finds nothing in packaging scripts', () => {
  expect(scripts).toContain('postinst');
  expect(scripts).toContain('alpine/meridian.initd');
  for (const script of scripts) {
    // The variables in a service script are used by OpenRC.
    const excluded = script.endsWith('.initd') ? ['--exclude=SC2034'] : [];
    output(['shellcheck', '--shell=sh', ...excluded, join(PACKAGING, script)]);
  }
});

const DATA = join(import.meta.dir, '../../data');

/** The platforms of the runtimes that a release may contain, as in its file names. */
const pinned = [...readFileSync(join(DATA, 'bun.sha256'), 'utf8').matchAll(/@oven\/bun-(\S+)$/gm)].map(
  ([, name]) => name!.replace('aarch64', 'arm64'),
);

test('a release has an executable for each platform with a pinned runtime, and no other', () => {
  expect(PLATFORMS.toSorted()).toEqual(pinned.toSorted());
});

test('a release has no -baseline executable, whose bytes would be those of the others', () => {
  for (const name of [...PLATFORMS, ...pinned]) expect(name).not.toContain('baseline');
  for (const platform of ['linux-x64', 'linux-x64-musl', 'darwin-x64', 'windows-x64'])
    expect(PLATFORMS).toContain(platform);
});

const SCRIPT = join(import.meta.dir, '../../data/packaging/install.sh');
const withPrograms = requiring('minisign', 'cloud-init', 'shellcheck');
const folder = newFolder();

/** Signed packages named like those of a release. */
const PACKAGES = ['meridian_1.0.0_amd64.deb', 'meridian-1.0.0-1.aarch64.rpm', 'meridian-1.0.0-r0.x86_64.apk'];
const CORE = ['grep', 'sha256sum', 'minisign', 'sh'];

/** Runs the script on a system with only the given programs, which print how they were called. */
function install(programs: readonly string[], machine: string, options: { damaged?: boolean } = {}) {
  const release = join(folder, crypto.randomUUID());
  const bin = join(release, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of PACKAGES) writeFileSync(join(release, name), name);
  const run = (...command: string[]) => output(command, release);
  writeFileSync(join(release, 'SHA256SUMS'), run('sha256sum', ...PACKAGES));
  run('minisign', '-G', '-W', '-f', '-p', 'key.pub', '-s', 'secret');
  run('minisign', '-S', '-s', 'secret', '-m', 'SHA256SUMS');
  if (options.damaged) writeFileSync(join(release, PACKAGES[0]!), 'something else');
  for (const name of CORE) Bun.spawnSync(['ln', '-s', Bun.which(name) ?? name, join(bin, name)]);
  for (const name of [...programs, 'meridian', 'uname']) {
    const does = name === 'uname' ? `echo ${machine}` : `echo "${name} $*" >> ${release}/calls`;
    writeFileSync(join(bin, name), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
  }
  copyFileSync(SCRIPT, join(release, 'install.sh'));
  writeFileSync(join(release, 'calls'), '');
  const start = (...flags: string[]) => {
    const options = { cwd: release, env: { PATH: bin } };
    const { exitCode, stderr } = Bun.spawnSync(['/bin/sh', 'install.sh', ...flags], options);
    const calls = readFileSync(join(release, 'calls'), 'utf8').split('\n');
    return { exitCode, stderr: stderr.toString(), calls };
  };
  return { release, start };
}

withPrograms('the script installs the package that fits the system, and configures the service', () => {
  const debian = install(['apt-get', 'systemctl'], 'x86_64');
  const { exitCode, calls } = debian.start('--public-key', 'key.pub', '--', '--key-name', 'first app');
  expect({ exitCode, calls }).toEqual({
    exitCode: 0,
    calls: [
      'apt-get install --yes ./meridian_1.0.0_amd64.deb',
      'meridian init --force --output /etc/meridian/meridian.toml --state-dir /var/lib/meridian --key-name first app',
      'systemctl enable meridian',
      'systemctl restart meridian',
      '',
    ],
  });
  const fedora = install(['dnf', 'systemctl'], 'aarch64').start('--public-key', 'key.pub');
  expect(fedora.calls).toEqual([
    'dnf install --assumeyes ./meridian-1.0.0-1.aarch64.rpm',
    'systemctl enable meridian',
    'systemctl start meridian',
    '',
  ]);
  const alpine = install(['apk', 'rc-update', 'rc-service'], 'x86_64').start('--public-key', 'key.pub');
  expect(alpine.calls).toEqual([
    'apk add --allow-untrusted ./meridian-1.0.0-r0.x86_64.apk',
    'rc-update add meridian',
    'rc-service meridian start',
    '',
  ]);
});

withPrograms('the script installs nothing unsigned', () => {
  const damaged = install(['apt-get', 'systemctl'], 'x86_64', { damaged: true });
  const { exitCode, stderr, calls } = damaged.start('--public-key', 'key.pub');
  expect({ exitCode, calls }).toEqual({ exitCode: 1, calls: [''] });
  expect(stderr).toContain('the package is missing, or not the one of the release');
  const sums = install(['apt-get', 'systemctl'], 'x86_64');
  writeFileSync(join(sums.release, 'SHA256SUMS'), `${'0'.repeat(64)}  meridian_1.0.0_amd64.deb\n`);
  expect(sums.start('--public-key', 'key.pub')).toMatchObject({ exitCode: 1, calls: [''] });
  expect(sums.start()).toMatchObject({ exitCode: 1, calls: [''] });
  const other = install(['apt-get', 'systemctl'], 'riscv64').start('--public-key', 'key.pub');
  expect(other.stderr).toContain('the release has no package for riscv64');
});

withPrograms('cloud-init accepts the configuration in help', async () => {
  const path = join(folder, 'cloud-init.yml');
  const { lines } = await outputOf(['help', 'systemd', 'cloud-init']);
  writeFileSync(path, `${lines.join('\n')}\n`);
  expect(output(['cloud-init', 'schema', '--config-file', path])).toStartWith('Valid cloud-config');
  const { write_files } = Bun.YAML.parse(lines.join('\n')) as {
    write_files: { path: string; content: string }[];
  };
  const script = join(folder, 'install-meridian');
  writeFileSync(script, write_files.find(file => file.path === '/root/install-meridian')?.content ?? '');
  output(['shellcheck', script]);
});
