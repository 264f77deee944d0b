import { addressOf, type IpAddress } from '../places/ip_address.ts';

/** Which requests are logged: all, only server errors (5xx), or none. */
export const ACCESS_LOG_MODES = ['all', 'errors', 'off'] as const;
export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number];

/** A completed request, without anything private to the client: no query string, no full path. */
export interface CompletedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The path of the route; that of the request could contain anything. */
  readonly route: string;
  readonly status: number;
  readonly durationNs: number;
  /** The id of the API key, which is not secret. */
  readonly keyId: string | null;
  /** The client's address, or the part of it that may be logged. */
  readonly client: string | null;
}

/** Formats a request as a log line. All values use small, safe alphabets, so nothing is escaped. */
export type AccessLogLine = (request: CompletedRequest) => string;

/** Formats a request as a line of JSON. */
export function jsonAccessLine(request: CompletedRequest): string {
  const { requestId, method, route, status, keyId, client } = request;
  const key = keyId === null ? '' : `,"key_id":"${keyId}"`;
  const from = client === null ? '' : `,"client":"${client}"`;
  return (
    `{"time":"${new Date().toISOString()}","level":"info","message":"request","request_id":"${requestId}","method":"${method}",` +
    `"route":"${route}","status":${status},"duration_ms":${milliseconds(request)}${key}${from}}\n`
  );
}

/** Formats a request as human-readable text. */
export function textAccessLine(request: CompletedRequest): string {
  const { requestId, method, route, status, keyId, client } = request;
  const key = keyId === null ? '' : ` key=${keyId}`;
  const from = client === null ? '' : ` client=${client}`;
  return `${new Date().toISOString()} info  ${status} ${method} ${route} ${milliseconds(request)}ms ${requestId}${key}${from}\n`;
}

/** The duration, to the microsecond. */
function milliseconds({ durationNs }: CompletedRequest): number {
  return Math.round(durationNs / 1000) / 1000;
}

/** How much of a client's address is logged: nothing, its network (/24, or /48 for IPv6), or all of it. */
export const LOG_CLIENT_MODES = ['none', 'network', 'full'] as const;
export type LogClientMode = (typeof LOG_CLIENT_MODES)[number];

const NETWORK_BYTES = { 4: 3, 6: 6 } as const;

/** A client's address as it appears in the access log; null if it is not logged. */
export function loggedClient(client: IpAddress | undefined, mode: LogClientMode): string | null {
  if (client === undefined || mode === 'none') return null;
  if (mode === 'full') return client.text;
  const length = NETWORK_BYTES[client.version];
  const network = addressOf(client.bytes.map((byte, index) => (index < length ? byte : 0)));
  return `${network.text}/${length * 8}`;
}
