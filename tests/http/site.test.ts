import { describe, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { API_ROUTES } from '../../src/api/routes.ts';
import { ASSET_PATHS, CLOCK_PATH, type ClockConfig } from '../../src/clock/clock_config.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { preferredCoding } from '../../src/http/content_coding.ts';
import { createApp } from '../../src/server/app.ts';
import { jsonTokens } from '../../src/site/exchange_markup.ts';
import { MEANINGS } from '../../src/site/guide.tsx';
import { abridged } from '../../src/site/parts.tsx';
import { SITE_PATHS } from '../../src/site/site_paths.ts';
import { compileDurationTemplate } from '../../src/text/duration.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { documentation } from '../support/documentation.ts';
import { fc } from '../support/property.ts';
import { column, decodedText, expectAll, expectErrors, get } from '../support/responses.ts';
import { keyedAccess, NOW_MS, type ServerChanges, send, testServer } from '../support/service.ts';

const app = createApp(testServer());
const PAGES = ['/', '/docs', '/clocks', '/planner', '/map'];

/** The content coding of pages and their files by Accept-Encoding: browsers with TLS, browsers without, and others. */
const PREFERRED = { 'gzip, deflate, br': 'br', 'gzip, deflate': 'gzip', 'br;q=0.5, gzip': 'gzip' } as const;

const request = (path: string, headers: Record<string, string> = {}) => get(path, headers, app);

describe('every part of the site', () => {
  for (const path of [...SITE_PATHS, ...Object.values(ASSET_PATHS)]) {
    test(`${path} is compressed for clients that accept it, and has the same content otherwise`, async () => {
      const plain = await request(path);
      expect(plain.status).toBe(200);
      expect(plain.headers.has('Content-Encoding')).toBe(false);
      const content = await plain.text();
      for (const [accepted, coding] of Object.entries(PREFERRED)) {
        const packed = await request(path, { 'Accept-Encoding': accepted });
        expect(packed.headers.get('Content-Encoding')).toBe(coding);
        expect(packed.headers.get('Vary')).toContain('Accept-Encoding');
        expect((await decodedText(packed)) === content).toBe(true);
      }
    });

    test(`${path} is not sent again to clients that have it`, async () => {
      const { headers } = await request(path);
      const tag = headers.get('ETag')!;
      for (const condition of [tag, `"x", ${tag}`, tag.replace('W/', ''), '*']) {
        const again = await request(path, { 'If-None-Match': condition });
        expect(again.status).toBe(304);
        expect(await again.text()).toBe('');
        expect(again.headers.get('ETag')).toBe(tag);
      }
      expect((await request(path, { 'If-None-Match': '"x"' })).status).toBe(200);
    });

    test(`${path} responds to HEAD, rejects POST, and returns the request id`, async () => {
      const headers = { 'X-Request-Id': 'same' };
      const get = await send(path, { headers });
      const head = await send(path, { method: 'HEAD', headers });
      expect([...head.headers]).toEqual([...get.headers]);
      expect(get.headers.get('X-Request-Id')).toBe('same');
      expect((await send(path, { method: 'POST' })).status).toBe(405);
    });
  }

  test('is revalidated each time, except assets, whose names contain the digest of their content', async () => {
    const cachingOf = async (path: string) => (await request(path)).headers.get('Cache-Control');
    await expectAll(cachingOf, 'no-cache', [...PAGES, '/openapi.json', '/assets/pages.css']);
    const html = await (await request('/')).text();
    const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(match => match[1]!);
    expect(new Set(assets).size).toBe(4);
    for (const asset of assets) {
      const { headers, status } = await request(asset);
      expect([asset, status]).toEqual([asset, 200]);
      expect(headers.get('ETag')).toMatch(new RegExp(`^(W/)?"${asset.split('?v=')[1]}"$`));
      expect(headers.get('Cache-Control')).toContain('immutable');
    }
  });

  test('the API description can be read by scripts on other origins', async () => {
    const { headers } = await send('/openapi.json');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Content-Type')).toBe('application/json');
  });

  test('gzip is used if it or any coding is accepted with a non-zero weight', async () => {
    const codingFor = (accepted: string) => preferredCoding(['gzip'], accepted);
    await expectAll(codingFor, 'gzip', [
      ...['gzip', 'GZIP', 'br;q=1.0, gzip;q=0.5', '*', 'deflate, *;q=0.1', 'gzip ; q=1'],
      'identity;q=0, gzip',
    ]);
    await expectAll(codingFor, 'identity', [
      ...['', 'br', 'gzip;q=0', 'gzip; q=0.000', '*;q=0', 'gzip;q=0, *', 'xgzip', 'gzip;q=x'],
      'identity, gzip;q=0.5',
    ]);
    expect(preferredCoding(['gzip'], null)).toBe('identity');
  });

  test('is rebuilt when data is replaced', async () => {
    const services = testServer();
    const changing = createApp(services);
    expect((await send('/docs', {}, changing)).body).toContain(services.snapshot().zones.version);
    const { zones } = services.snapshot();
    services.replace({ zones: Object.create(zones, { version: { value: '2099z' } }) });
    expect((await send('/docs', {}, changing)).body).toContain('2099z');
  });

  test('the gallery shows the second of its request, whatever was requested before', async () => {
    let nowMs = NOW_MS;
    const ticking = createApp(testServer({ now: () => nowMs }));
    const shown = async () => (await send('/clocks', {}, ticking)).body.match(/datetime="([^"]+)"/)![1]!;
    expect(await shown()).toStartWith('2026-04-15T17:30:47');
    nowMs += 3_600_000;
    await send('/docs', {}, ticking);
    expect(await shown()).toStartWith('2026-04-15T18:30:47');
    nowMs += 1000;
    expect(await shown()).toStartWith('2026-04-15T18:30:48');
  });

  test('other requests are served while the API description is built', async () => {
    let isMade = false;
    const made = send('/openapi.json', {}, createApp(testServer())).finally(() => {
      isMade = true;
    });
    let answered = 0;
    for (; !isMade; answered++) {
      await send('/healthz');
      await setImmediate();
    }
    await made;
    expect(answered).toBeGreaterThan(API_ROUTES.length / 2);
  });

  test('a page that cannot be built is a 500 with a log entry, and is built once possible', async () => {
    const logged: unknown[] = [];
    let isBroken = true;
    const access = keyedAccess(() => {
      if (isBroken) throw new Error('secret');
      return false;
    });
    const broken = createApp(testServer({ access, logError: (_message, cause) => logged.push(cause) }));
    const failed = await get('/docs', {}, broken);
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('secret');
    expect(String(logged[0])).toContain('secret');
    isBroken = false;
    expect((await get('/docs', {}, broken)).status).toBe(200);
  });
});

/** The contents of a page checked by these tests. */
async function inventory(path: string, target = app) {
  const html = await (await get(path, {}, target)).text();
  const ids: string[] = [];
  const links: string[] = [];
  const loaded: string[] = [];
  const controls: { id: string | null; described: string | null }[] = [];
  const labels: string[] = [];
  const attributes = new Set<string>();
  const inline: string[] = [];
  const rewriter = new HTMLRewriter()
    .on('*', {
      element(element) {
        for (const [name] of element.attributes) attributes.add(name);
        const id = element.getAttribute('id');
        if (id !== null) ids.push(id);
      },
    })
    .on('a[href]', { element: element => void links.push(element.getAttribute('href')!) })
    .on('script, img', {
      element(element) {
        const isData = element.getAttribute('type') === 'application/json';
        if (!isData) loaded.push(element.getAttribute('src') ?? 'inline');
      },
    })
    .on('link', { element: element => void loaded.push(element.getAttribute('href')!) })
    .on('style, iframe, object, base', { element: element => void inline.push(element.tagName) })
    .on('label', { element: element => void labels.push(element.getAttribute('for')!) })
    .on('input:not([type=hidden]), select', {
      element(element) {
        const described = element.getAttribute('aria-describedby');
        controls.push({ id: element.getAttribute('id'), described });
      },
    });
  rewriter.transform(html);
  return { html, ids, links, loaded, controls, labels, attributes, inline };
}

test('everything a browser could run or render has a policy and nosniff', async () => {
  const fragments = STYLE_NAMES.map(style => `${CLOCK_PATH}?style=${style}`);
  for (const path of [...SITE_PATHS, ...Object.values(ASSET_PATHS), ...fragments]) {
    const { headers } = await request(path);
    if (headers.get('Content-Type') === 'application/json') continue;
    const policy = headers.get('Content-Security-Policy');
    expect({ path, policy }).toEqual({ path, policy: expect.stringMatching(/^default-src '(self|none)'/) });
    expect({ path, options: headers.get('X-Content-Type-Options') }).toEqual({ path, options: 'nosniff' });
  }
});

test("a clock's policy admits the public URL, the source of its files", async () => {
  const app = createApp(testServer({ publicUrl: 'https://time.example.org/prefix' }));
  const { headers } = await send(`${CLOCK_PATH}?style=analog-station`, {}, app);
  const policy = headers.get('Content-Security-Policy');
  for (const kind of ['connect', 'script', 'style'])
    expect(policy).toContain(`${kind}-src 'self' https://time.example.org`);
});

describe('every page', () => {
  for (const path of PAGES) {
    test(`${path} loads nothing from other hosts, and has no inline scripts or styles`, async () => {
      const { headers } = await request(path);
      expect(headers.get('Content-Security-Policy')).toStartWith("default-src 'self';");
      const { loaded, attributes, inline } = await inventory(path);
      for (const url of loaded) expect(url).toMatch(/^\/(assets|v1\/time\/clock\/assets)\//);
      expect(inline).toEqual([]);
      expect([...attributes].filter(name => name === 'style' || name.startsWith('on'))).toEqual([]);
    });

    test(`${path} has unique ids, a target for each link, and a name for each control`, async () => {
      const { ids, links, controls, labels } = await inventory(path);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
      const inPage = links.filter(link => link.startsWith('#')).map(link => link.slice(1));
      expect(inPage.filter(id => !ids.includes(id))).toEqual([]);
      for (const { id, described } of controls) {
        expect(labels).toContain(id!);
        if (described !== null) expect(ids).toContain(described);
      }
      const local = links.filter(link => link.startsWith('/') && !link.includes('#'));
      for (const link of new Set(local))
        expect(`${link} ${(await request(link)).status}`).not.toMatch(/ (404|500)$/);
    });

    test(`${path} has a field for a key if the server requires one, and only then`, async () => {
      const keyed = createApp(testServer({ access: keyedAccess() }));
      expect((await inventory(path)).ids).not.toContain('key');
      expect((await inventory(path, keyed)).ids).toContain('key');
    });

    if (path !== '/' && path !== '/docs') continue;
    test(`${path} shows every route`, async () => {
      const { html, links } = await inventory(path);
      for (const route of API_ROUTES) {
        expect(html).toContain(route.path);
        expect(html).toContain(inHtml(route.summary));
      }
      if (path === '/docs') return;
      // Each link of the reference to the playground leads to a panel of it.
      const tries = (await inventory('/docs')).links.filter(link => link.startsWith('/#'));
      expect(tries.length).toBeGreaterThan(API_ROUTES.length);
      for (const link of tries) expect(links).toContain(`#${link.slice(2).split('?')[0]}`);
    });
  }
});

/** A text escaped for HTML. */
function inHtml(text: string): string {
  return Bun.escapeHTML(text).replaceAll('&#x27;', '&#39;');
}

test('the start page has a task for every route, in words', async () => {
  const { html } = await inventory('/');
  const nav = /<nav class="playground-routes".*?<\/nav>/s.exec(html)![0];
  const tasks = [...nav.matchAll(/<span>([^<]*)<\/span>/g)].map(match => match[1]!);
  expect(tasks.length).toBeGreaterThan(30);
  expect(tasks.filter(task => !task.includes(' '))).toEqual([]);
  expect(html).toContain(`${tasks.length} tasks, each a GET request.`);
  expect(html).toContain('the public holidays of 251 countries and territories');
  expect(html).toContain('Response of April 15, 2026');
});

test('crawlers are excluded from endless URL spaces and redirects', async () => {
  const { body } = await send('/robots.txt');
  const refused = [...body.matchAll(/^Disallow: (.*)$/gm)].map(match => match[1]);
  expect(refused).toEqual(['/v1/', '/api/', '/mcp', '/find']);
});

describe('the clocks page', () => {
  test('has every style once, at the current time, with unique ids', async () => {
    const { html, ids } = await inventory('/clocks');
    const configs = [...html.matchAll(/<script type="application\/json"[^>]*>(.*?)<\/script>/g)].map(
      match => JSON.parse(match[1]!) as ClockConfig,
    );
    expect(configs.map(({ style }) => style)).toEqual([...STYLE_NAMES]);
    for (const { unix_ms, pinned } of configs)
      expect({ unix_ms, pinned }).toEqual({ unix_ms: NOW_MS, pinned: false });
    expect(ids.filter(id => id.startsWith('service-clock-')).length).toBeGreaterThanOrEqual(60);
  });

  test('changes once a second', async () => {
    let nowMs = NOW_MS;
    const ticking = createApp(testServer({ now: () => nowMs }));
    const tag = async () => (await send('/clocks', {}, ticking)).headers.get('ETag');
    const first = await tag();
    nowMs += 100;
    expect(await tag()).toBe(first);
    nowMs += 1000;
    expect(await tag()).not.toBe(first);
  });

  test('offers the two-line embed only if no key is required', async () => {
    const offers = async (services: ServerChanges) =>
      (await send('/clocks', {}, createApp(testServer(services)))).body.match(/data-copy="\w+"/g);
    const lines = 'data-copy="lines"';
    const fragment = 'data-copy="fragment"';
    expect(new Set(await offers({}))).toEqual(new Set([lines, fragment]));
    expect(new Set(await offers({ access: keyedAccess() }))).toEqual(new Set([fragment]));
  });

  test('is linked to from every page', async () => {
    for (const path of PAGES) expect((await inventory(path)).links).toContain('/clocks');
  });
});

describe('the guide', () => {
  test('has every directive of strftime', () => {
    const letters = new Set(Object.keys(MEANINGS).map(name => `%${name}`));
    const known = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz%'].filter(letter => {
      try {
        compileStrftime(`%${letter}`, 'format');
        return true;
      } catch {
        return false;
      }
    });
    // %h is an alias of %b.
    expect(known.filter(letter => letter !== 'h' && !letters.has(`%${letter}`))).toEqual([]);
    for (const directive of letters) compileStrftime(directive, 'format');
  });

  test('lists timestamp forms that all parse', async () => {
    const forms = firstColumns('src/site/guide/timestamps.md');
    expect(forms.length).toBeGreaterThanOrEqual(10);
    const queries = forms.map(([form]) => `${new URLSearchParams({ iso: form!, utc: 'true' })}`);
    await expectErrors('/v1/time/convert?', { '200': queries });
  });

  test('has duration templates with their output', () => {
    const templates = firstColumns('src/site/guide/durations.md');
    expect(templates.length).toBeGreaterThanOrEqual(4);
    // A day, two hours, three minutes and four seconds.
    for (const [template, output] of templates)
      expect(compileDurationTemplate(template!, 'format').format(93_784)).toBe(output!);
  });

  test('is rendered, and explains what the route tables do not', async () => {
    const { html } = await inventory('/docs');
    for (const text of ['details.zone', 'strict=true', 'error.details.parameter', 'holiday_country']) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('```');
  });
});

/** The cells of the table rows of a Markdown file that begin with code. */
function firstColumns(path: string): string[][] {
  return [...documentation(path).matchAll(/^\| `([^`]+)` *\| `?([^`|]+?)`? *\|/gm)].map(
    ([, ...cells]) => cells,
  );
}

test('the reference shows the batch as a command that works as shown', async () => {
  for (const [changes, url, key] of [
    [{}, 'http://127.0.0.1:8080', false],
    [{ access: keyedAccess(), publicUrl: 'https://time.example/api' }, 'https://time.example/api', true],
  ] as const) {
    const { body } = await send('/docs', {}, createApp(testServer(changes)));
    const [, command = ''] = /<code>(curl [^<]*\/v1\/batch[^<]*)<\/code>/.exec(body) ?? [];
    const text = command.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');
    expect(text).toStartWith(`curl ${url}/v1/batch `);
    expect(text.includes('-H "Authorization: Bearer $KEY"')).toBe(key);
    const headers = { 'Content-Type': /-H 'Content-Type: (.*)'/.exec(text)![1]! };
    const sent = /-d '(.*)'$/s.exec(text)![1]!;
    const response = await send('/v1/batch', { method: 'POST', headers, body: sent });
    expect(column<number>(response.body, 'status')).toEqual([200, 200, 400]);
  }
});

test('the highlighted pieces of a JSON text make up the text, with keys distinguished from values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const json = JSON.stringify(value, null, 2);
      const tokens = jsonTokens(json);
      expect(tokens.map(({ text }) => text).join('')).toBe(json);
      const strings = tokens.filter(({ kind }) => kind === 'key' || kind === 'string');
      for (const { text } of strings) expect(typeof JSON.parse(text)).toBe('string');
      for (const { kind, text } of tokens) if (kind === 'plain') expect(text).toMatch(/^[\s{}[\],:]+$/);
    }),
  );
  const kinds = jsonTokens('{"a":"b: {","c\\"":-1.5e+3,"d":null}').filter(({ kind }) => kind !== 'plain');
  expect(kinds.map(({ kind }) => kind)).toEqual(['key', 'string', 'key', 'number', 'key', 'word']);
});

test('long examples on pages are truncated, and say by how much', () => {
  const lines = (count: number) => Array(count).fill('x').join('\n');
  expect(abridged(lines(24))).toEqual({ shown: lines(24), missing: null });
  expect(abridged(lines(34))).toEqual({ shown: lines(24), missing: '10 more lines' });
  expect(abridged('x'.repeat(2000))).toEqual({ shown: 'x'.repeat(600), missing: '1,400 more characters' });
});
