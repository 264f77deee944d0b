import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * Clients that send requests without a pause, each on its own connection, kept alive as long as the server allows.
 * Unlike browsers and most libraries they never retry a request.
 */
export interface Clients {
  /** Resolves after `count` more responses. */
  receive(count: number): Promise<void>;
  /** Resolves when the server no longer accepts connections. */
  readonly ended: Promise<ClientsReport>;
  /** Stops each client after its next response. */
  stop(): Promise<ClientsReport>;
}

interface ClientsReport {
  readonly responses: number;
  /** Requests without a complete response. */
  readonly lost: number;
  /** Responses with a status other than 200. */
  readonly refused: number;
}

/** Connects to a URL, or to `unix:PATH`, and calls `onOpen` when requests can be sent. */
function open(url: string, onOpen: () => void): Socket {
  if (url.startsWith('unix:')) return connect(url.slice('unix:'.length), onOpen);
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'http:') return connect(Number(port), hostname, onOpen);
  return connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, onOpen);
}

/**
 * Starts clients. Each opens another connection after `perConnection` requests, and ends once it cannot connect.
 * `header` is a line that each request has in addition to `Host`.
 */
export function startClients(url: string, count: number, perConnection: number, header = ''): Clients {
  const report = { responses: 0, lost: 0, refused: 0 };
  const waiting: { readonly from: number; readonly resolve: () => void }[] = [];
  let running = count;
  let isStopping = false;
  const ended = Promise.withResolvers<ClientsReport>();

  function onResponse(status: string): void {
    report.responses++;
    if (status !== '200') report.refused++;
    for (const { from, resolve } of waiting) if (report.responses >= from) resolve();
  }

  function start(): void {
    let isConnected = false;
    let isPending = false;
    let sent = 0;
    let received = '';
    const send = () => {
      isPending = true;
      received = '';
      sent++;
      const last = sent === perConnection ? 'Connection: close\r\n' : '';
      const more = header === '' ? last : `${header}\r\n${last}`;
      socket.write(`GET /v1/time/current?tz=Europe/Paris HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`);
    };
    const socket = open(url, () => {
      isConnected = true;
      send();
    });
    socket.on('data', bytes => {
      received += bytes.toString('latin1');
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      if (head === -1 || received.length < head + 4 + length) return;
      isPending = false;
      onResponse(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
      if (isStopping || sent === perConnection || /^connection: close/im.test(received.slice(0, head)))
        socket.end();
      else send();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isPending) report.lost++;
      if (isConnected && !isStopping) start();
      else if (--running === 0) ended.resolve(report);
    });
  }

  for (let index = 0; index < count; index++) start();
  return {
    receive: more =>
      new Promise(resolve => {
        waiting.push({ from: report.responses + more, resolve });
      }),
    ended: ended.promise,
    stop() {
      isStopping = true;
      return ended.promise;
    },
  };
}

/** A response as received from a socket. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The outcome of bytes sent on their own connection. */
export interface Exchange {
  readonly responses: readonly RawResponse[];
  /** Trailing bytes that are not a complete response. */
  readonly rest: string;
}

/** A server that has not closed a finished client's connection by then is considered hung. */
const DEADLINE_MS = 15_000;

/**
 * Sends bytes, each a character of Latin 1, half-closes the connection, and waits until the server closes it. Throws if it
 * does not.
 */
export function exchange(port: number, bytes: string): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(Buffer.from(bytes, 'latin1')));
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end after ${DEADLINE_MS} ms: ${JSON.stringify(bytes)}`));
    }, DEADLINE_MS);
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
    });
    // A server that rejects a request need not read the rest of it, which makes its close a reset.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(parseResponses(received));
    });
  });
}

/** Parses consecutive responses, except interim ones (`100 Continue`). */
export function parseResponses(received: string): Exchange {
  const responses: RawResponse[] = [];
  let rest = received;
  for (;;) {
    const read = parseResponse(rest);
    if (read === null) return { responses, rest };
    if (read.response.status >= 200) responses.push(read.response);
    rest = rest.slice(read.length);
  }
}

function parseResponse(text: string): { response: RawResponse; length: number } | null {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1];
  if (end === -1 || status === undefined) return null;
  const headers = new Map(lines.map(line => splitHeader(line)));
  const bodyStart = end + '\r\n\r\n'.length;
  if (headers.get('content-length') === undefined && text.length > bodyStart) {
    // A long document is streamed, and is truncated if the client half-closes the connection.
    const isChunked = headers.get('transfer-encoding') === 'chunked';
    const { body, length } = isChunked ? readChunks(text, bodyStart) : streamedBody(text.slice(bodyStart));
    return { response: { status: Number(status), headers, body }, length: bodyStart + length };
  }
  const length = Number(headers.get('content-length') ?? 0);
  // A response to HEAD has the length of a body it lacks: another response or nothing follows.
  const isBodyless = text.length === bodyStart || text.startsWith('HTTP/1.1 ', bodyStart);
  const body = isBodyless ? '' : text.slice(bodyStart, bodyStart + length);
  if (!isBodyless && body.length < length) return null;
  return { response: { status: Number(status), headers, body }, length: bodyStart + body.length };
}

/** A body that ends with the connection; empty if another response follows directly. */
function streamedBody(rest: string): { body: string; length: number } {
  const body = rest.startsWith('HTTP/1.1 ') ? '' : rest;
  return { body, length: body.length };
}

/** The chunks from a position to the last one, or to the end of the connection; `length` is their encoded length. */
function readChunks(text: string, start: number): { body: string; length: number } {
  let body = '';
  let at = start;
  for (;;) {
    const sizeEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, sizeEnd), 16);
    if (sizeEnd === -1 || Number.isNaN(size)) return { body, length: text.length - start };
    body += text.slice(sizeEnd + 2, sizeEnd + 2 + size);
    at = sizeEnd + 2 + size + 2;
    if (size === 0) return { body, length: at - start };
    if (at > text.length) return { body, length: text.length - start };
  }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
}

/** The statuses with which Bun itself rejects what it cannot parse; such a response has no body. */
const REFUSALS = [400, 431, 505];

/** Whether Bun rejected the bytes before any of our code saw a request. */
export function isRejection({ status, headers, body }: RawResponse): boolean {
  return (
    REFUSALS.includes(status) &&
    body === '' &&
    headers.get('connection') === 'close' &&
    !headers.has('x-request-id')
  );
}

/** How a response violates the contract, or null. */
export function faultOf(response: RawResponse): string | null {
  if (isRejection(response)) return null;
  const { status, headers, body } = response;
  if (status >= 500 && status !== 501) return `${status} ${body}`;
  const requestId = headers.get('x-request-id');
  if (requestId === undefined) return `${status} without X-Request-Id`;
  if (status < 400 || body === '') return null;
  if (headers.get('content-type') !== 'application/json') return `${status} that is not JSON`;
  const { error, request_id } = JSON.parse(body);
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return `error body ${body}`;
  return request_id === requestId ? null : `the body names another request: ${body}`;
}
