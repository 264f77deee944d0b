import { describe, expect, test } from 'bun:test';
import type { ClockConfig } from '../../src/clock/clock_config.ts';
import { contrastOf } from '../../src/clock/palette.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { createApp } from '../../src/server/app.ts';
import { fc } from '../support/property.ts';
import {
  CODINGS,
  decodedText,
  expectAll,
  expectEach,
  expectErrors,
  expectMessages,
  get,
  messageOf,
} from '../support/responses.ts';
import { app, NOW_MS, type ParsedResponse, send, testServer } from '../support/service.ts';

const CLOCK = '/v1/time/clock';

function clock(query: string, target = app): Promise<ParsedResponse> {
  return send(`${CLOCK}?${query}`, {}, target);
}

/** The config in a fragment, extracted from the markup as a browser would. */
function configIn(html: string): ClockConfig {
  return JSON.parse(/<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html)![1]!);
}

async function configOf(query: string, target = app): Promise<ClockConfig> {
  const { status, body } = await clock(query, target);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return configIn(body);
}

interface Part {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The elements of an HTML fragment in document order, as a standards-compliant parser reads them. */
function elementsOf(html: string): Part[] {
  const parts: Part[] = [];
  new HTMLRewriter()
    .on('*', {
      element: ({ tagName, attributes }) =>
        void parts.push({ name: tagName, attributes: Object.fromEntries(attributes) }),
    })
    .transform(html);
  return parts;
}

describe('a fragment', () => {
  test('is a host, its config, a stylesheet and a script, in this order', async () => {
    const { status, headers, body } = await clock('style=analog-station&tz=America/New_York');
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(headers.get('Cache-Control')).toBe('no-store');
    const [host, ...others] = elementsOf(body).filter(
      ({ name, attributes }) =>
        'data-service-clock' in attributes || ['script', 'link', 'style'].includes(name),
    );
    expect(host?.name).toBe('div');
    const { id, class: className, 'data-clock-config-id': configId } = host!.attributes;
    expect(id).toMatch(/^service-clock-[0-9a-f]{12}$/);
    expect(className).toBe('service-clock-host');
    expect(others).toEqual([
      { name: 'script', attributes: { type: 'application/json', id: configId! } },
      { name: 'link', attributes: { rel: 'stylesheet', href: '/v1/time/clock/assets/v1/clock.css' } },
      { name: 'script', attributes: { src: '/v1/time/clock/assets/v1/clock.js', async: '' } },
    ]);
    expect(body).toStartWith('<div');
    expect(body).toEndWith('</script>');
  });

  test('has unique ids', async () => {
    const bodies = await Promise.all(Array.from({ length: 50 }, () => clock('style=analog-brass&tz=UTC')));
    const ids = bodies.flatMap(({ body }) =>
      elementsOf(body).flatMap(({ attributes }) => attributes['id'] ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has nothing that a strict policy blocks, and loads nothing from other hosts', async () => {
    for (const style of STYLE_NAMES) {
      for (const { name, attributes } of elementsOf((await clock(`style=${style}`)).body)) {
        for (const [attribute, value] of Object.entries(attributes)) {
          const what = `${style} ${name} ${attribute}=${value}`;
          expect(what).not.toMatch(/^\S+ \S+ (style|on[a-z]+)=/);
          expect(what).not.toMatch(/https?:|\/\/|javascript:|data:/);
        }
        expect(['style', 'img', 'iframe', 'image', 'object']).not.toContain(name);
      }
    }
  });

  test('shows the time without scripts', async () => {
    const { body } = await clock('style=digital-slate&tz=America/New_York');
    expect(body).toContain('13:30:47');
    expect(body).toContain('New York');
    expect(body).toMatch(/role="timer"/);
  });

  test.each(STYLE_NAMES)('%s is returned, in its family', async style => {
    const config = await configOf(`style=${style}&tz=Asia/Tokyo`);
    expect(config.style).toBe(style);
    expect(config.styleDefinition.family).toBe(style.startsWith('analog-') ? 'analog' : 'digital');
    expect(config.styleDefinition.renderer).toBeString();
  });

  test('responds to HEAD as to GET but without a body, and rejects other methods', async () => {
    const path = `${CLOCK}?style=analog-grid`;
    const headers = { 'X-Request-Id': 'same' };
    const [get, head] = [await send(path, { headers }), await send(path, { method: 'HEAD', headers })];
    expect(head.status).toBe(200);
    expect([...head.headers]).toEqual([...get.headers]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await send(path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    }
  });

  test('names the parameters it ignores', async () => {
    const { status, headers } = await clock('style=analog-grid&utc=true&timezone=UTC&auto_tz=false&sign=no');
    expect(status).toBe(200);
    expect(headers.get('X-Service-Ignored-Parameters')).toBe('utc,timezone');
  });
});

describe('a config', () => {
  test('has everything in service.md, and what an open page needs', async () => {
    const config = await configOf('style=digital-slate&tz=us/eastern&format=%H:%M');
    const { styleDefinition, glyphs, ...others } = config;
    expect(others).toEqual({
      version: 'v1',
      style: 'digital-slate',
      unix_ms: NOW_MS,
      offset_minutes: -240,
      offset_seconds: -14_400,
      abbreviation: 'EDT',
      timezone: 'America/New_York',
      timezone_label: 'New York',
      format: '%H:%M',
      pinned: false,
      transition: {
        unix_ms: Date.UTC(2026, 10, 1, 6),
        offset_minutes: -300,
        offset_seconds: -18_000,
        abbreviation: 'EST',
      },
      refresh: { path: '/v1/time/current', selector: { kind: 'tz', tz: 'US/Eastern' } },
    });
    expect(styleDefinition).toMatchObject({ family: 'digital' });
    expect(glyphs).toContainAllKeys(['letters', 'chalk']);
  });

  const summer = (offset_minutes: number, abbreviation: string) => ({
    offset_minutes,
    offset_seconds: offset_minutes * 60,
    abbreviation,
  });

  test.each([
    ['', { timezone: 'UTC', timezone_label: 'UTC', offset_minutes: 0, transition: null }],
    ['offset=-03:30', { timezone: 'UTC-03:30', timezone_label: 'UTC-03:30', offset_minutes: -210 }],
    ['offset=-03:30', { transition: null }],
    ['offset=+05:30', { timezone: 'UTC+05:30', timezone_label: 'UTC+05:30', offset_minutes: 330 }],
    ['offset=+05:30', { transition: null }],
    ['place=Kyiv', { timezone: 'Europe/Kyiv', timezone_label: 'Kyiv' }],
    ['ip=2.125.160.216', { timezone: 'Europe/London' }],
    ['lat=27.7172&lon=85.3240', { timezone: 'Asia/Kathmandu', timezone_label: 'Kathmandu' }],
    ['lat=27.7172&lon=85.3240', { offset_minutes: 345, transition: null }],
    ['tz=GMT', { timezone: 'UTC', abbreviation: 'GMT' }],
    ['tz=Etc/GMT%2B5', { timezone: 'Etc/GMT+5', timezone_label: 'UTC-05:00', offset_minutes: -300 }],
    ['tz=America/Argentina/Buenos_Aires', { timezone_label: 'Buenos Aires' }],
    ['tz=America/Vancouver', { transition: { unix_ms: Date.UTC(2026, 10, 1, 9), ...summer(-420, 'MST') } }],
  ])('of %p is of its place', async (query, expected) => {
    expect(await configOf(`style=analog-arctic&${query}`)).toMatchObject(expected);
  });

  test('has the selector of its place', () =>
    expectEach(async query => (await configOf(`style=analog-arctic&${query}`)).refresh.selector, {
      '': { kind: 'none' },
      'offset=-03:30': { kind: 'offset', offset: '-03:30' },
      'offset=+05:30': { kind: 'offset', offset: '+05:30' },
      'ip=2.125.160.216': { kind: 'ip', ip: '2.125.160.216' },
      'ip=::ffff:2.125.160.216': { kind: 'ip', ip: '2.125.160.216' },
      'lat=27.7172&lon=85.3240': { kind: 'coordinates', lat: 27.7172, lon: 85.324 },
      'tz=GMT': { kind: 'tz', tz: 'GMT' },
      'place=Kyiv': { kind: 'place', place: 'Kyiv' },
    }));

  test('of an instant is pinned to it, in any of its forms', () => {
    const instant = Date.UTC(2026, 6, 1, 7);
    const pinnedBy = async (given: string) => {
      const { unix_ms, pinned, offset_minutes } = await configOf(`style=analog-slate&tz=Asia/Tokyo&${given}`);
      return { unix_ms, pinned, offset_minutes };
    };
    return expectAll(pinnedBy, { unix_ms: instant, pinned: true, offset_minutes: 540 }, [
      ...[`unix=${instant / 1000}`, `unix_ms=${instant}`, 'iso=2026-07-01T07:00:00Z'],
      ...['iso=2026-07-01T09:00&source_tz=Europe/Paris', 'iso=2026-07-01T09:00[Europe/Paris]'],
      'iso=2026-07-01T08:00&source_ip=2.125.160.216',
      'iso=2026-07-01T12:45&source_lat=27.7172&source_lon=85.3240',
      'iso=2026-07-01T12:30&source_offset=%2B05:30',
    ]);
  });

  test('of an early time has the seconds of local mean time, and only the changes that are visible', async () => {
    const config = await configOf('style=analog-slate&tz=America/New_York&iso=1883-11-18T16:00:00Z');
    expect(config.offset_seconds).toBe(-(4 * 3600 + 56 * 60 + 2));
    expect(config.offset_minutes).toBe(-(4 * 60 + 56));
    expect(config.transition).toEqual({ unix_ms: Date.UTC(1883, 10, 18, 17), ...summer(-300, 'EST') });
  });

  test('has no change beyond the range of times', async () => {
    const { transition } = await configOf('style=analog-slate&tz=America/New_York&unix_ms=8640000000000000');
    expect(transition).toBeNull();
  });

  test('has paths that begin with the public URL', async () => {
    const target = createApp(testServer({ publicUrl: 'https://time.example.com/api' }));
    const { body } = await clock('style=analog-station', target);
    expect(configIn(body).refresh.path).toBe('https://time.example.com/api/v1/time/current');
    expect(body).toContain('href="https://time.example.com/api/v1/time/clock/assets/v1/clock.css"');
    expect(body).toContain('src="https://time.example.com/api/v1/time/clock/assets/v1/clock.js"');
  });

  test('requests updates with a selector that resolves to the same place', async () => {
    const greenwich = 'lat=51.4779&lon=-0.0000005'; // JavaScript writes this longitude as -5e-7
    const places = ['tz=us/eastern', 'offset=%2B05:30', 'ip=2.125.160.216', 'lat=27.7&lon=85.3', ''];
    for (const query of [...places, greenwich]) {
      const { refresh, timezone } = await configOf(`style=analog-slate&${query}`);
      const { kind: _, ...values } = refresh.selector;
      const { body } = await send(`${refresh.path}?${new URLSearchParams(values as Record<string, string>)}`);
      expect(body.human).toEndWith(` ${timezone}`);
    }
  });
});

describe('an invalid request', () => {
  test('lists all thirty styles if the style is missing or unknown', async () => {
    const unknown = ['', 'analog', 'ANALOG-STATION', 'a&style=b', '%ff'].map(style => `style=${style}`);
    for (const query of ['', 'tz=UTC', ...unknown]) {
      const { status, headers, body } = await clock(query);
      expect([query, status, body.error.code]).toEqual([query, 400, 'INVALID_PARAMETER']);
      expect(body.error.details.valid_styles).toEqual([...STYLE_NAMES]);
      expect(headers.get('Content-Type')).toBe('application/json');
    }
    expect(STYLE_NAMES).toHaveLength(30);
    const advice = "…did you mean 'analog-station'?";
    await expectMessages(`${CLOCK}?style=`, { station: advice, 'analog-staton': advice });
  });

  test.each(['analog-station', 'digital-slate'])('of %s has the error of its parameters', style =>
    expectErrors(`${CLOCK}?style=${style}&`, {
      '400 AMBIGUOUS_TARGET': [
        ...['tz=UTC&ip=8.8.8.8', 'lat=1&offset=-01:00', 'unix=0&iso=2026-01-01'],
        'iso=2026-01-01&source_tz=UTC&source_ip=8.8.8.8',
      ],
      '400 INVALID_TIMESTAMP': ['iso=2026-03-08T02:30&source_tz=America/New_York&disambiguation=reject'],
      '400 INVALID_PARAMETER': [
        ...['tz=Mars/Olympus', 'tz=UTC,Europe/Paris', 'ip=8.8.8.8,1.1.1.1', 'offset=-01:00,-02:00', 'lat=1'],
        ...['lat=91&lon=0', 'ip=127.0.0.1', 'unix=1.5', 'unix_ms=8640000000000001', 'source_tz=UTC'],
        ...['iso=2026-01-01T00:00Z&source_tz=UTC', 'format=%25Q', 'format=', `format=${'x'.repeat(257)}`],
        ...['format=%255000Y', 'auto_tz=true', 'tz=UTC&auto_tz=true', 'sign=true', 'tz=UTC&tz=UTC'],
      ],
    }),
  );

  test('reports ambiguity first, and the style before other parameters', () =>
    expectErrors(`${CLOCK}?`, {
      '400 AMBIGUOUS_TARGET': ['tz=UTC&ip=x'],
      '400 INVALID_PARAMETER style': ['style=x&tz=x'],
      '400 INVALID_PARAMETER tz': ['style=analog-grid&tz=x&format=%25Q'],
    }));

  test('is not signed', async () => {
    const { headers } = await clock('style=analog-grid&sign=true');
    expect([...headers.keys()].filter(name => name.includes('signature'))).toEqual([]);
  });
});

describe('input appears as text in a fragment and never as markup', () => {
  /** The structure of a drawing: elements and their attribute names. */
  const shapeOf = (html: string) =>
    elementsOf(html)
      .map(({ name, attributes }) => `${name} ${Object.keys(attributes).sort()}`)
      .join('\n');

  /** Strings that could break a page. */
  const hostile = fc.oneof(
    fc.constantFrom(
      ...['</script><script>alert(1)</script>', '<!--<script>', '-->', ']]>', '<img src=x onerror=alert(1)>'],
      ...[`"'\``, '" onload="alert(1)', '&lt;script&gt;&#60;', '</title></textarea></style></noscript>'],
      ...['%%</svg></time>', '{{constructor.constructor("alert(1)")()}}'],
      ...['\u2028\u2029', '\u202e\u2066abc\u2069\u200f', '\0\u0001\u0001style\u0001', '\ud800'],
      'x'.repeat(4096),
      '<'.repeat(200),
    ),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'<>&"\'`=/!- \n\t%asx'), maxLength: 60 }),
  );

  const plainShapes = new Map<string, string[]>();

  /** The structures of a style with letters and with digits, for which some styles have drawings. */
  async function plainShapesOf(style: string): Promise<string[]> {
    const known = plainShapes.get(style);
    if (known !== undefined) return known;
    const responses = await Promise.all(
      ['abc', '12'].map(format => clock(`style=${style}&tz=UTC&format=${format}`)),
    );
    const shapes = responses.map(({ body }) => shapeOf(body));
    plainShapes.set(style, shapes);
    return shapes;
  }

  // Flaps have an element per character; the other styles always have the same elements.
  const isPerCharacter = (style: string) => style.includes('flap');

  test('as a format', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...STYLE_NAMES), hostile, async (style, text) => {
        const format = text.replaceAll('%', '%%');
        const { status, body } = await clock(
          `style=${style}&tz=UTC&format=${encodeURIComponent(format.toWellFormed())}`,
        );
        if (status !== 200) {
          expect(body.error.code).toBe('INVALID_PARAMETER');
          return;
        }
        const elements = elementsOf(body);
        const scripts = elements
          .filter(({ name }) => name === 'script')
          .map(({ attributes }) => Object.keys(attributes));
        expect(scripts).toEqual([
          ['type', 'id'],
          ['src', 'async'],
        ]);
        expect(configIn(body).format).toBe(format.toWellFormed());
        expect(/<script type="application\/json"[^>]*>([^<>&\u2028\u2029]*)<\/script>/.test(body)).toBe(true);
        if (!isPerCharacter(style)) expect(await plainShapesOf(style)).toContain(shapeOf(body));
        else expect(new Set(elements.map(({ name }) => name)).size).toBeLessThan(12);
      }),
    );
  });

  test('as any parameter at all', async () => {
    const names = [
      ...['style', 'tz', 'ip', 'lat', 'lon', 'offset', 'unix', 'unix_ms', 'iso', 'source_tz', 'source_ip'],
      ...['source_lat', 'source_lon', 'source_offset', 'disambiguation', 'format', 'auto_tz', 'sign'],
      'unknown',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        hostile,
        fc.constantFrom(...STYLE_NAMES),
        async (name, text, style) => {
          const parameters = new URLSearchParams({ style, [name]: text.toWellFormed() });
          const { status, headers, body } = await clock(String(parameters));
          if (status !== 200) {
            expect(status).toBeLessThan(500);
            expect(headers.get('Content-Type')).toBe('application/json');
            return;
          }
          const elements = elementsOf(body);
          const isHandled = ({ attributes }: Part) =>
            Object.keys(attributes).some(key => /^on|^style$/.test(key));
          expect(elements.filter(isHandled)).toEqual([]);
          expect(elements.filter(({ name }) => name === 'script')).toHaveLength(2);
        },
      ),
    );
  });

  test('and HTML special characters are escaped in text and attributes alike', async () => {
    const { body } = await clock(
      `style=digital-minimal&format=${encodeURIComponent(`<a b="c" d='e'>&</a>`)}`,
    );
    expect(body).toContain('&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;&amp;&lt;/a&gt;');
    expect(body).toContain(String.raw`"format":"\u003ca b=\"c\" d='e'\u003e\u0026\u003c/a\u003e"`);
  });
});

describe('the assets of clocks', () => {
  test.each([
    ['clock.css', 'text/css; charset=utf-8', 8000],
    ['clock.js', 'text/javascript; charset=utf-8', 14_000],
  ])('%s is for pages on every host, cached for an hour, and small', async (name, type, maxBytes) => {
    const path = `${CLOCK}/assets/v1/${name}`;
    const { headers } = await get(path);
    expect(headers.get('Content-Type')).toBe(type);
    expect(headers.get('Cache-Control')).toBe('public, max-age=3600, stale-while-revalidate=86400');
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Vary')).toBe('Accept-Encoding');
    const packed = await get(path, { 'Accept-Encoding': 'gzip' });
    expect((await packed.bytes()).length).toBeLessThan(maxBytes);
  });

  test.each(['clock.css', 'clock.js'])('%s is the same in every coding, with a tag for each', async name => {
    const path = `${CLOCK}/assets/v1/${name}`;
    const plain = await get(path);
    const tags = new Set([plain.headers.get('ETag')]);
    const text = await plain.text();
    for (const coding of CODINGS) {
      const packed = await get(path, { 'Accept-Encoding': coding });
      expect(packed.headers.get('Content-Encoding')).toBe(coding);
      tags.add(packed.headers.get('ETag'));
      expect((await decodedText(packed)) === text).toBe(true);
    }
    expect(tags.size).toBe(4);
    for (const tag of tags) expect(tag).toMatch(/^"[0-9a-f]{16}(-[a-z]+)?"$/);
    const conditional = { 'Accept-Encoding': 'br', 'If-None-Match': [...tags][2]! };
    expect((await get(path, conditional)).status).toBe(304);
    expect((await get(path, { ...conditional, 'Accept-Encoding': 'gzip' })).status).toBe(200);
  });

  test('use the preferred coding', () => {
    const codingFor = async (accepted: string) =>
      (await get(`${CLOCK}/assets/v1/clock.js`, { 'Accept-Encoding': accepted })).headers.get(
        'Content-Encoding',
      );
    return expectEach(codingFor, {
      'gzip, deflate, br, zstd': 'br',
      'gzip, zstd': 'zstd',
      gzip: 'gzip',
      'br;q=0.5, gzip': 'gzip',
      'br;q=0, *': 'zstd',
      deflate: null,
      'identity, br;q=0.5': null,
      'identity, br': 'br',
      '*;q=0': null,
    });
  });
});

const VIENNA = `${CLOCK}?style=digital-minimal&tz=Europe/Vienna`;

async function fragmentOf(query: string): Promise<string> {
  const { status, body } = await send(`${VIENNA}${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
}

async function optionsOf(query: string): Promise<ClockConfig> {
  return configIn(await fragmentOf(query));
}

describe('options of a clock', () => {
  test('are in its config, and absent without them', async () => {
    expect(await optionsOf('')).not.toHaveProperty('options');
    const config = await optionsOf('&hour12=true&date=true&lang=de&size=20rem&label=Wien%20%26%20mehr');
    expect(config.timezone_label).toBe('Wien & mehr');
    expect(config.options).toMatchObject({ hour12: true, date: true, lang: 'de', size: '20rem' });
    expect(config.options!.names!.monthsFull[4]).toBe('Mai');
  });

  test('are honoured in the markup', async () => {
    expect(await fragmentOf('')).toContain('<span class="sc-live">19:30:47</span>');
    expect(await fragmentOf('&hour12=true')).toContain('<span class="sc-live">7:30:47 PM</span>');
    expect(await fragmentOf('&date=true&lang=de')).toContain('>Mi. 15 Apr.</span>');
    expect(await fragmentOf('&label=%3Cb%3E')).toContain('>&lt;b&gt;</span>');
    expect(await fragmentOf('&size=50%25&ink=fff')).toMatch(
      / style="--service-clock-size:50%;--service-clock-ground:#[0-9a-f]{6};--service-clock-ink:#ffffff;--service-clock-accent:#[0-9a-f]{6}">/,
    );
    expect(await fragmentOf('')).not.toContain(' style=');
  });

  test('get missing colours that contrast with the background', async () => {
    for (const ground of ['000', 'fff', 'd9001b', '777777', '10243e', 'ffd166', '00ff00']) {
      const { options } = await optionsOf(`&ground=${ground}`);
      const [ink, accent] = [options!.ink!, options!.accent!];
      expect(contrastOf(ink, options!.ground!)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(accent, options!.ground!)).toBeGreaterThanOrEqual(3);
      expect((await optionsOf(`&ink=${ground}`)).options!.ink).toBe(options!.ground!);
    }
    expect((await optionsOf('&accent=%230A0')).options).toEqual({ accent: '#00aa00' });
  });

  test("count down to an instant, local to the clock's place, and end at zero", async () => {
    const countdown = async (to: string) => {
      const text = await fragmentOf(`&countdown_to=${to}`);
      return /class="sc-live">([^<]*)</.exec(text)![1];
    };
    await expectEach(countdown, {
      '2026-04-15T20:30:48': '01:00:01',
      '2026-04-15T18:30:48Z': '01:00:01',
      '2026-05-15T19:30:48': '30d 00:00:01',
      '2026-04-15T19:30:47.124': '00:00:01',
      '2020-01-01': '00:00:00',
    });
    expect((await optionsOf('&countdown_to=2030-01-01')).timezone_label).toBe('1 Jan 2030, 00:00');
  });

  test("show the visitor's zone, which the script fills in, and UTC until then", async () => {
    const { body } = await send('/v1/time/clock?style=digital-minimal&visitor=true');
    expect(body).toContain('"refresh":{"path":"/v1/time/current","selector":{"kind":"visitor"}}');
    expect(body).toContain('"timezone":"UTC"');
    await expectErrors(VIENNA, { '400 AMBIGUOUS_TARGET': ['&visitor=true'] });
  });

  test('are rejected with a reason', () =>
    expectMessages(VIENNA, {
      '&size=20': "…'20' is not a positive length…",
      '&size=0px': "…'0px' is not a positive length…",
      '&size=1e3px': '…is not a positive length…',
      '&size=calc(1px)': '…is not a positive length…',
      '&ink=red': "…'red' is not a hexadecimal colour…",
      '&ink=%23ffff': '…is not a hexadecimal colour…',
      '&ink=%23777&ground=888': '…the contrast of #777777 with the ground #888888 is 1.2:1…',
      '&ink=%23777&ground=fff': '…is 4.4:1; at least 4.5:1 is readable…',
      '&accent=%23bbb&ground=fff': '…the contrast of #bbbbbb with the ground #ffffff is 1.9:1; at least 3:1…',
      '&lang=xx-klingon': '…CLDR has no month names…',
      [`&label=${'x'.repeat(65)}`]: '…the maximum is 64…',
      '&label=a%0Ab': '…has a control character…',
      '&hour12=true&format=%25H': "…it has no effect with 'format'…",
      '&countdown_to=2030-01-01&format=%25H': "…omit 'format'…",
      '&countdown_to=soon': "…Cannot read 'countdown_to'…",
    }));

  test('a dial does not count down, and an image has no visitor', () =>
    expectMessages(CLOCK, {
      '?style=analog-brass&countdown_to=2030-01-01': '…choose a digital style…',
      '.svg?style=analog-brass&visitor=true': '…name a place…',
    }));
});

describe('standalone clocks', () => {
  test('an image is well-formed XML with the stylesheet and the face', async () => {
    const { headers, body } = await send(
      `${CLOCK}.svg?style=digital-card&tz=Asia/Tokyo&label=A%26B&size=300px`,
    );
    expect(headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(body).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" width="600px" height="240px"');
    expect(body).toContain('aria-label="The time in A&amp;B"');
    expect(body).not.toContain('<script');
  });

  test('an image lacks the characters of a label that XML forbids', async () => {
    const label = encodeURIComponent('a\ufffe\uffff\u{1ffff}b');
    for (const style of ['digital-card', 'analog-station']) {
      const { body } = await send(`${CLOCK}.svg?style=${style}&tz=Asia/Tokyo&label=${label}`);
      expect(body).toContain('aria-label="The time in a&#131071;b"');
      expect(body).not.toMatch(/&#6553[45];|[\ufffe\uffff]/);
    }
  });

  test('a board has a clock for each of at most 12 places', async () => {
    const { body } = await send('/embed/board?style=analog-slate&place=Munich;Portland, US-ME;Perth, GB');
    expect(body.match(/data-service-clock=/g)).toHaveLength(3);
    expect(body).toContain('<title>Time in Munich, Portland, Perth</title>');
    expect(body).toContain(
      '<meta name="description" content="Time in Munich, Portland, Perth, as a clock that keeps time."/>',
    );
    await expectMessages('/embed/board?style=analog-slate&tz=', {
      [Array(13).fill('UTC').join()]: '…at most 12…',
      'UTC,': '…an entry of the list is empty…',
    });
  });

  test('pages have station clocks unless a style is given', async () => {
    for (const page of ['clock', 'clock?tz=Asia/Tokyo', 'board?place=Berlin;Tokyo;Lima']) {
      const path = `/embed/${page}`;
      const { status, body } = await send(path);
      expect([path, status]).toEqual([path, 200]);
      expect(body).toContain('data-style="analog-station"');
    }
    const described = await send(`/oembed?url=${encodeURIComponent('/embed/clock?tz=Asia/Tokyo')}`);
    expect(described.status).toBe(200);
    expect(await messageOf('/v1/time/clock')).toContain('A style is missing');
  });

  test('pages are described by oEmbed, within the requested size', async () => {
    const page = '/embed/clock?style=digital-card&tz=Asia/Tokyo';
    const { body } = await send(page);
    const link = /type="application\/json\+oembed" href="([^"]*)"/.exec(body)![1]!;
    expect(link).toStartWith('http://localhost/oembed?url=http%3A%2F%2Flocalhost%2Fembed%2Fclock%3F');
    const described = await send(`${link.slice('http://localhost'.length)}&maxwidth=240`);
    expect(described.body).toMatchObject({ version: '1.0', type: 'rich', width: 240, height: 96 });
    expect(described.body.html).toContain(
      '<iframe src="http://localhost/embed/clock?style=digital-card&amp;tz=Asia/Tokyo"',
    );
    const target = createApp(testServer({ publicUrl: 'https://time.example.com/api' }));
    const { html } = (await send(`/oembed?url=${encodeURIComponent(page)}`, {}, target)).body;
    expect(html).toStartWith('<iframe src="https://time.example.com/api/embed/clock?');
    const elsewhere = encodeURIComponent('https://evil.example/embed/clock?style=digital-card');
    expect((await send(`/oembed?url=${elsewhere}`)).status).toBe(404);
    expect((await send(`/oembed?url=${encodeURIComponent(page)}&format=xml`)).status).toBe(501);
  });
});
