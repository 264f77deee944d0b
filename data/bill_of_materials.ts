import { type BundledPackage, bundledPackages } from './licenses/bundled_packages.ts';
import { RUNTIME, RUNTIME_PARTS } from './licenses/runtime.ts';
import type { DataSetManifest } from './manifest.ts';
import { EMBEDDED_DATA } from './manifests.ts';

/** A licence without an SPDX identifier is given by its name. */
const SPDX_ID = /^[A-Za-z0-9.-]+$/;

function licences(expression: string): object[] {
  if (SPDX_ID.test(expression)) return [{ license: { id: expression } }];
  return / (AND|OR|WITH) /.test(expression) ? [{ expression }] : [{ license: { name: expression } }];
}

/** The build that a bill of materials describes. */
export interface BuildProvenance {
  readonly version: string;
  readonly commit: string;
  /** Of the commit, in Unix seconds. */
  readonly epochSeconds: number;
  /** The SHA-256 of `bun.sha256`, the list of compiler digests. */
  readonly toolchainSha256: string;
}

/** The CycloneDX 1.6 bill of materials of a build, with a date and serial number from its commit, so that builds are reproducible. */
export async function billOfMaterials(build: BuildProvenance): Promise<string> {
  const packages = await bundledPackages();
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${serialOf(build)}`,
    version: 1,
    metadata: {
      timestamp: timestampOf(build),
      component: {
        type: 'application',
        'bom-ref': 'meridian',
        name: 'meridian',
        version: build.version,
        licenses: licences('MIT'),
        properties: [
          { name: 'git:commit', value: build.commit },
          { name: 'meridian:toolchain-sha256', value: build.toolchainSha256 },
        ],
      },
    },
    components: [runtimeComponent(), ...packages.map(packageComponent), ...EMBEDDED_DATA.map(dataComponent)],
    dependencies: dependencyGraph(packages),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The executable's root depends on everything inside; packages also depend on the packages they require. */
function dependencyGraph(packages: readonly BundledPackage[]): object[] {
  const references = new Map(packages.map(item => [item.name, purlOf(item)]));
  const data = EMBEDDED_DATA.map(({ name, version }) => `data:${name}@${version}`);
  return [
    { ref: 'meridian', dependsOn: [purlOf(RUNTIME), ...references.values(), ...data] },
    ...packages.map(item => ({
      ref: purlOf(item),
      dependsOn: item.dependencies.flatMap(name => references.get(name) ?? []),
    })),
    ...[purlOf(RUNTIME), ...data].map(ref => ({ ref, dependsOn: [] })),
  ];
}

/** A UUID of version 8 (RFC 9562 §5.8) from the digest of version and commit. */
function serialOf({ version, commit }: BuildProvenance): string {
  const digest = Bun.SHA256.hash(`meridian ${version} ${commit}`, 'hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-');
}

/** `2026-11-23T05:51:43Z` */
function timestampOf({ epochSeconds }: BuildProvenance): string {
  return new Date(epochSeconds * 1000).toISOString().replace('.000', '');
}

function purlOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** The same as an SPDX 2.3 document. */
export async function spdxDocument(build: BuildProvenance): Promise<string> {
  const packages = await bundledPackages();
  const ids = new Map(packages.map(({ name }, index) => [name, `SPDXRef-package-${index + 1}`]));
  const parts = [
    spdxPackage('SPDXRef-runtime', RUNTIME, RUNTIME.source),
    ...packages.map(item => ({
      ...spdxPackage(ids.get(item.name)!, item, 'NOASSERTION'),
      checksums: [{ algorithm: 'SHA512', checksumValue: item.sha512 }],
      externalRefs: [
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purlOf(item) },
      ],
    })),
    ...EMBEDDED_DATA.map(set => ({
      ...spdxPackage(`SPDXRef-data-${set.name.replaceAll(/[^\w.-]/g, '-')}`, set, 'NOASSERTION'),
      checksums: [{ algorithm: 'SHA256', checksumValue: set.sha256 }],
    })),
  ];
  const program = { name: 'meridian', version: build.version, licence: 'MIT' };
  const root = spdxPackage('SPDXRef-meridian', program, 'NOASSERTION');
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `meridian-${build.version}`,
    documentNamespace: `urn:uuid:${serialOf(build)}`,
    creationInfo: { created: timestampOf(build), creators: ['Tool: meridian-release'] },
    packages: [
      { ...root, sourceInfo: `git commit ${build.commit}, toolchain SHA-256 ${build.toolchainSha256}` },
      ...parts,
    ],
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', root.SPDXID),
      ...parts.map(({ SPDXID }) => relationship(root.SPDXID, 'CONTAINS', SPDXID)),
      ...packages.flatMap(({ name, dependencies }) =>
        dependencies
          .flatMap(other => ids.get(other) ?? [])
          .map(other => relationship(ids.get(name)!, 'DEPENDS_ON', other)),
      ),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

type Licensed = Pick<BundledPackage, 'name' | 'version' | 'licence'>;

/** A licence that is not an SPDX expression is not declared; the CycloneDX document names it. */
function spdxPackage(SPDXID: string, { name, version, licence }: Licensed, downloadLocation: string) {
  const isExpression = SPDX_ID.test(licence) || / (AND|OR|WITH) /.test(licence);
  return {
    SPDXID,
    name,
    versionInfo: version,
    downloadLocation,
    filesAnalyzed: false,
    licenseDeclared: isExpression ? licence : 'NOASSERTION',
  };
}

function relationship(spdxElementId: string, relationshipType: string, relatedSpdxElement: string) {
  return { spdxElementId, relationshipType, relatedSpdxElement };
}

function runtimeComponent(): object {
  const from = (url: string) => [{ type: 'vcs', url }];
  return {
    type: 'platform',
    ...packageProperties(RUNTIME),
    externalReferences: from(RUNTIME.source),
    components: RUNTIME_PARTS.map(({ name, licence, source }) => ({
      ...{ type: 'library', name, licenses: licences(licence), externalReferences: from(source) },
    })),
  };
}

function packageComponent(item: BundledPackage): object {
  const hashes = [{ alg: 'SHA-512', content: item.sha512 }];
  return { type: 'library', ...packageProperties(item), hashes };
}

function packageProperties(item: Licensed) {
  const purl = purlOf(item);
  return { 'bom-ref': purl, name: item.name, version: item.version, purl, licenses: licences(item.licence) };
}

function dataComponent(set: DataSetManifest): object {
  return {
    type: 'data',
    'bom-ref': `data:${set.name}@${set.version}`,
    name: set.name,
    version: set.version,
    description: set.source,
    licenses: licences(set.licence),
    ...(set.attribution === undefined ? {} : { copyright: set.attribution }),
    hashes: [{ alg: 'SHA-256', content: set.sha256 }],
    properties: [{ name: 'meridian:released', value: set.date }],
  };
}
