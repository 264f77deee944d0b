import { describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describeAdministration } from '../../src/api/admin/description.ts';
import { describeApi } from '../../src/api/description/openapi.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { keyedAccess, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const signing = fixedKeys([sampleKey(2, 'ed25519-2026-04-01')]);

describe('linters of API descriptions report nothing', () => {
  for (const [name, describeIt] of [
    ['an open server', () => describeApi(testServer({ signing }))],
    ['a server with keys', () => describeApi(testServer({ signing, access: keyedAccess() }))],
    ['the API for operators', describeAdministration],
  ] as const) {
    test(`Spectral, of ${name}`, async () => {
      const spectral = new Spectral();
      spectral.setRuleset({ extends: [oas as RulesetDefinition] });
      const source = JSON.stringify(await describeIt());
      expect(await spectral.run(new Document(source, Json, 'openapi.json'))).toEqual([]);
    });

    test(`Redocly, of ${name}`, async () => {
      const config = await createConfig({ extends: ['recommended'] });
      const source = JSON.stringify(await describeIt());
      const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
      expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    });
  }
});

/** Types built into Java, Kotlin, C#, Swift, Go, Ruby, Python or JavaScript, or imported by every program. */
const BUILT_IN = new Set(
  `Any Array Boolean Byte Calendar Character Class Clock Collection Comparable Data Date DateTime Dictionary Double Duration
  Enum Error Event Exception File Float Function Instant Int Integer Iterator List Locale Long Map Module Month None Number
  Object Optional Option Order Package Path Period Process Promise Query Record Request Response Result Runtime Set Short
  Slice String Symbol System Task Thread Time TimeZone Timezone Type Uint8Array Uri Url UUID Vector Void Year Zone`.split(
    /\s+/,
  ),
);

test('no component is named like a built-in type', async () => {
  const { components } = await describeApi(testServer());
  expect(Object.keys(components.schemas).filter(name => BUILT_IN.has(name))).toEqual([]);
});

test('integers that can exceed 32 bits say so', async () => {
  const { components } = await describeApi(testServer());
  const { unix, unix_ms, day_number } = components.schemas['TimePayload']!['properties'] as Record<
    string,
    object
  >;
  expect(unix).toMatchObject({ type: 'integer', format: 'int64' });
  expect(unix_ms).toMatchObject({ type: 'integer', format: 'int64' });
  expect(day_number).toMatchObject({ type: 'integer', format: 'int32' });
});
