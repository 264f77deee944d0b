import { readBody } from '../../http/body.ts';
import { handleErrors } from '../../http/errors.ts';
import { type Endpoint, type Exchange, type Handler, InnerExchange } from '../../http/exchange.ts';
import { isLoopbackHost } from '../../http/host.ts';
import { jsonHeaders, setLimitHeaders } from '../../http/response.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import { endpointOf } from '../endpoint.ts';
import { RpcError } from './json_rpc.ts';
import { errorReply, type McpReply, respondToMessage } from './protocol.ts';
import { TOOLS } from './tools.ts';

const MAX_BODY_BYTES = 65_536;

/** Handles messages of the Model Context Protocol over HTTP; see `mcpEndpoint`. */
export function mcpHandler(server: Server, version: string): Handler {
  const handlers = new Map(
    TOOLS.map(({ route }) => [route.path, handlerOf(endpointOf(route, server), server)]),
  );

  /** Responds to a tool call as if the client had sent the GET request of its route. */
  function get(target: string, exchange: Exchange): Response | Promise<Response> {
    const handle = handlers.get(target.slice(0, target.indexOf('?')))!; // only targets of tools
    return handle(new InnerExchange(target, exchange, server));
  }

  return async exchange => {
    const reply = await replyTo(exchange);
    exchange.isFree = !reply.isCounted;
    return mcpResponse(reply, exchange);
  };

  async function replyTo(exchange: Exchange): Promise<McpReply> {
    const { request, snapshot } = exchange;
    if (!isAllowedOrigin(request.headers.get('Origin'), snapshot)) return FOREIGN_ORIGIN;
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body === null) return TOO_LONG;
    return respondToMessage(body, request.headers, {
      version,
      get: target => get(target, exchange),
      requestId: () => exchange.requestId,
    });
  }
}

function handlerOf(endpoint: Endpoint, server: Server): Handler {
  return handleErrors(endpoint.handle, endpoint, server);
}

const FOREIGN_ORIGIN = errorReply(
  new RpcError(-32600, 'Pages of this origin may not use the server; --cors-origin allows one origin', 403),
);
const TOO_LONG = errorReply(new RpcError(-32600, `The message is longer than ${MAX_BODY_BYTES} bytes`, 413));

function mcpResponse({ status, body, isCounted }: McpReply, exchange: Exchange): Response {
  const headers = new Headers(jsonHeaders(exchange.snapshot.corsOrigin, exchange.request));
  if (body === null) headers.delete('Content-Type');
  headers.set('X-Request-Id', exchange.requestId);
  if (exchange.admission !== undefined) setLimitHeaders(headers, exchange.admission, isCounted);
  return new Response(body, { status, headers });
}

/**
 * Whether a request is not from a page on another site, which could otherwise use a server that only its reader can reach; the
 * protocol requires this check. Pages on this machine, `--public-url` and `--cors-origin` are allowed.
 */
function isAllowedOrigin(origin: string | null, { corsOrigin, publicUrl }: Snapshot): boolean {
  if (origin === null || origin === corsOrigin) return true;
  const url = URL.parse(origin);
  return url !== null && (isLoopbackHost(url.host) || url.origin === URL.parse(publicUrl)?.origin);
}
