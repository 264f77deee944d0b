import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * Clients that ask a server without a pause, each on a connection of its own that it keeps as long as the server
 * lets it. They forgive nothing: they do not ask again what got no answer, as browsers and most libraries would.
 */
export interface Clients {
  /** Resolves when so many more answers have come. */
  answered(count: number): Promise<void>;
  /** Resolves when the server lets nobody in any more, with what came of all requests. */
  readonly ended: Promise<ClientsReport>;
  /** Lets each client end after its next answer; resolves with what came of all requests. */
  stop(): Promise<ClientsReport>;
}

export interface ClientsReport {
  readonly answered: number;
  /** Requests that were sent and got no whole answer. */
  readonly lost: number;
  /** Answers with another status than 200. */
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
 * Starts clients. Each keeps its connection for `perConnection` requests and then takes another.
 * Once all of them find the door closed, they end. `header` is a line that each request has besides `Host`.
 */
export function startClients(url: string, count: number, perConnection: number, header = ''): Clients {
  const report = { answered: 0, lost: 0, refused: 0 };
  const waiting: { readonly from: number; readonly resolve: () => void }[] = [];
  let running = count;
  let isStopping = false;
  const ended = Promise.withResolvers<ClientsReport>();

  function onAnswer(status: string): void {
    report.answered++;
    if (status !== '200') report.refused++;
    for (const { from, resolve } of waiting) if (report.answered >= from) resolve();
  }

  function start(): void {
    let isConnected = false;
    let isAsking = false;
    let sent = 0;
    let received = '';
    const ask = () => {
      isAsking = true;
      received = '';
      sent++;
      const last = sent === perConnection ? 'Connection: close\r\n' : '';
      const more = header === '' ? last : `${header}\r\n${last}`;
      socket.write(`GET /v1/time/current?tz=Europe/Paris HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`);
    };
    const socket = open(url, () => {
      isConnected = true;
      ask();
    });
    socket.on('data', bytes => {
      received += bytes.toString('latin1');
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      if (head === -1 || received.length < head + 4 + length) return;
      isAsking = false;
      onAnswer(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
      if (isStopping || sent === perConnection || /^connection: close/im.test(received.slice(0, head)))
        socket.end();
      else ask();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isAsking) report.lost++;
      if (isConnected && !isStopping) start();
      else if (--running === 0) ended.resolve(report);
    });
  }

  for (let index = 0; index < count; index++) start();
  return {
    answered: more =>
      new Promise(resolve => {
        waiting.push({ from: report.answered + more, resolve });
      }),
    ended: ended.promise,
    stop() {
      isStopping = true;
      return ended.promise;
    },
  };
}
