/** Which requests leave a line in the access log: all, those that the server failed to answer (5xx), or none. */
export const ACCESS_LOG_MODES = ['all', 'errors', 'off'] as const;
export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number];

/** A request that was answered, without anything that its caller may want to keep to itself: no query, no address. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's path; not the path that was asked for, which can be anything. */
  readonly route: string;
  readonly status: number;
  readonly durationNs: number;
  /** The id of the caller's API key, which is no secret. */
  readonly keyId: string | null;
  /** The caller's address, as much of it as is to be logged. */
  readonly client: string | null;
}

/** Writes the line of a request. All texts in it are of a few harmless characters, so nothing is escaped. */
export type AccessLogLine = (request: AnsweredRequest) => string;

/** A line of JSON. */
export function jsonAccessLine(request: AnsweredRequest): string {
  const { requestId, method, route, status, keyId, client } = request;
  const key = keyId === null ? '' : `,"key_id":"${keyId}"`;
  const from = client === null ? '' : `,"client":"${client}"`;
  return (
    `{"time":"${timestamp()}","level":"info","message":"request","request_id":"${requestId}","method":"${method}",` +
    `"route":"${route}","status":${status},"duration_ms":${milliseconds(request)}${key}${from}}\n`
  );
}

/** A line for people. */
export function textAccessLine(request: AnsweredRequest): string {
  const { requestId, method, route, status, keyId, client } = request;
  const key = keyId === null ? '' : ` key=${keyId}`;
  const from = client === null ? '' : ` client=${client}`;
  return `${timestamp()} info  ${status} ${method} ${route} ${milliseconds(request)}ms ${requestId}${key}${from}\n`;
}

/** To the microsecond. */
function milliseconds({ durationNs }: AnsweredRequest): number {
  return Math.round(durationNs / 1000) / 1000;
}

let stampedMs = 0;
let stamp = '';

/** The present as RFC 3339 has it. It costs 0.4 µs to write out, so requests of one millisecond share it. */
function timestamp(): string {
  const nowMs = Date.now();
  if (nowMs !== stampedMs) {
    stampedMs = nowMs;
    stamp = new Date(nowMs).toISOString();
  }
  return stamp;
}
