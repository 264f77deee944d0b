/**
 * A client with many connections, run as a separate program: `bun crowd.ts PORT COUNT KIND SECONDS`. It prints a line of JSON with
 * their outcome. `half`: each has sent half of a request; `idle`: nothing; `keeping`: each sends requests on one connection.
 */
import { connect, type Socket } from 'node:net';

/** The outcome of the connections. */
export interface CrowdReport {
  readonly connected: number;
  /** Closed by the server. */
  readonly ended: number;
  readonly responses: number;
  readonly failures: number;
}

/** Connections from one address, well below its number of ports. */
const PER_ADDRESS = 5000;
const AT_ONCE = 200;

const [port = 0, count = 0] = process.argv.slice(2, 4).map(Number);
const kind = process.argv[4];
const seconds = Number(process.argv[5]);
const HEAD = 'GET /v1/time/current?tz=Europe/Paris HTTP/1.1\r\nHost: localhost\r\n';
const FIRST = { half: HEAD, idle: '', keeping: `${HEAD}\r\n` }[kind ?? 'idle'] ?? '';

const report = { connected: 0, ended: 0, responses: 0, failures: 0 };
const sockets: Socket[] = [];

function open(index: number): Promise<void> {
  return new Promise(resolve => {
    const localAddress = `127.0.0.${1 + Math.floor(index / PER_ADDRESS)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
      report.connected++;
      if (FIRST !== '') socket.write(FIRST);
      resolve();
    });
    socket.on('data', bytes => {
      if (bytes.toString('latin1').startsWith('HTTP/1.1 200')) report.responses++;
    });
    socket.on('error', () => {
      report.failures++;
      resolve();
    });
    socket.on('end', () => report.ended++);
    sockets.push(socket);
  });
}

for (let index = 0; index < count; index += AT_ONCE) {
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, count - index) }, (_, offset) => open(index + offset)),
  );
}
/** Waits for half of the seconds; if the connections send requests, at most a minute longer until all have their responses. */
async function waitFor(responses: number): Promise<void> {
  await Bun.sleep((seconds * 1000) / 2);
  for (let waited = 0; waited < 60_000 && report.responses < responses; waited += 10) await Bun.sleep(10);
}

const requests = kind === 'keeping' ? count : 0;
await waitFor(requests);
if (kind === 'keeping') for (const socket of sockets) socket.write(FIRST);
await waitFor(2 * requests);
console.log(JSON.stringify(report));
process.exit(0);
