import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeApk } from '../../data/packaging/apk.ts';
import { readDocuments } from '../../data/packaging/package_files.ts';
import { output } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const release = {
  version: '9.8.7',
  epochSeconds: 1_700_000_000,
  documents: await readDocuments('9.8.7'),
  compression: 'none',
} as const;

/** What apk-tools 2 requires of a package, checked with Python's gzip and tar, since apk itself is not available. */
const READ = `
import hashlib, io, json, sys, tarfile, zlib
rest, members = open(sys.argv[1], 'rb').read(), []
while rest:
    stream = zlib.decompressobj(31)
    plain = stream.decompress(rest)
    members.append((rest[:len(rest) - len(stream.unused_data)], plain))
    rest = stream.unused_data
control, data = members
ends = control[1].endswith(bytes(1024))
names = [entry.name for entry in tarfile.open(fileobj=io.BytesIO(control[1] + bytes(1024)))]
archive = tarfile.open(fileobj=io.BytesIO(control[1] + data[1]))
info, files = '', {}
for entry in archive:
    if entry.name == '.PKGINFO':
        info = archive.extractfile(entry).read().decode()
    if not entry.name.startswith('.'):
        files[entry.name] = [entry.type.decode(), oct(entry.mode), entry.uname, entry.gname, int(entry.mtime)]
    if entry.isfile() and not entry.name.startswith('.'):
        found = hashlib.sha1(archive.extractfile(entry).read()).hexdigest()
        assert entry.pax_headers['APK-TOOLS.checksum.SHA1'] == found, entry.name
fields = dict(line.split(' = ', 1) for line in info.splitlines())
assert fields['datahash'] == hashlib.sha256(data[0]).hexdigest()
print(json.dumps({'ends': ends, 'names': names, 'fields': fields, 'files': files}))
`;

async function packageIn(name: string, platform = 'linux-x64-musl'): Promise<string | undefined> {
  const out = join(folder, name);
  mkdirSync(out);
  return await writeApk(platform, '/bin/true', out, release);
}

test.skipIf(Bun.which('python3') === null)(
  'the Alpine package has the members, checksums, owners and scripts that apk reads (requires python3)',
  async () => {
    const path = (await packageIn('read'))!; // musl builds have packages
    expect(path).toEndWith('/meridian-9.8.7-r0.x86_64.apk');
    const { ends, names, fields, files } = JSON.parse(output(['python3', '-c', READ, path]));
    expect(ends).toBe(false);
    expect(names).toEqual(['.PKGINFO', '.pre-install', '.pre-upgrade', '.post-upgrade', '.pre-deinstall']);
    expect(fields).toMatchObject({ pkgname: 'meridian', pkgver: '9.8.7-r0', arch: 'x86_64', license: 'MIT' });
    expect(files).toMatchObject({
      'usr/bin/meridian': ['0', '0o755', 'root', 'root', 1_700_000_000],
      'etc/init.d/meridian': ['0', '0o755', 'root', 'root', 1_700_000_000],
      'etc/meridian/meridian.toml': ['0', '0o640', 'root', 'meridian', 1_700_000_000],
      'var/lib/meridian': ['5', '0o700', 'meridian', 'meridian', 1_700_000_000],
      'usr/share/man/man1/meridian.1.gz': ['0', '0o644', 'root', 'root', 1_700_000_000],
    });
    expect(Object.keys(files).filter(name => name.includes('systemd'))).toEqual([]);
  },
);

test('Alpine packages of one release are byte-identical, and exist only for musl builds', async () => {
  const [first, second] = [(await packageIn('first'))!, (await packageIn('second'))!];
  expect(await Bun.file(second).bytes()).toEqual(await Bun.file(first).bytes());
  expect(await packageIn('arm', 'linux-arm64-musl')).toEndWith('r0.aarch64.apk');
  expect(await packageIn('glibc', 'linux-x64')).toBeUndefined();
});
