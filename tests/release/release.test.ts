import { expect } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../data/build_executable.ts';
import { newFolder, output, requiring, run, startServer } from '../support/process.ts';

const ROOT = join(import.meta.dir, '../..');
const PROGRAMS = ['git', 'minisign', 'sha256sum', 'tar', 'xz', 'dpkg-deb', 'rpmbuild'];

requiring('Linux', ...PROGRAMS)(
  'a server upgrades to the executables of a signed release, from its archive and its package',
  async () => {
    const folder = newFolder();
    const [key, secret] = [join(folder, 'meridian.pub'), join(folder, 'secret')];
    output(['minisign', '-G', '-W', '-p', key, '-s', secret]);
    // As `make release` does.
    const release = join(folder, 'release');
    const platform = `linux-${process.arch}`;
    const options = ['--fast', '--only', platform, '--sign-key', secret, '--out', release];
    output([process.execPath, 'data/release.ts', ...options], ROOT);

    const name = `meridian-${VERSION}-${platform}`;
    output(['tar', '-xf', `${name}.tar.xz`], release);
    const checked = output(['sha256sum', '--check', '--ignore-missing', '--strict', 'SHA256SUMS'], release);
    expect(checked).toContain(`${name}/meridian: OK\n`);
    const debian = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
    output(['dpkg-deb', '-x', `meridian_${VERSION}_${debian}.deb`, 'root'], release);

    const signed = ['--public-key', key, '--sums', join(release, 'SHA256SUMS')];
    const unpacked = join(release, name, 'meridian');
    expect(await run(['verify-release', ...signed, unpacked])).toMatchObject({ exitCode: 0, stderr: '' });
    const state = join(folder, 'state');
    mkdirSync(state, { mode: 0o700 });
    using server = await startServer(['--state-dir', state]);
    let serving = server.child.pid;
    try {
      for (const program of [unpacked, join(release, 'root/usr/bin/meridian')]) {
        const upgraded = await run(['upgrade', program, ...signed, '--state-dir', state]);
        expect(upgraded).toMatchObject({ exitCode: 0, stderr: '' });
        serving = Number(/^process (\d+) has taken over/m.exec(upgraded.stdout)?.[1]);
        expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      }
    } finally {
      process.kill(serving, 'SIGKILL');
    }
  },
);
