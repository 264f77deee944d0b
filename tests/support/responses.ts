import { expect } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { app, type ParsedResponse, send } from './service.ts';

/**
 * Expects a function to return the values of a table for its keys. One comparison, whose difference names the keys.
 */
export async function expectEach(
  resultOf: (given: string) => unknown,
  table: Readonly<Record<string, unknown>>,
): Promise<void> {
  const found: [given: string, result: unknown][] = [];
  for (const given of Object.keys(table)) found.push([given, await resultOf(given)]);
  expect(Object.fromEntries(found)).toEqual(table);
}

/** Expects a function to return one value for all keys. */
export function expectAll(
  resultOf: (given: string) => unknown,
  value: unknown,
  keys: readonly string[],
): Promise<void> {
  return expectEach(resultOf, Object.fromEntries(keys.map(key => [key, value])));
}

/** Expects responses that are 200, whose bodies contain what a table has for the rest of their paths. */
export async function expectBodies(
  prefix: string,
  table: Readonly<Record<string, object>>,
  target = app,
): Promise<void> {
  const found: Record<string, unknown> = {};
  for (const rest of Object.keys(table)) {
    const { status, body } = await send(prefix + rest, {}, target);
    found[rest] = status === 200 ? body : { status, body };
  }
  expect(found).toMatchObject(table);
}

/** A table of errors, such as `400 INVALID_PARAMETER`, or also with the parameter: `400 INVALID_PARAMETER tz`. */
type Errors = Readonly<Record<string, readonly string[]>>;

/** Expects errors, each for a list of rests of paths. */
export async function expectErrors(prefix: string, errors: Errors, target = app): Promise<void> {
  const rows = Object.entries(errors).flatMap(([error, rests]) => rests.map(rest => ({ rest, error })));
  const found: object[] = [];
  for (const { rest, error } of rows) {
    found.push({ rest, error: errorIn(await send(prefix + rest, {}, target), error) });
  }
  expect(found).toEqual(rows);
}

/** Expects errors with the messages of a table, in which `…` stands for any text. */
export async function expectMessages(
  prefix: string,
  table: Readonly<Record<string, string>>,
  error = '400 INVALID_PARAMETER',
  target = app,
): Promise<void> {
  await expectEach(async rest => {
    const response = await send(prefix + rest, {}, target);
    const found = errorIn(response, error);
    const message: string = response.body.error?.message;
    if (found !== error) return `${found}: ${message}`;
    return fits(message, table[rest]!) ? table[rest] : message;
  }, table);
}

function fits(message: string, pattern: string): boolean {
  const parts = pattern.split('…');
  const isWithin = message.startsWith(parts[0]!) && message.endsWith(parts.at(-1)!);
  return parts.length === 1 ? message === pattern : isWithin && parts.every(part => message.includes(part));
}

/** The error of a response with as many words as another. */
function errorIn({ status, body }: ParsedResponse, like: string): string {
  const words = [status, body.error?.code, body.error?.details?.parameter];
  return words.slice(0, like.split(' ').length).join(' ');
}

/** The message of an error. */
export async function messageOf(path: string, target = app): Promise<string> {
  return (await send(path, {}, target)).body.error.message;
}

/** The values of a member in a list of objects. */
export function column<Value = string>(list: readonly object[], name: string): Value[] {
  return list.map(entry => (entry as Record<string, Value>)[name]!);
}

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: Bun.zstdDecompressSync,
};

/** The codings of {@link decodedText}. */
export const CODINGS = Object.keys(DECODERS);

/** The text of a response, decoded by its `Content-Encoding`. */
export async function decodedText(response: Response): Promise<string> {
  const decode = DECODERS[response.headers.get('Content-Encoding') ?? ''] ?? (bytes => bytes);
  return new TextDecoder().decode(decode(await response.bytes()));
}

/** How many turns other tasks got during some work. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let timer = setImmediate(function next() {
    turns++;
    timer = setImmediate(next);
  });
  await work();
  clearImmediate(timer);
  return turns;
}

/** The response to a GET request, as it is sent. */
export async function get(
  path: string,
  headers: Record<string, string> = {},
  target = app,
): Promise<Response> {
  return await target.handle(new Request(`http://localhost${path}`, { headers }));
}
