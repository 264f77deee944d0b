import { isObject, measureJson } from '../../common/json.ts';

/** More levels than any message in the protocol. */
const MAX_DEPTH = 32;

/** An error of JSON-RPC 2.0 §5.1, and the HTTP status that it is sent with. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  /** `status` is 200 if the message could be parsed. */
  constructor(code: number, message: string, status = 200, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export type RpcId = string | number;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Parses a message; null for one that requires no response: a notification, or the response to a request. */
export function readMessage(text: string): RpcRequest | null {
  const message = parse(text);
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

function parse(text: string): unknown {
  if (measureJson(text, MAX_DEPTH).depth > MAX_DEPTH)
    throw invalid(`it is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(-32700, 'Cannot read the message: it is not JSON', 400);
  }
}

function invalid(reason: string): RpcError {
  return new RpcError(-32600, `Cannot read the message: ${reason}`, 400);
}
