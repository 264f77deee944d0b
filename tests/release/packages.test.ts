import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { billOfMaterials, spdxDocument } from '../../data/bill_of_materials.ts';
import { writeArchive } from '../../data/packaging/archives.ts';
import { writeDeb } from '../../data/packaging/deb.ts';
import { type Release, readDocuments } from '../../data/packaging/package_files.ts';
import { writeRpm } from '../../data/packaging/rpm.ts';
import { output } from '../support/process.ts';

const LICENSES = join(import.meta.dir, '../../LICENSE');
const RPMLINT = join(import.meta.dir, '../../data/packaging/rpmlint.toml');
const PROGRAMS = ['dpkg-deb', 'rpmbuild', 'xz', 'zip', 'lintian', 'rpmlint', 'systemd-analyze'];
const missing = PROGRAMS.filter(program => Bun.which(program) === null);
const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
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

test.skipIf(missing.length > 0)(
  `packages of one release are byte-identical, however often they are built (requires ${missing})`,
  async () => {
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
  },
  60_000,
);

test.skipIf(missing.length > 0)(
  `lintian and rpmlint find no errors (requires ${missing})`,
  async () => {
    const out = await packagesIn('lint', { compression: 'best' });
    output(['lintian', '--fail-on', 'error', '--allow-root', join(out, 'meridian_9.8.7_amd64.deb')]);
    const report = output(['rpmlint', '--config', RPMLINT, join(out, 'meridian-9.8.7-1.x86_64.rpm')]);
    expect(report).toContain(' 0 errors');
  },
  60_000,
);

test.skipIf(missing.length > 0)(
  `packages keep configuration and state private (requires ${missing})`,
  async () => {
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
  },
  60_000,
);

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
