import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { billOfMaterials, spdxDocument } from '../../data/bill_of_materials.ts';
import { writeApk } from '../../data/packaging/apk.ts';
import { writeArchive } from '../../data/packaging/archives.ts';
import { writeDeb } from '../../data/packaging/deb.ts';
import { type Release, readDocuments } from '../../data/packaging/package_files.ts';
import { writeRpm } from '../../data/packaging/rpm.ts';
import { newFolder, output, requiring } from '../support/process.ts';

const LICENSES = join(import.meta.dir, '../../LICENSE');
const RPMLINT = join(import.meta.dir, '../../data/packaging/rpmlint.toml');
const PROGRAMS = ['dpkg-deb', 'rpmbuild', 'xz', 'zip', 'lintian', 'rpmlint', 'systemd-analyze'];
const withPrograms = requiring(...PROGRAMS);
const folder = newFolder();
const release: Release = {
  version: '9.8.7',
  epochSeconds: 1_700_000_000,
  documents: await readDocuments('9.8.7'),
  compression: 'none',
};

/** Packages and archives of a small program, since an executable of meridian takes minutes to compress. */
async function packagesIn(name: string, options: Partial<Release> = {}): Promise<string> {
  const out = join(folder, name);
  mkdirSync(out);
  const executable = join(folder, 'meridian-9.8.7-linux-x64');
  writeFileSync(executable, await Bun.file('/bin/true').bytes());
  await Bun.write(`${executable}.exe`, 'MZ');
  const given = { ...release, ...options };
  const path = relative(process.cwd(), out); // as passed by `make release`
  await writeArchive(executable, LICENSES, path, given);
  await writeArchive(`${executable}.exe`, LICENSES, path, given);
  await writeDeb('linux-x64', executable, path, given);
  await writeRpm('linux-x64', executable, path, given);
  return out;
}

withPrograms('packages of one release are byte-identical, however often they are built', async () => {
  const [first, second] = [await packagesIn('first'), await packagesIn('second')];
  const names = readdirSync(first).sort();
  expect(names).toEqual([
    'meridian-9.8.7-1.x86_64.rpm',
    'meridian-9.8.7-linux-x64.tar.xz',
    'meridian-9.8.7-linux-x64.zip',
    'meridian_9.8.7_amd64.deb',
  ]);
  for (const name of names)
    expect(await Bun.file(join(second, name)).bytes()).toEqual(await Bun.file(join(first, name)).bytes());
});

withPrograms('lintian and rpmlint find no errors', async () => {
  const out = await packagesIn('lint', { compression: 'best' });
  output(['lintian', '--fail-on', 'error', '--allow-root', join(out, 'meridian_9.8.7_amd64.deb')]);
  const report = output(['rpmlint', '--config', RPMLINT, join(out, 'meridian-9.8.7-1.x86_64.rpm')]);
  expect(report).toContain(' 0 errors');
});

withPrograms('packages keep configuration and state private', async () => {
  const out = await packagesIn('modes');
  const deb = output(['dpkg-deb', '-c', join(out, 'meridian_9.8.7_amd64.deb')]);
  expect(deb).toMatch(/^-rw-r----- root\/root .* \.\/etc\/meridian\/meridian\.toml$/m);
  expect(deb).toMatch(/^drwxr-xr-x root\/root .* \.\/$/m);
  const rpm = output(['rpm', '-qlvp', join(out, 'meridian-9.8.7-1.x86_64.rpm')]);
  expect(rpm).toMatch(/^-rw-r----- +1 root +meridian .* \/etc\/meridian\/meridian\.toml$/m);
  expect(rpm).toMatch(/^drwx------ +2 meridian +meridian .* \/var\/lib\/meridian$/m);
  expect(output(['rpm', '-qcp', join(out, 'meridian-9.8.7-1.x86_64.rpm')])).toBe(
    '/etc/meridian/meridian.toml\n',
  );
});

test('the packaged unit runs the packaged executable as its own user', () => {
  const { unit } = release.documents;
  expect(unit).toContain('\nExecStart=/usr/bin/meridian serve --config=/etc/meridian/meridian.toml\n');
  expect(unit).toContain('\nUser=meridian\nGroup=meridian\n');
  expect(unit).not.toContain('DynamicUser');
});

const BUILD = { version: '9.8.7', commit: 'abc', epochSeconds: 0, toolchainSha256: 'd'.repeat(64) };

test('the dependency graph of the CycloneDX document has exactly the components', async () => {
  const { components, dependencies, serialNumber, metadata } = JSON.parse(await billOfMaterials(BUILD));
  const references = ['meridian', ...components.map((part: { 'bom-ref': string }) => part['bom-ref'])];
  expect(dependencies.map(({ ref }: { ref: string }) => ref).sort()).toEqual(references.sort());
  for (const { dependsOn } of dependencies)
    for (const reference of dependsOn) expect(references).toContain(reference);
  expect(serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  expect(metadata.timestamp).toBe('1970-01-01T00:00:00Z');
});

test('the SPDX document describes the same components, with relationships among them', async () => {
  const { packages, relationships } = JSON.parse(await spdxDocument(BUILD));
  const { components } = JSON.parse(await billOfMaterials(BUILD));
  const namesOf = (parts: readonly { name: string }[]) => parts.map(({ name }) => name).sort();
  expect(namesOf(packages)).toEqual(namesOf([{ name: 'meridian' }, ...components]));
  const ids = ['SPDXRef-DOCUMENT', ...packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID)];
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^SPDXRef-[\w.-]+$/);
  for (const { spdxElementId, relatedSpdxElement } of relationships) {
    expect(ids).toContain(spdxElementId);
    expect(ids).toContain(relatedSpdxElement);
  }
  expect(
    relationships.some(
      ({ relationshipType }: { relationshipType: string }) => relationshipType === 'DEPENDS_ON',
    ),
  ).toBe(true);
});

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
  const out = join(folder, `apk-${name}`);
  mkdirSync(out);
  return await writeApk(platform, '/bin/true', out, release);
}

requiring('python3')(
  'the Alpine package has the members, checksums, owners and scripts that apk reads',
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
      'usr/libexec/meridian-supervised': ['0', '0o755', 'root', 'root', 1_700_000_000],
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

const SCHEMAS = join(import.meta.dir, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');

/** The published CycloneDX 1.6 schema, with the schemas it references. */
async function cycloneDxSchema() {
  const read = (name: string) => Bun.file(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`)).json();
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true);
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema({ ...(await read(name)), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` });
  return ajv.compile(await read('bom-1.6'));
}

test('the CycloneDX document is valid against the published schema', async () => {
  const validate = await cycloneDxSchema();
  const document = JSON.parse(await billOfMaterials(BUILD));
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
  document.components[0].type = 'engine';
  expect(validate(document)).toBe(false);
});
