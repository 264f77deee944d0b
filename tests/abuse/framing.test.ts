import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exchange, faultOf, parseResponses } from '../support/clients.ts';
import { type RunningServer, startServer } from '../support/process.ts';
import { FRAMING_CASES } from './framing_cases.ts';

let server: RunningServer;
let port = 0;
beforeAll(async () => {
  server = await startServer();
  port = Number(new URL(server.url).port);
});
afterAll(() => server[Symbol.dispose]());

describe('bytes on a connection are rejected, or get a response that follows the contract', () => {
  for (const { claim, bytes, statuses } of FRAMING_CASES) {
    test(`${claim}: ${statuses.join(', ') || 'no response'}`, async () => {
      const { responses, rest } = await exchange(port, bytes);
      expect({ statuses: responses.map(({ status }) => status), rest }).toEqual({
        statuses: [...statuses],
        rest: '',
      });
      expect(responses.map(faultOf)).toEqual(responses.map(() => null));
    });
  }
});

test('afterwards the server responds as before', async () => {
  const response = await fetch(`${server.url}/v1/time/convert?unix=0&tz=Asia/Tokyo`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ iso_local: '1970-01-01T09:00:00+09:00' });
  expect(server.child.exitCode).toBeNull();
});

describe('the parser of these tests reads responses from a connection', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const next = `${head}Content-Length: 1\r\n\r\nz`;

  test.each([
    ['in chunks', `${chunked}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n${next}`, ['abc', 'z']],
    ['in chunks that end early', `${chunked}2\r\nab\r\nff\r\ncd`, ['abcd']],
    ['up to the end of the connection', `${head}\r\nab`, ['ab']],
    ['without a body', `${head}\r\n${next}`, ['', 'z']],
  ])('%s', (_, received, bodies) => {
    const { responses, rest } = parseResponses(received);
    expect([responses.map(({ body }) => body), rest]).toEqual([bodies, '']);
  });

  test('not if they are shorter than their length', () => {
    expect(parseResponses(`${head}Content-Length: 3\r\n\r\nab`).responses).toEqual([]);
  });
});
