import { expect, test } from 'bun:test';
import { readSavedResponse } from '../../src/cli/commands/verify.ts';

const read = (text: string) => {
  const { status, header, body } = readSavedResponse(Buffer.from(text));
  return {
    status,
    first: header('x-first'),
    second: header('X-SECOND'),
    body: body && Buffer.from(body).toString(),
  };
};

test('headers saved by curl are parsed, with and without a body', () => {
  const head = 'HTTP/1.1 200 OK\r\nX-First: 1\r\nx-second:  two: 2 \r\n';
  const headers = { status: 200, first: '1', second: 'two: 2' };
  expect(read(`${head}\r\n`)).toEqual({ ...headers, body: undefined });
  expect(read(head)).toEqual({ ...headers, body: undefined });
  expect(read(`${head}\r\n{"a":"é"}\n`)).toEqual({ ...headers, body: '{"a":"é"}\n' });
  expect(read(`${head}\r\n\r\n\r\nHTTP/1.1 body`)).toEqual({ ...headers, body: '\r\n\r\nHTTP/1.1 body' });
});

test('headers printed by meridian get -i are parsed', () => {
  expect(read('HTTP/1.1 404\nX-First: 1\nX-Second: 2\n\n{}')).toEqual({
    status: 404,
    first: '1',
    second: '2',
    body: '{}',
  });
});

test('the last of several responses counts', () => {
  const text =
    'HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 301\r\nX-First: 0\r\n\r\nHTTP/2 200\r\nX-Second: 2\r\n\r\n{}';
  expect(read(text)).toEqual({ status: 200, first: null, second: '2', body: '{}' });
});

test('repeated headers are joined, so that a second one cannot hide', () => {
  expect(read('HTTP/1.1 200\nX-First: 1\nx-FIRST: 2\n\n').first).toBe('1, 2');
});

test('a binary body is preserved', () => {
  const body = Uint8Array.from({ length: 256 }, (_, index) => index);
  const saved = readSavedResponse(Buffer.concat([Buffer.from('HTTP/1.1 200\r\nA: b\r\n\r\n'), body]));
  expect(saved.body).toEqual(body);
});

test('a file that is not a response has no headers and no status', () => {
  for (const text of ['', '\n\n', 'nothing', '\0'.repeat(100)]) {
    expect(read(text)).toMatchObject({ status: undefined, first: null });
  }
});
