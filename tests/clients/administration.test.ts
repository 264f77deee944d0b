import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { describeAdministration } from '../../src/api/admin/description.ts';
import { administration } from '../http/administration.ts';
import { COMPILER, PROJECT, runProgram } from './clients.ts';

const BUILD = `${import.meta.dir}/build-administration`;
const api = administration();
const { app, operator } = api;
const listener = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: request => app.handle(request) });
afterAll(async () => {
  await listener.stop(true);
  await api[Symbol.asyncDispose]();
});

/** The life of a key, written against the types that each generator makes from the description. */
const PROGRAMS = {
  'openapi-typescript': `import createClient from 'openapi-fetch';
import type { paths } from './client.d.ts';
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });
const added = await client.POST('/admin/v1/tokens', { body: { name: 'app', role: 'client', expires: '90d' } });
const { token } = added.data!;
const params = { path: { id: token.id } };
const edited = await client.PATCH('/admin/v1/tokens/{id}', { params, body: { name: 'the app' } });
const rotated = await client.POST('/admin/v1/tokens/{id}/rotate', { params, body: { overlap: '12h' } });
const expiring = await client.POST('/admin/v1/tokens/{id}/expire', { params, body: { expires: null } });
const suspended = await client.POST('/admin/v1/tokens/{id}/suspend', { params });
const resumed = await client.POST('/admin/v1/tokens/{id}/resume', { params });
const read = await client.GET('/admin/v1/tokens/{id}', { params });
const listed = await client.GET('/admin/v1/tokens', { params: { query: { month: '2026-11' } } });
const usage = await client.GET('/admin/v1/usage');
const table = await client.GET('/admin/v1/usage.csv', { parseAs: 'text' });
const removed = await client.DELETE('/admin/v1/tokens/{id}', { params });
const gone = await client.GET('/admin/v1/tokens/{id}', { params });
const states: ('active' | 'suspended' | 'expired')[] = [token.state, suspended.data!.state, resumed.data!.state];
`,
  'hey-api': `import { client } from './client.gen.ts';
import * as sdk from './sdk.gen.ts';
client.setConfig({ baseUrl, headers: { 'X-API-Key': key } });
const added = await sdk.addToken({ body: { name: 'app', role: 'client', expires: '90d' } });
const { token } = added.data!;
const path = { id: token.id };
const edited = await sdk.editToken({ path, body: { name: 'the app' } });
const rotated = await sdk.rotateToken({ path, body: { overlap: '12h' } });
const expiring = await sdk.expireToken({ path, body: { expires: null } });
const suspended = await sdk.suspendToken({ path });
const resumed = await sdk.resumeToken({ path });
const read = await sdk.getToken({ path });
const listed = await sdk.listTokens({ query: { month: '2026-11' } });
const usage = await sdk.listUsage();
const table = await sdk.exportUsage({ parseAs: 'text' });
const removed = await sdk.removeToken({ path });
const gone = await sdk.getToken({ path });
const states: ('active' | 'suspended' | 'expired')[] = [token.state, suspended.data!.state, resumed.data!.state];
`,
};

const REPORT = `
console.log(JSON.stringify({
  statuses: [added, edited, rotated, expiring, suspended, resumed, read, listed, usage, table, removed, gone].map(
    ({ response }) => response?.status,
  ),
  states,
  isRotated: rotated.data!.key !== added.data!.key,
  names: [edited.data!.name, read.data!.name],
  expires: expiring.data!.expires,
  // Keys from the same moment are in the order of their ids, which are random.
  listed: listed.data!.tokens.map(({ name, requests }) => [name, requests]).sort(),
  usage: usage.data!.usage.length,
  table: table.data,
  code: gone.error!.error.code,
}));
`;

beforeAll(async () => {
  rmSync(BUILD, { recursive: true, force: true });
  for (const name of Object.keys(PROGRAMS)) mkdirSync(`${BUILD}/${name}`, { recursive: true });
  const document = JSON.parse(JSON.stringify(describeAdministration()));
  const types = await openapiTypescript(structuredClone(document), { silent: true });
  await Bun.write(`${BUILD}/openapi-typescript/client.d.ts`, astToString(types));
  await createClient({
    input: document,
    output: `${BUILD}/hey-api`,
    logs: { level: 'silent' },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
  });
  const head = `const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env;\n`;
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const [imports, rest] = [program.match(/^import .*$/gm)!, program.replace(/^import .*\n/gm, '')];
    await Bun.write(
      `${BUILD}/${name}/program.ts`,
      `${imports.join('\n')}\n${head}${rest}${REPORT}export {};\n`,
    );
  }
  await Bun.write(`${BUILD}/tsconfig.json`, PROJECT);
});

const run = (command: readonly string[]) =>
  runProgram(command, { BASE_URL: `http://127.0.0.1:${listener.port}`, KEY: operator.key });

test('the code that two generators make from the operator description compiles under strict', async () => {
  expect(await run([COMPILER, '--project', BUILD])).toBe('');
});

test.each(Object.keys(PROGRAMS))('the %s client manages a key from creation to removal', async name => {
  expect(JSON.parse(await run([`${BUILD}/${name}/program.ts`]))).toEqual({
    statuses: [201, 200, 200, 200, 200, 200, 200, 200, 200, 200, 204, 404],
    states: ['active', 'suspended', 'active'],
    isRotated: true,
    names: ['the app', 'the app'],
    expires: null,
    listed: [
      ['key 9', 0],
      ['the app', 0],
    ],
    usage: 0,
    table: 'month,id,name,plan,state,requests\r\n',
    code: 'NOT_FOUND',
  });
});
