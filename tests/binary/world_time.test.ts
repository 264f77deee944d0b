import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { startServer } from '../support/process.ts';

/** The lines of the response to a request as sent by devices: HTTP/1.0 without headers. */
async function linesOf(url: string, path: string): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => socket.write(`GET ${path} HTTP/1.0\r\n\r\n`));
  const lines: string[] = [];
  for await (const line of createInterface({ input: socket })) lines.push(line);
  return lines;
}

test("a device without Host header and JSON parser can use WorldTimeAPI's plain text", async () => {
  using server = await startServer();
  const before = Math.floor(Date.now() / 1000);
  const [status, ...lines] = await linesOf(server.url, '/api/timezone/Asia/Kolkata.txt');
  expect(status).toStartWith('HTTP/1.1 200');
  const members = lines.slice(lines.indexOf('') + 1).map(line => line.split(': '));
  const { unixtime, raw_offset, dst_offset, timezone } = Object.fromEntries(members);
  expect([timezone, raw_offset, dst_offset]).toEqual(['Asia/Kolkata', '19800', '0']);
  expect(Number(unixtime)).toBeWithin(before, Math.floor(Date.now() / 1000) + 1);
  expect(members).toHaveLength(15);
});

test('--compat none removes the paths of other services', async () => {
  using server = await startServer(['--compat', 'none']);
  const [status] = await linesOf(server.url, '/api/timezone/Asia/Kolkata.txt');
  expect(status).toStartWith('HTTP/1.1 404');
});
