import { afterAll, describe, expect, test } from 'bun:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeTool, TOOLS, type ToolDefinition } from '../../src/api/mcp/tools.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { addKey, control, openStore } from '../access/control.ts';
import { callTool, connect, expectGoldenResults, GOLDEN_CALLS } from '../support/mcp.ts';
import { newFolder } from '../support/process.ts';
import { expectAll, expectEach } from '../support/responses.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const folder = newFolder();
const store = openStore(folder);
const key = addKey(store, 1, 'small');
const plan = { name: 'small', rate: undefined, monthlyQuota: 5, countsEntries: true };
const { access } = control(folder, { plans: [plan] });
const open = createApp(testServer());
const keyed = createApp(testServer({ access }));

afterAll(async () => {
  await access.stop();
  store.close();
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MODERN = { 'MCP-Protocol-Version': '2026-07-28' };
const OTHER_NAME = { ...MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'timezone' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

const ARGUMENT_TWICE = `{"jsonrpc":"2.0","id":1,"method":"tools/call",
  "params":{"name":"current_time","arguments":{"tz":"UTC","tz":"Asia/Tokyo"}}}`;

/** Sends a message, JSON or any text or bytes. */
async function post(message: unknown, headers: Record<string, string> = {}, app = open) {
  const isEncoded = typeof message === 'string' || message instanceof Uint8Array;
  const body = isEncoded ? message : JSON.stringify(message);
  const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
  const response = await app.handle(new Request('http://localhost/mcp', init));
  const text = await response.text();
  const { status, headers: answered } = response;
  return { status, headers: answered, text, body: text === '' ? null : JSON.parse(text) };
}

/** A call of a tool. */
const callOf = (name: string, given: unknown) => ({
  ...PING,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** The result of a call: whether it is an error, and its text. */
async function result(name: string, given: unknown, headers: Record<string, string> = {}, app = open) {
  const { isError, content } = (await post(callOf(name, given), headers, app)).body.result;
  return { isError: isError as boolean, text: content[0].text as string };
}

/** A request in the sessionless revision. */
function modern(method: string, params: object = {}) {
  return { jsonrpc: '2.0', id: 'a', method, params: { ...params, _meta: META } };
}

describe("the official SDK's client", () => {
  test('returns the exact results of the golden calls', async () => {
    expect(Object.values(GOLDEN_CALLS).flat().length).toBeGreaterThanOrEqual(20);
    const fetch = async (url: string | URL, init?: RequestInit) =>
      open.handle(new Request(String(url), init));
    const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch });
    const client = await connect(transport);
    expect(client.getServerVersion()?.name).toBe('meridian');
    await expectGoldenResults(client);
    expect(await client.ping()).toEqual({});
    const failed = await callTool(client, 'timezone', { tz: 'Europe/Pari' });
    expect(failed).toMatchObject({
      isError: true,
      value: { error: { code: 'INVALID_PARAMETER', message: expect.stringContaining("'Europe/Paris'") } },
    });
    await client.close();
  });
});

describe('tools', () => {
  const definitions = TOOLS.map(describeTool);

  test('number at most twelve, and all descriptions in `tools/list` together are under 6 KB', async () => {
    const { body } = await post({ ...PING, method: 'tools/list' });
    expect(body.result.tools.length).toBeLessThanOrEqual(12);
    const descriptions: string[] = [];
    JSON.stringify(body.result.tools, (name, value) => {
      if (name === 'description') descriptions.push(value);
      return value;
    });
    const parameters = body.result.tools.flatMap((tool: ToolDefinition) =>
      Object.keys(tool.inputSchema['properties'] as object),
    );
    expect(descriptions).toHaveLength(body.result.tools.length + parameters.length);
    expect(Buffer.byteLength(descriptions.join(''))).toBeLessThan(6 * 1024);
  });

  test.each(definitions)('$name succeeds with its example, which matches its schema', async definition => {
    const { name, description, inputSchema } = definition;
    const given = JSON.parse(/Example: (.*)$/.exec(description)![1]!);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(inputSchema);
    expect([validate(given), validate.errors]).toEqual([true, null]);
    expect(await result(name, given)).toMatchObject({ isError: false });
  });

  test('reject unknown arguments, and take lists as arrays', async () => {
    const call = (given: object) => result('current_time', given);
    const error = (text: string) => ({ isError: true, text: expect.stringContaining(text) });
    expect(await call({ timezone: 'Asia/Tokyo' })).toEqual(error("Cannot read 'timezone'"));
    for (const tz of [{ name: 'UTC' }, [['UTC']], [null]]) {
      expect(await call({ tz })).toEqual(error("Cannot read 'tz': it is or contains an object"));
    }
    expect(JSON.parse((await call({ tz: ['Asia/Tokyo', 'UTC'], lat: null })).text)).toHaveLength(2);
    expect(JSON.parse((await call({ place: ['Munich', 'Portland, US-ME'] })).text)).toMatchObject([
      { timezone: 'Europe/Berlin' },
      { timezone: 'America/New_York' },
    ]);
  });

  test('cannot be signed: their results have no headers', async () => {
    const signed = createApp(testServer({ signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) }));
    const message = "Cannot read 'sign': tool results are not signed";
    const error = { code: 'INVALID_PARAMETER', message, details: { parameter: 'sign' } };
    for (const given of [{ sign: true }, { sign: 'true', signature: 'rfc9421' }]) {
      const headers = { 'X-Request-Id': 'mine' };
      const { isError, text } = await result('current_time', { tz: 'UTC', ...given }, headers, signed);
      expect(isError).toBe(true);
      expect(JSON.parse(text)).toEqual({ error, request_id: 'mine' });
    }
  });

  test('have results that no message header encodes or omits', async () => {
    const holidays = { country: 'DE', year: 2026 };
    const range = { tz: 'Europe/Paris', from: '2020-01-01', to: '2030-01-01' };
    const caching = { 'Accept-Encoding': 'gzip, deflate, br, zstd', 'If-None-Match': '*' };
    const { isError, text } = await result('holidays', holidays, caching);
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toMatchObject(holidays);
    const changes = await result('clock_changes', range, caching);
    expect(JSON.parse(changes.text).transitions).toHaveLength(20);
  });

  test('are listed if a call names none', async () => {
    const { body } = await post({ ...PING, method: 'tools/call', params: {} });
    expect(body.error.message).toStartWith("'name' is missing; there are current_time, ");
  });
});

describe('the revisions', () => {
  const initialize = (protocolVersion: unknown) =>
    post({ ...PING, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: {} } });

  test('initialize negotiates one that starts with it', async () => {
    const agreedFor = async (requested: string) => {
      const { status, body, headers } = await initialize(requested);
      return [status, body.result.protocolVersion, headers.get('Mcp-Session-Id')];
    };
    await expectEach(agreedFor, {
      '2025-06-18': [200, '2025-06-18', null],
      '2025-11-25': [200, '2025-11-25', null],
      '2024-11-05': [200, '2025-11-25', null],
      '2026-07-28': [200, '2025-11-25', null],
    });
  });

  test('2025-06-18 and 2025-11-25 have results without the members of 2026-07-28', async () => {
    for (const version of ['2025-06-18', '2025-11-25', undefined]) {
      const headers: Record<string, string> =
        version === undefined ? {} : { 'MCP-Protocol-Version': version };
      expect((await post(PING, headers)).text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
      const { body: list } = await post({ ...PING, method: 'tools/list' }, headers);
      expect(Object.keys(list.result)).toEqual(['tools']);
      const { body: call } = await post(callOf('convert_time', { unix: 0, tz: 'UTC' }), headers);
      expect(Object.keys(call.result)).toEqual(['content', 'isError']);
    }
    const { body } = await initialize('2025-06-18');
    expect(body.result).not.toContainAnyKeys(['resultType', '_meta']);
  });

  test('2026-07-28 needs no session, and every result is complete', async () => {
    const discover = await post(modern('server/discover'), { ...MODERN, 'Mcp-Method': 'server/discover' });
    expect([discover.status, discover.body.result]).toMatchObject([
      200,
      {
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
        capabilities: { tools: {} },
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'meridian' } },
      },
    ]);
    const list = await post(modern('tools/list'), { ...MODERN, 'Mcp-Method': 'tools/list' });
    expect(list.body.result).toMatchObject({ resultType: 'complete', ttlMs: 3_600_000 });
    const params = { name: 'convert_time', arguments: { unix: 0, tz: 'UTC' } };
    for (const name of ['convert_time', `=?base64?${btoa('convert_time')}?=`]) {
      const headers = { ...MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
      const call = await post(modern('tools/call', params), headers);
      expect(call.body).toMatchObject({ id: 'a', result: { resultType: 'complete', isError: false } });
    }
  });

  const OLD = { 'MCP-Protocol-Version': '1900-01-01' };
  const version = (protocolVersion: string) => ({
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
  });
  const withMeta = (_meta: object) => ({ ...PING, params: { _meta } });
  const method = (name: string) => ({ ...MODERN, 'Mcp-Method': name });

  test.each([
    ['another version in the header', modern('tools/list'), OLD, 400, -32020],
    ['an unsupported version', withMeta({ ...META, ...version('1900-01-01') }), OLD, 400, -32022],
    ['an unsupported version in the header', PING, { 'MCP-Protocol-Version': '2024-11-05' }, 400, -32022],
    ['no version in the message', PING, MODERN, 400, -32602],
    ['no capabilities', withMeta(version('2026-07-28')), MODERN, 400, -32602],
    ['no Mcp-Method', modern('tools/list'), MODERN, 400, -32020],
    ['another Mcp-Method', modern('tools/list'), method('tools/call'), 400, -32020],
    ['another Mcp-Name', modern('tools/call', { name: 'holidays' }), OTHER_NAME, 400, -32020],
    ['a removed method', modern('ping'), method('ping'), 404, -32601],
    ['an unknown method', { ...PING, method: 'prompts/list' }, {}, 200, -32601],
    ['an unknown tool', { ...PING, method: 'tools/call', params: { name: 'clock' } }, {}, 200, -32602],
    ['arguments that are none', callOf('holidays', 'DE'), {}, 200, -32602],
    ['no JSON', '{', {}, 400, -32700],
    ['no UTF-8', Buffer.from('{"\xff":1}', 'latin1'), {}, 400, -32700],
    ['a member twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', {}, 400, -32600],
    ['an argument twice', ARGUMENT_TWICE, {}, 400, -32600],
    ['more than 2000 commas and colons', { ...PING, params: { x: Array(2000).fill(0) } }, {}, 400, -32600],
    ['half a surrogate pair', { ...PING, id: '\ud800' }, {}, 400, -32600],
    ['a batch', [PING, PING], {}, 400, -32600],
    ['another JSON-RPC', { ...PING, jsonrpc: '1.0' }, {}, 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, {}, 400, -32600],
    ['an id of null', { ...PING, id: null }, {}, 400, -32600],
    ['parameters that are none', { ...PING, params: [] }, {}, 400, -32600],
  ] as const)('%s is an error', async (_, message, headers, status, code) => {
    const reply = await post(message, headers);
    expect([reply.status, reply.body.error.code]).toEqual([status, code]);
    // If the message is not a valid request, its id is null (JSON-RPC 2.0 §5).
    const isInvalid = code === -32700 || code === -32600;
    expect(reply.body.id).toBe(isInvalid ? null : (message as { id: string | number }).id);
    expect(reply.headers.get('Content-Type')).toBe('application/json');
  });

  test('notifications and responses have no response', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const { status, text, headers } = await post(message);
      expect([status, text, headers.get('Content-Type')]).toEqual([202, '', null]);
    }
  });
});

describe('over HTTP', () => {
  test('pages of other origins are rejected, except those of this machine and configured ones', async () => {
    const own = { corsOrigin: 'https://agent.example', publicUrl: 'https://time.example/api' };
    const app = createApp(testServer(own));
    await expectEach(async origin => (await post(PING, { Origin: origin }, app)).status, {
      'https://agent.example': 200,
      'https://time.example': 200,
      'http://localhost:6274': 200,
      'http://127.0.0.1': 200,
      'https://evil.example': 403,
      'https://agent.example.evil.example': 403,
      null: 403,
    });
    expect((await post(PING, { Origin: 'https://evil.example' })).status).toBe(403);
  });

  test('other methods are rejected, and the preflight allows POST', async () => {
    const send = (init: RequestInit) => open.handle(new Request('http://localhost/mcp', init));
    const outcomeOf = async (method: string) => {
      const { status, headers } = await send({ method });
      return [status, headers.get('Allow')];
    };
    await expectAll(outcomeOf, [405, 'POST, OPTIONS'], ['GET', 'HEAD', 'DELETE', 'PUT']);
    const { headers } = await send({ method: 'OPTIONS', headers: { Origin: 'https://a.example' } });
    expect(headers.get('Allow')).toBe('POST, OPTIONS');
    expect(headers.get('Access-Control-Allow-Methods')).toBe('POST, OPTIONS');
    expect(headers.get('Access-Control-Allow-Headers')).toContain('Content-Type');
  });

  test('a body has at most 64 KB, with or without Content-Length', async () => {
    const long = { ...PING, params: { padding: 'x'.repeat(65_536) } };
    expect((await post(long)).status).toBe(413);
    expect((await post({ ...PING, params: { padding: 'x'.repeat(65_000) } })).status).toBe(200);
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(10_000));
      },
    });
    const request = new Request('http://localhost/mcp', { method: 'POST', body });
    expect((await open.handle(request)).status).toBe(413);
    expect(pulled).toBeLessThan(20);
  });

  test('--mcp off removes the route', async () => {
    const app = createApp(testServer(), { hasMcp: false });
    expect((await post(PING, {}, app)).status).toBe(404);
  });

  test('the response carries the request id', async () => {
    const { headers } = await post(PING, { 'X-Request-Id': 'mine' });
    expect(headers.get('X-Request-Id')).toBe('mine');
  });
});

test('with keys every message needs one, and only tool calls and entries of their lists count', async () => {
  const credential = { Authorization: `Bearer ${key.key}` };
  const call = (unix: unknown) => callOf('convert_time', { unix, tz: 'UTC' });
  expect((await post(PING, {}, keyed)).status).toBe(401);
  const left = async (message: unknown) => {
    const { status, headers } = await post(message, credential, keyed);
    return [status, headers.get('X-Service-Quota-Remaining')];
  };
  expect(await left({ ...PING, method: 'tools/list' })).toEqual([200, '5']);
  expect(await left(PING)).toEqual([200, '5']);
  expect(await left({ jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual([202, '5']);
  expect(await left('{')).toEqual([400, '5']);
  expect(await left(callOf('convert_time', { unix: 0, tz: ['UTC', 'Asia/Tokyo'] }))).toEqual([200, '3']);
  expect(await left(call(0))).toEqual([200, '2']);
  expect(await left(call('x'))).toEqual([200, '1']);
  expect(await left(PING)).toEqual([200, '1']);
  expect(await left(call(0))).toEqual([200, '0']);
  const { status, body } = await post(call(0), credential, keyed);
  expect([status, body.error.code]).toEqual([429, 'QUOTA_EXCEEDED']);
});
