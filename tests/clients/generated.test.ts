import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describeAdministration } from '../../src/api/admin/description.ts';
import { describeApi } from '../../src/api/description/openapi.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { checkBy, keyedAccess, send, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { type Called, COMPILER, callsOf, GENERATORS, PROJECT, program, runProgram } from './clients.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const BUILD = `${import.meta.dir}/build`;
const server = testServer({ signing: fixedKeys([sampleKey(2, 'ed25519-2026-04-01')]) });
const app = createApp(server);
const listener = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: request => app.handle(request) });
afterAll(() => listener.stop(true));
const baseUrl = `http://127.0.0.1:${listener.port}`;

const document = JSON.parse(JSON.stringify(await describeApi(server)));
const calls = callsOf(document);
const check = checkBy(document);

rmSync(BUILD, { recursive: true, force: true });
mkdirSync(BUILD, { recursive: true });
await Bun.write(`${BUILD}/openapi.json`, JSON.stringify(document));
await Bun.write(`${BUILD}/tsconfig.json`, PROJECT);
for (const generator of GENERATORS) {
  const folder = `${BUILD}/${generator.name}`;
  await generator.generate(document, folder);
  await Bun.write(`${folder}/program.ts`, program(document, generator));
}

/** Runs a program against this process's server. */
const run = (command: readonly string[]) => runProgram(command, { BASE_URL: baseUrl });

test('the code that three generators make from the description compiles under strict, with the examples as typed calls', async () => {
  expect(await run([COMPILER, '--project', BUILD])).toBe('');
});

test('every operation has a call', () => {
  expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(Object.keys(document.paths)));
});

describe('every operation of a running server, called with its examples', () => {
  for (const { name } of GENERATORS) {
    test(`through the ${name} client, responds as described`, async () => {
      const lines = (await run([`${BUILD}/${name}/program.ts`])).trim().split('\n');
      const called = lines.map((line): Called & { request: string } => JSON.parse(line));
      expect(called.map(({ request }) => request)).toEqual(calls.map(({ request }) => request));
      for (const [index, { request, status, data }] of called.entries()) {
        expect([request, status]).toEqual([request, 200]);
        const { method, path, body } = calls[index]!;
        const { headers } = await send(request, { method, body, headers: JSON_TYPE }, app);
        expect([request, check(path, status, headers, data)]).toEqual([request, null]);
      }
    });
  }
});

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
