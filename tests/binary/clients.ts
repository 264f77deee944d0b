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

export interface ClientsReport {
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
