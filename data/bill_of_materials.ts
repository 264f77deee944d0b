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

/** The CycloneDX 1.6 bill of materials of a version. Without timestamp and serial number, so that builds are reproducible. */
export async function billOfMaterials(version: string, commit: string): Promise<string> {
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'meridian',
        name: 'meridian',
        version,
        licenses: licences('MIT'),
        properties: [{ name: 'git:commit', value: commit }],
      },
    },
    components: [
      runtimeComponent(),
      ...(await bundledPackages()).map(packageComponent),
      ...EMBEDDED_DATA.map(dataComponent),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function runtimeComponent(): object {
  const { name, version, licence, source } = RUNTIME;
  return {
    type: 'platform',
    'bom-ref': `pkg:npm/${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    licenses: licences(licence),
    externalReferences: [{ type: 'vcs', url: source }],
    components: RUNTIME_PARTS.map(part => ({
      type: 'library',
      name: part.name,
      licenses: licences(part.licence),
      externalReferences: [{ type: 'vcs', url: part.source }],
    })),
  };
}

function packageComponent({ name, version, licence, sha512 }: BundledPackage): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: licences(licence),
    hashes: [{ alg: 'SHA-512', content: sha512 }],
  };
}

function dataComponent({
  name,
  version,
  date,
  source,
  licence,
  attribution,
  sha256,
}: DataSetManifest): object {
  return {
    type: 'data',
    'bom-ref': `data:${name}@${version}`,
    name,
    version,
    description: source,
    licenses: licences(licence),
    ...(attribution === undefined ? {} : { copyright: attribution }),
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    properties: [{ name: 'meridian:released', value: date }],
  };
}
