import type { HeaderSource } from '../../access/credentials.ts';
import { isObject } from '../../common/json.ts';
import { cut } from '../../common/service_error.ts';
import { RpcError, type RpcRequest } from './json_rpc.ts';

/** The revisions that begin with `initialize`, the latest first. */
export const INITIALIZED_VERSIONS = ['2025-11-25', '2025-06-18'] as const;
/** The revision in which every request states its version and the client's capabilities. */
const STATELESS_VERSION = '2026-07-28';
export const SUPPORTED_VERSIONS: readonly string[] = [STATELESS_VERSION, ...INITIALIZED_VERSIONS];

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The revisions that begin with `initialize`, and the stateless one. */
export type Era = 'initialized' | 'stateless';

/**
 * Whether a request uses the stateless revision, or one that begins with `initialize`. Throws for an unsupported revision, and
 * if headers and message differ (revision 2026-07-28, transports, §6.4).
 */
export function checkEra(request: RpcRequest, headers: HeaderSource | null): Era {
  const meta = isObject(request.params['_meta']) ? request.params['_meta'] : {};
  const declared = meta[VERSION];
  const inHeader = headers?.get('MCP-Protocol-Version') ?? undefined;
  const version = declared ?? inHeader;
  if (version !== undefined && !SUPPORTED_VERSIONS.includes(String(version))) throw unsupported(version);
  if (version !== STATELESS_VERSION) return 'initialized';
  if (declared === undefined || !isObject(meta[CAPABILITIES])) {
    const missing = declared === undefined ? VERSION : CAPABILITIES;
    throw new RpcError(-32602, `Cannot read '_meta': '${missing}' is missing`, 400);
  }
  if (headers !== null) checkHeaders(request, headers);
  return 'stateless';
}

function unsupported(requested: unknown): RpcError {
  const data = { supported: SUPPORTED_VERSIONS, requested: cut(String(requested), 80) };
  return new RpcError(-32022, 'Unsupported protocol version', 400, data);
}

function checkHeaders({ method, params }: RpcRequest, headers: HeaderSource): void {
  checkHeader('MCP-Protocol-Version', STATELESS_VERSION, headers);
  checkHeader('Mcp-Method', method, headers);
  if (method === 'tools/call') checkHeader('Mcp-Name', String(params['name']), headers);
}

function checkHeader(name: string, inMessage: string, headers: HeaderSource): void {
  const value = headers.get(name);
  if (value !== null && decoded(value) === inMessage) return;
  const shown = value === null ? 'is missing' : `is '${cut(value, 80)}'`;
  throw new RpcError(
    -32020,
    `Header mismatch: ${name} ${shown}, and the message has '${cut(inMessage, 80)}'`,
    400,
  );
}

/** A header value, decoded from Base64 if it is not plain ASCII: `=?base64?…?=`. */
function decoded(value: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}
