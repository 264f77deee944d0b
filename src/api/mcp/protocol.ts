import type { HeaderSource } from '../../access/credentials.ts';
import { isObject } from '../../common/json.ts';
import { cut, quoted } from '../../common/service_error.ts';
import { isCounted } from '../../http/authenticate.ts';
import { errorBody, STATUS_OF } from '../../http/errors.ts';
import { RpcError, type RpcId, type RpcRequest, readMessage } from './json_rpc.ts';
import { checkEra, type Era, INITIALIZED_VERSIONS, SUPPORTED_VERSIONS } from './revisions.ts';
import { argumentError, describeTool, requestOf, TOOLS } from './tools.ts';

/** The parts of a server that the protocol uses. */
export interface McpServer {
  readonly version: string;
  /** Responds to a GET request, given by path and query, as the API's routes do. */
  readonly get: (target: string) => Response | Promise<Response>;
  /** The request id for errors in tool arguments. */
  readonly requestId: () => string;
}

/** The response to a message. */
export interface McpReply {
  /** The HTTP status. */
  readonly status: number;
  /** Null for a notification, which has no response. */
  readonly body: string | null;
  /** Whether it is the result of a tool call that counts against a quota. */
  readonly isCounted: boolean;
}

const INSTRUCTIONS =
  'Exact dates, time zones, holidays, working time and deadlines. Pass local times as ISO 8601 without an offset, with ' +
  'their zone as `source_tz`; `tz` is the zone of the result. Never compute these yourself.';

/** How long clients may cache the list of tools, which changes only with the release. */
const CACHE_HINTS = { ttlMs: 3_600_000, cacheScope: 'public' };

/**
 * Responds to one message of the Model Context Protocol, without sessions. `headers`: the headers of an HTTP request, which
 * repeat parts of the message; null for stdio.
 */
export async function respondToMessage(
  text: string,
  headers: HeaderSource | null,
  server: McpServer,
): Promise<McpReply> {
  let id: RpcId | null = null;
  try {
    const message = readMessage(text);
    if (message === null) return { status: 202, body: null, isCounted: false };
    id = message.id;
    const era = checkEra(message, headers);
    const { result: own, isCounted } = await resultOf(message, era, server);
    // The result of a ping is empty in the revisions that begin with `initialize`, and clients check that it is.
    const result = era === 'stateless' ? { ...own, ...resultMembers(server) } : own;
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result }), isCounted };
  } catch (error) {
    if (error instanceof RpcError) return errorReply(error, id);
    throw error;
  }
}

/** The response to a failed message; the id is null if it could not be parsed (JSON-RPC 2.0 §5). */
export function errorReply({ status, code, message, data }: RpcError, id: RpcId | null = null): McpReply {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  return { status, body, isCounted: false };
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

function serverInfo({ version }: McpServer) {
  return { name: 'meridian', version };
}

/** What each result has in the stateless revision alone. */
function resultMembers(server: McpServer) {
  return { resultType: 'complete', _meta: { [SERVER_INFO]: serverInfo(server) } };
}

interface McpResult {
  readonly result: object;
  readonly isCounted: boolean;
}

async function resultOf(request: RpcRequest, era: Era, server: McpServer): Promise<McpResult> {
  switch (`${era} ${request.method}`) {
    case 'initialized initialize':
      return free({
        protocolVersion: negotiated(request.params['protocolVersion']),
        capabilities: { tools: {} },
        serverInfo: serverInfo(server),
        instructions: INSTRUCTIONS,
      });
    case 'initialized ping':
      return free({});
    case 'stateless server/discover':
      return free({
        supportedVersions: SUPPORTED_VERSIONS,
        capabilities: { tools: {} },
        instructions: INSTRUCTIONS,
        ...CACHE_HINTS,
      });
    case 'initialized tools/list':
      return free({ tools: TOOLS.map(describeTool) });
    case 'stateless tools/list':
      return free({ tools: TOOLS.map(describeTool), ...CACHE_HINTS });
    case 'initialized tools/call':
    case 'stateless tools/call':
      return callTool(request.params, server);
  }
  const status = era === 'stateless' ? 404 : 200;
  throw new RpcError(-32601, `There is no method ${quoted(request.method)}`, status);
}

function free(result: object): McpResult {
  return { result, isCounted: false };
}

/** The revision of a session: the one that the client requests if supported, else the latest with sessions. */
function negotiated(requested: unknown): string {
  return INITIALIZED_VERSIONS.find(version => version === requested) ?? INITIALIZED_VERSIONS[0];
}

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
