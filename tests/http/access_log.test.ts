import { expect, test } from 'bun:test';
import { type AccessLogMode, jsonAccessLine, textAccessLine } from '../../src/http/access_log.ts';
import { Traffic } from '../../src/http/metrics.ts';
import { createApp } from '../../src/server/app.ts';
import { NOW_MS, testServer } from '../support/service.ts';

/** The log lines of some requests. */
async function linesOf(
  mode: AccessLogMode,
  paths: readonly string[],
  line = jsonAccessLine,
): Promise<string[]> {
  const lines: string[] = [];
  const accessLog = { mode, line, write: (text: string) => lines.push(text), client: 'none' as const };
  const app = createApp(testServer({ observer: { traffic: new Traffic(), accessLog } }));
  for (const path of paths) {
    await app.handle(new Request(`http://localhost${path}`, { headers: { 'X-Request-Id': 'asked-1' } }));
  }
  return lines;
}

test('a line has the route and the outcome, and nothing of the query', async () => {
  const [line] = await linesOf('all', ['/v1/time/current?tz=Europe/Paris&ip=192.0.2.1']);
  expect(line).toEndWith('}\n');
  const { time, duration_ms, ...rest } = JSON.parse(line!);
  expect(Date.parse(time)).toBeGreaterThan(NOW_MS);
  expect(duration_ms).toBeGreaterThanOrEqual(0);
  expect(rest).toEqual({
    level: 'info',
    message: 'request',
    request_id: 'asked-1',
    method: 'GET',
    route: '/v1/time/current',
    status: 400,
  });
});

test('an unknown path is not logged', async () => {
  for (const line of [jsonAccessLine, textAccessLine]) {
    const [text] = await linesOf('all', ['/etc/passwd?secret=1'], line);
    expect(text).toContain('unmatched');
    expect(text).toContain('404');
    expect(text).not.toMatch(/passwd|secret/);
  }
});

test('`errors` logs only server errors, and `off` logs nothing', async () => {
  const paths = ['/v1/time/current', '/v1/time/current?tz=x', '/v1/time/current?sign=true'];
  expect((await linesOf('all', paths)).map(line => JSON.parse(line).status)).toEqual([200, 400, 501]);
  expect((await linesOf('errors', paths)).map(line => JSON.parse(line).status)).toEqual([501]);
  expect(await linesOf('off', paths)).toEqual([]);
});

test('if a line cannot be written the response is a server error, even for a cached query', async () => {
  const failure = new Error('no more room');
  const write = () => {
    throw failure;
  };
  const accessLog = { mode: 'all' as const, line: jsonAccessLine, write, client: 'none' as const };
  const logged: unknown[] = [];
  const logError = (_message: string, cause: unknown) => logged.push(cause);
  const app = createApp(testServer({ observer: { traffic: new Traffic(), accessLog }, logError }));
  for (let time = 0; time < 4; time++) {
    const response = await app.handle(new Request('http://localhost/v1/time/current'));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
  }
  expect(logged).toEqual([failure, failure, failure, failure]);
});

test('HEAD, preflights and health are counted under their routes', async () => {
  const traffic = new Traffic();
  const accessLog = { mode: 'off' as const, line: jsonAccessLine, write: () => {}, client: 'none' as const };
  const app = createApp(testServer({ observer: { traffic, accessLog } }));
  for (const [method, path] of [
    ...Array<['GET', string]>(4).fill(['GET', '/v1/time/current']),
    ['HEAD', '/v1/time/current'],
    ['OPTIONS', '/v1/time/current'],
    ['POST', '/v1/time/current'],
    ['GET', '/healthz'],
  ] as const) {
    await app.handle(new Request(`http://localhost${path}`, { method }));
  }
  const [requests] = traffic.families();
  expect(requests!.samples.map(({ labels, value }) => [labels!['route'], labels!['status'], value])).toEqual([
    ['/healthz', '200', 1],
    ['/v1/time/current', '200', 5],
    ['preflight', '204', 1],
    ['unmatched', '405', 1],
  ]);
});
