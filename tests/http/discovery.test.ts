import { expect, test } from 'bun:test';
import { app, send } from '../support/service.ts';

const CATALOG = '/.well-known/api-catalog';

/** The relations and targets of a `Link` header: RFC 8288 §3. */
function relationsOf(header: string | null): Record<string, string> {
  const links = [...(header ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)];
  return Object.fromEntries(links.map(([, href, relation]) => [relation!, href!]));
}

async function headersOf(path: string, method = 'GET'): Promise<Headers> {
  return (await app.handle(new Request(`http://localhost${path}`, { method }))).headers;
}

test('the catalog is a linkset whose links resolve', async () => {
  const response = await app.handle(new Request(`http://localhost${CATALOG}`));
  expect(response.headers.get('Content-Type')).toStartWith('application/linkset+json');
  const { linkset } = (await response.json()) as {
    linkset: Record<string, { href: string; type: string }[]>[];
  };
  expect(linkset).toHaveLength(1);
  const { anchor, ...relations } = linkset[0]!;
  expect(String(anchor)).toBe('/');
  expect(Object.keys(relations)).toEqual(['service-desc', 'service-doc', 'status']);
  for (const { href, type } of Object.values(relations).flat()) {
    const { status, headers } = await send(href);
    expect([href, status, headers.get('Content-Type')?.replace(/;.*/, '')]).toEqual([href, 200, type]);
  }
});

test('HEAD and the pages have its links, and nothing else does', async () => {
  const expected = {
    'api-catalog': CATALOG,
    'service-desc': '/openapi.json',
    'service-doc': '/docs',
    status: '/readyz',
  };
  for (const path of [CATALOG, '/', '/docs']) {
    for (const method of ['GET', 'HEAD']) {
      expect(relationsOf((await headersOf(path, method)).get('Link'))).toEqual(expected);
    }
  }
  for (const path of ['/clocks', '/openapi.json', '/v1/time/current', '/healthz', '/nowhere']) {
    expect([path, (await headersOf(path)).get('Link')]).toEqual([path, null]);
  }
});
