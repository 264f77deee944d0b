import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { always } from '../../src/api/answer.ts';
import { PreparedQueries } from '../../src/api/prepared_queries.ts';
import type { JsonRoute } from '../../src/api/route.ts';
import { StillLoading } from '../../src/common/still_loading.ts';
import { newExchange, type Respond } from '../../src/http/observe.ts';
import { createResponder } from '../../src/http/respond.ts';
import type { Services } from '../../src/http/services.ts';
import { testServices } from './service.ts';

function responderOf(services: Services, route: JsonRoute): Respond {
  return createResponder(services, route, () => '', new PreparedQueries(services));
}

function routeThat(prepare: JsonRoute['prepare']): JsonRoute {
  return {
    path: '/slow',
    summary: '',
    description: '',
    query: Type.Object({}),
    answer: Type.Unknown(),
    examples: [{ title: '', query: '' }],
    prepare,
  };
}

test('a request for what is still being loaded is answered when it is there', async () => {
  let isLoaded = false;
  const loaded = Promise.resolve().then(() => {
    isLoaded = true;
  });
  const route = routeThat(() => {
    if (!isLoaded) throw new StillLoading(loaded);
    return always(() => '{"ok":true}');
  });
  const respond = responderOf(testServices(), route);
  const response = await respond(newExchange(new Request('http://localhost/slow')));
  expect([response.status, await response.text()]).toEqual([200, '{"ok":true}']);
});

test('what cannot be loaded is a 500, and logged, at each request', async () => {
  const logged: string[] = [];
  const services = testServices({
    logError: (message, cause) => logged.push(`${message}: ${(cause as Error).message}`),
  });
  const route = routeThat(() => {
    throw new StillLoading(Promise.reject(new Error('secret')));
  });
  const respond = responderOf(services, route);
  for (const requestId of ['one', 'two']) {
    const request = new Request('http://localhost/slow', { headers: { 'X-Request-Id': requestId } });
    const response = await respond(newExchange(request));
    expect(response.status).toBe(500);
    expect(response.headers.get('X-Request-Id')).toBe(requestId);
    expect(await response.text()).not.toContain('secret');
  }
  expect(logged).toEqual(['request one failed: secret', 'request two failed: secret']);
});
