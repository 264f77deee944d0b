import { describe, expect, test } from 'bun:test';
import { prefersHtml } from '../../src/http/negotiation.ts';
import { createApp } from '../../src/server/app.ts';
import { addKey, control, openStore } from '../access/control.ts';
import { temporaryFolder } from '../support/process.ts';
import { app, testServer } from '../support/service.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

function request(path: string, accept: string, target = app, init: RequestInit = {}) {
  return target.handle(new Request(`http://localhost${path}`, { ...init, headers: { Accept: accept } }));
}

describe('an error outside the API', () => {
  test('is a page for clients that prefer HTML, with the status, the reason and the request id', async () => {
    const response = await request('/nowhere/<b>', BROWSER);
    const html = await response.text();
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('Vary')).toBe('Accept');
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'self'");
    expect(html).toContain('There is nothing at');
    expect(html).not.toContain('<b>');
    expect(html).toContain(response.headers.get('X-Request-Id')!);
    expect(html).toContain('name="robots" content="noindex"');
  });

  test('is JSON for all other clients', async () => {
    for (const accept of ['*/*', 'application/json', 'text/plain', 'text/html;q=0.5, */*;q=0.5']) {
      const response = await request('/nowhere', accept);
      expect([accept, response.headers.get('Content-Type')]).toEqual([accept, 'application/json']);
    }
  });

  test('is a page even on a server that requires keys', async () => {
    const folder = temporaryFolder();
    const store = openStore(folder.path);
    addKey(store);
    const { access } = control(folder.path);
    const keyed = createApp(testServer({ access }));
    expect((await request('/nowhere', BROWSER, keyed)).status).toBe(404);
    expect((await request('/nowhere', '*/*', keyed)).status).toBe(401);
    expect((await request('/v1/nowhere', BROWSER, keyed)).status).toBe(401);
    await access.stop();
    store.close();
    folder[Symbol.dispose]();
  });

  test('is a page for an unsupported method', async () => {
    const response = await request('/docs', BROWSER, app, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(await response.text()).toStartWith('<!doctype html>');
  });

  test("is a page for a Host that is not this server's", async () => {
    const strict = createApp(testServer(), { isAllowedHost: () => false });
    const response = await request('/', BROWSER, strict);
    expect(response.status).toBe(421);
    expect(await response.text()).toStartWith('<!doctype html>');
  });
});

describe('an error on a standalone clock page', () => {
  test('is a page that may be framed, for clients that prefer HTML', async () => {
    const response = await request('/embed/clock?style=analog-cuckoo', BROWSER);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('&#x27;analog-cuckoo&#x27; is not one of the 30 styles');
    expect(response.headers.get('Content-Security-Policy')).not.toContain('frame-ancestors');
  });

  test('is JSON for programs', async () => {
    const response = await request('/embed/clock?style=analog-cuckoo', '*/*');
    expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/json']);
  });
});

test('an error page has the status of the response', async () => {
  const response = await request(`/embed/clock?label=${'x'.repeat(9000)}`, BROWSER);
  expect(response.status).toBe(414);
  expect(await response.text()).toContain('<p class="error-status">414</p>');
});

test('errors of the API are JSON whatever the client prefers', async () => {
  const paths = ['/v1/nowhere', '/v1/time/convert', '/api/nowhere', '/mcp', '/.well-known/nowhere', '/v1'];
  for (const path of paths) {
    const response = await request(path, BROWSER);
    expect([path, response.status >= 400]).toEqual([path, true]);
    expect([path, response.headers.get('Content-Type')]).toEqual([path, 'application/json']);
  }
});

test('HTML is preferred if it has a greater weight than JSON', () => {
  for (const accept of [BROWSER, 'text/html', 'text/*, application/*;q=0.5', 'TEXT/HTML, */*;q=0.1']) {
    expect([accept, prefersHtml(accept)]).toEqual([accept, true]);
  }
  for (const accept of [null, '', '*/*', 'text/html, application/json', 'text/html;q=0', 'text/html, */*']) {
    expect([accept, prefersHtml(accept)]).toEqual([accept, false]);
  }
});
