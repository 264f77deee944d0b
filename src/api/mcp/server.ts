import type { HeaderSource } from '../../access/authorise.ts';
import { cut, quoted } from '../../common/errors.ts';
import { isObject, JsonError, parseStrictJson } from '../../common/json.ts';
import { readBody } from '../../http/body.ts';
import { errorBody, isCounted, STATUS_OF } from '../../http/errors.ts';
import { type Exchange, type Handler, InnerExchange } from '../../http/exchange.ts';
import { isLoopbackHost } from '../../http/host.ts';
import { chargeMore } from '../../http/pipeline.ts';
import { setLimitHeaders, uncachedHeaders } from '../../http/response.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import { countsEntries, entriesOf, innerHandler, innerQuery } from '../endpoint.ts';
import { argumentError, describeTool, requestOf, TOOLS } from './tools.ts';

/** An error of JSON-RPC 2.0 §5.1, and the HTTP status that it is sent with: 200 if the message could be parsed. */
class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, status = 200, data?: object) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

interface RpcRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Parses a message; null for one that requires no response: a notification, or the response to a request. */
function readMessage(bytes: Uint8Array): RpcRequest | null {
  const message = parse(bytes);
  if (Array.isArray(message)) throw invalid('it is a batch; send one message at a time');
  if (!isObject(message) || message['jsonrpc'] !== '2.0') throw invalid("it has no 'jsonrpc': '2.0'");
  const { id, method, params = {} } = message;
  if (typeof method !== 'string') {
    if ('result' in message || 'error' in message) return null;
    throw invalid("it has no 'method'");
  }
  if (!isObject(params)) throw invalid("'params' is not an object");
  if (id === undefined) return null;
  if (typeof id !== 'string' && typeof id !== 'number')
    throw invalid("'id' is neither a string nor a number");
  return { id, method, params };
}

/** More levels and values than any message in the protocol has. */
const LIMITS = { depth: 32, separators: { maximum: 2000, fault: 'it has more than 2000 commas and colons' } };

function parse(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, LIMITS);
  } catch (error) {
    if (error instanceof JsonError) throw invalid(error.message, error.isSyntax ? -32700 : -32600);
    throw error;
  }
}

function invalid(reason: string, code = -32600): RpcError {
  return new RpcError(code, `Cannot read the message: ${reason}`, 400);
}

/** The revisions that begin with `initialize`, the latest first. */
const INITIALIZED_VERSIONS = ['2025-11-25', '2025-06-18'] as const;
/** The revision in which every request states its version and the client's capabilities. */
const STATELESS_VERSION = '2026-07-28';
const SUPPORTED_VERSIONS: readonly string[] = [STATELESS_VERSION, ...INITIALIZED_VERSIONS];

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Whether a request uses the stateless revision, not one that begins with `initialize`. Throws for an unsupported revision, and
 * if headers and message differ (revision 2026-07-28, transports, §6.4).
 */
function isStateless({ method, params }: RpcRequest, headers: HeaderSource | null): boolean {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const declared = meta[VERSION];
  const version = declared ?? headers?.get('MCP-Protocol-Version') ?? undefined;
  if (version !== undefined && !SUPPORTED_VERSIONS.includes(String(version))) {
    const data = { supported: SUPPORTED_VERSIONS, requested: cut(String(version), 80) };
    throw new RpcError(-32022, 'Unsupported protocol version', 400, data);
  }
  if (version !== STATELESS_VERSION) return false;
  if (declared === undefined || !isObject(meta[CAPABILITIES])) {
    const missing = declared === undefined ? VERSION : CAPABILITIES;
    throw new RpcError(-32602, `Cannot read '_meta': '${missing}' is missing`, 400);
  }
  if (headers !== null) {
    checkHeader('MCP-Protocol-Version', STATELESS_VERSION, headers);
    checkHeader('Mcp-Method', method, headers);
    if (method === 'tools/call') checkHeader('Mcp-Name', String(params['name']), headers);
  }
  return true;
}

function checkHeader(name: string, inMessage: string, headers: HeaderSource): void {
  const value = headers.get(name);
  if (value !== null && plainHeader(value) === inMessage) return;
  const shown = value === null ? 'is missing' : `is '${cut(value, 80)}'`;
  const mismatch = `Header mismatch: ${name} ${shown}, and the message has '${cut(inMessage, 80)}'`;
  throw new RpcError(-32020, mismatch, 400);
}

/** A header value, decoded from Base64 if it is not plain ASCII: `=?base64?…?=`. */
function plainHeader(value: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}

/** The parts of a server that the protocol uses. */
interface McpServer {
  readonly version: string;
  /** Responds to a GET request, given by path and query, as the API's routes do. */
  readonly get: (target: string) => Response | Promise<Response>;
  /** The request id for errors in tool arguments. */
  readonly requestId: () => string;
}

interface McpReply {
  readonly status: number;
  /** Null for a notification, which has no response. */
  readonly body: string | null;
  /** Whether it is the result of a tool call that counts against a quota. */
  readonly isCounted: boolean;
}

/** Responds to one message, without sessions. `headers` are those of an HTTP request, which repeat parts of it; null for stdio. */
export async function respondToMessage(
  bytes: Uint8Array,
  headers: HeaderSource | null,
  server: McpServer,
): Promise<McpReply> {
  let id: RpcRequest['id'] | null = null;
  try {
    const message = readMessage(bytes);
    if (message === null) return { status: 202, body: null, isCounted: false };
    id = message.id;
    const stateless = isStateless(message, headers);
    const { result: own, isCounted } = await resultOf(message, stateless, server);
    // The result of a ping is empty in the revisions that begin with `initialize`, and clients check that it is.
    const result = stateless
      ? { ...own, resultType: 'complete', _meta: { [SERVER_INFO]: infoOf(server) } }
      : own;
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result }), isCounted };
  } catch (error) {
    if (error instanceof RpcError) return errorReply(error, id);
    throw error;
  }
}

/** The response to a failed message; the id is null if it could not be parsed (JSON-RPC 2.0 §5). */
function errorReply({ status, code, message, data }: RpcError, id: RpcRequest['id'] | null = null): McpReply {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  return { status, body, isCounted: false };
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

function infoOf({ version }: McpServer) {
  return { name: 'meridian', version };
}

type McpResult = Pick<McpReply, 'isCounted'> & { readonly result: object };

/** How the server describes itself at the beginning, in all revisions. */
const DESCRIPTION = {
  capabilities: { tools: {} },
  instructions:
    'Exact dates, time zones, holidays, working time and deadlines. Pass local times as ISO 8601 without an offset, with ' +
    'their zone as `source_tz`; `tz` is the zone of the result. Never compute these yourself.',
};

/** How long clients may cache the list of tools, which changes only with the release. */
const CACHE_HINTS = { ttlMs: 3_600_000, cacheScope: 'public' };

async function resultOf(
  { method, params }: RpcRequest,
  stateless: boolean,
  server: McpServer,
): Promise<McpResult> {
  if (method === 'tools/call') return callTool(params, server);
  const result = (stateless ? STATELESS_METHODS : INITIALIZED_METHODS).get(method)?.(params, server);
  if (result !== undefined) return { result, isCounted: false };
  throw new RpcError(-32601, `There is no method ${quoted(method)}`, stateless ? 404 : 200);
}

type Method = (params: RpcRequest['params'], server: McpServer) => object;

const STATELESS_METHODS = new Map<string, Method>([
  ['server/discover', () => ({ supportedVersions: SUPPORTED_VERSIONS, ...DESCRIPTION, ...CACHE_HINTS })],
  ['tools/list', () => ({ tools: TOOLS.map(describeTool), ...CACHE_HINTS })],
]);

const INITIALIZED_METHODS = new Map<string, Method>([
  [
    'initialize',
    (params, server) => ({
      protocolVersion:
        INITIALIZED_VERSIONS.find(version => version === params['protocolVersion']) ??
        INITIALIZED_VERSIONS[0],
      serverInfo: infoOf(server),
      ...DESCRIPTION,
    }),
  ],
  ['ping', () => ({})],
  ['tools/list', () => ({ tools: TOOLS.map(describeTool) })],
]);

async function callTool(
  { name, arguments: given = {} }: RpcRequest['params'],
  { get, requestId }: McpServer,
): Promise<McpResult> {
  const tool = TOOLS.find(known => known.name === name);
  if (tool === undefined) {
    const names = TOOLS.map(known => known.name).join(', ');
    const problem =
      name === undefined ? "'name' is missing" : `Unknown tool ${cut(JSON.stringify(name), 80)}`;
    throw new RpcError(-32602, `${problem}; there are ${names}`);
  }
  if (!isObject(given)) throw new RpcError(-32602, "Cannot read 'arguments': it is not an object");
  const error = argumentError(given);
  if (error !== null) return toolResult(JSON.stringify(errorBody(error, requestId())), STATUS_OF[error.code]);
  const response = await get(requestOf(tool, given));
  return toolResult(await response.text(), response.status);
}

function toolResult(text: string, status: number): McpResult {
  const isError = status >= 400;
  return { result: { content: [{ type: 'text', text }], isError }, isCounted: isCounted(status) };
}

const MAX_MESSAGE_BYTES = 65_536;

/** Handles messages of the Model Context Protocol over HTTP; see `mcpEndpoint`. */
export function mcpHandler(server: Server, version: string): Handler {
  const routes = new Map(
    TOOLS.map(({ route }) => [route.path, { route, handle: innerHandler(route, server) }]),
  );

  return async exchange => {
    const { status, body, isCounted } = await replyTo(exchange);
    exchange.isFree = !isCounted;
    const headers = uncachedHeaders(exchange, body === null ? null : 'application/json');
    setLimitHeaders(headers, exchange, isCounted);
    return new Response(body, { status, headers });
  };

  async function replyTo(exchange: Exchange): Promise<McpReply> {
    const { request, snapshot } = exchange;
    if (!isAllowedOrigin(request.headers.get('Origin'), snapshot)) return FOREIGN_ORIGIN;
    const body = await readBody(request, MAX_MESSAGE_BYTES);
    if (body === null) return TOO_LONG;
    return respondToMessage(body, request.headers, {
      version,
      // As if the client had sent the GET request of the tool's route.
      async get(target) {
        const { route, handle } = routes.get(target.slice(0, target.indexOf('?')))!; // only targets of tools
        const entries = countsEntries(exchange) ? entriesOf(route, innerQuery(target, route), snapshot) : 1;
        if (entries > 1) await chargeMore(exchange, entries - 1, server);
        return handle(new InnerExchange(target, exchange, server));
      },
      requestId: () => exchange.requestId,
    });
  }
}

const FOREIGN_ORIGIN = errorReply(
  new RpcError(-32600, 'Pages of this origin may not use the server; --cors-origin allows one origin', 403),
);
const TOO_LONG = errorReply(
  new RpcError(-32600, `The message is longer than ${MAX_MESSAGE_BYTES} bytes`, 413),
);

/**
 * Whether a request is not from a page on another site, which could otherwise use a server that only its reader can reach; the
 * protocol requires this check. Pages on this machine, `--public-url` and `--cors-origin` are allowed.
 */
function isAllowedOrigin(origin: string | null, { corsOrigin, publicUrl }: Snapshot): boolean {
  if (origin === null || origin === corsOrigin) return true;
  const url = URL.parse(origin);
  return url !== null && (isLoopbackHost(url.host) || url.origin === URL.parse(publicUrl)?.origin);
}
