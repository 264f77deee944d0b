import { expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { createHttpApp } from '../../src/http/app.ts';
import type { ErrorWriter } from '../../src/http/exchange.ts';
import { testServer } from '../support/service.ts';

const CAUSE = new Error('secret of the writer');

const WRITERS: readonly (readonly [how: string, writeError: ErrorWriter])[] = [
  [
    'throws',
    () => {
      throw CAUSE;
    },
  ],
  ['rejects', () => Promise.reject(CAUSE)],
];

test.each(WRITERS)('an error is JSON if its writer %s, and the log has the cause', async (_, writeError) => {
  const logged: unknown[] = [];
  const server = testServer({ logError: (message, cause) => logged.push([message, cause]) });
  const app = createHttpApp(server, [
    {
      path: '/failing',
      access: 'public',
      writeError,
      handle() {
        throw new ServiceError('INVALID_PARAMETER', 'of the test');
      },
    },
  ]);
  const request = new Request('http://localhost/failing', { headers: { 'X-Request-Id': 'id' } });
  const response = await app.handle(request);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/json']);
  expect(await response.json()).toEqual({
    error: { code: 'INVALID_PARAMETER', message: 'of the test' },
    request_id: 'id',
  });
  expect(logged).toEqual([['the error of request id could not be written', CAUSE]]);
});
