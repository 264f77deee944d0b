import { expect, test } from 'bun:test';
import { join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { billOfMaterials } from '../../data/bill_of_materials.ts';

const SCHEMAS = join(import.meta.dir, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
const BUILD = { version: '9.8.7', commit: 'abc', epochSeconds: 0, toolchainSha256: 'd'.repeat(64) };

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
