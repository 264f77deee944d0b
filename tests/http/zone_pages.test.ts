import { describe, expect, test } from 'bun:test';
import { formatOffset } from '../../src/common/iso_text.ts';
import { createApp } from '../../src/server/app.ts';
import { coordinatesAt, nightPath, pointOf, sunHeight } from '../../src/site/sun.ts';
import { ruleSentences } from '../../src/site/zone/zone_texts.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';

const MINUTE_MS = 60_000;
const { zones } = testServer().snapshot();

let nowMs = NOW_MS;
const app = createApp(testServer({ now: () => nowMs }));

async function htmlOf(path: string): Promise<string> {
  return (await app.handle(new Request(`http://localhost${path}`))).text();
}

async function compressedSize(path: string): Promise<number> {
  const headers = { 'Accept-Encoding': 'gzip' };
  const response = await app.handle(new Request(`http://localhost${path}`, { headers }));
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
}

/** The text of the element with an attribute, without tags. */
function textOf(html: string, attribute: string): string {
  const [, text = ''] =
    new RegExp(`<(?:dd|p|article)[^>]* ${attribute}[^>]*>(.*?)</(?:dd|p|article)>`, 's').exec(html) ?? [];
  return text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The contents of a page, in API terms. */
function shown(html: string) {
  const changeOf = (title: string) => {
    const article = html.split(`data-change="${title}"`)[1]?.split('</article>')[0];
    return article === undefined ? null : Number(/data-countdown="(-?\d+)"/.exec(article)![1]) / 1000;
  };
  return {
    time: textOf(html, 'data-local-time').slice(0, 5),
    offset: textOf(html, 'data-zone-offset'),
    abbreviation: textOf(html, 'data-zone-abbreviation'),
    isDst: textOf(html, 'data-zone-dst') === 'in force',
    next: changeOf('next'),
    previous: changeOf('previous'),
  };
}

async function responded(zone: Zone) {
  const { body } = await send(`/v1/time/dst?tz=${zone.name}&details=true`, {}, app);
  const { abbreviation, next_transition, previous_transition } = body.details.zone;
  return {
    time: body.iso_local.slice(11, 16),
    offset: `UTC${formatOffset(zone.periodAt(nowMs / 1000).offsetSeconds)}`,
    abbreviation,
    isDst: body.dst_active,
    next: next_transition?.unix ?? null,
    previous: previous_transition?.unix ?? null,
  };
}

describe("a zone's page", () => {
  test('shows what the API returns, for 50 zones around their next clock change', async () => {
    const changing = zones.canonicalZones().filter(zone => zone.nextTransition(NOW_MS / 1000) !== null);
    const steady = zones.canonicalZones().filter(zone => !changing.includes(zone));
    const every = Math.floor(changing.length / 40);
    const sampled = [
      ...changing.filter((_, index) => index % every === 0).slice(0, 40),
      ...steady.slice(0, 10),
    ];
    expect(sampled.length).toBe(50);
    for (const zone of sampled) {
      const changeMs = (zone.nextTransition(NOW_MS / 1000)?.epochSeconds ?? 1_776_274_200) * 1000;
      for (nowMs of [changeMs - MINUTE_MS, changeMs, changeMs + MINUTE_MS]) {
        expect({ zone: zone.name, ...shown(await htmlOf(`/zone/${zone.name}`)) }).toEqual({
          zone: zone.name,
          ...(await responded(zone)),
        });
      }
    }
    nowMs = NOW_MS;
  }, 60_000);

  test("has the API's holidays and number of working days", async () => {
    const html = await htmlOf('/zone/Europe/Paris');
    const { body: listing } = await send('/v1/holidays?country=FR&year=2026&lang=en');
    expect(listing.holidays.length).toBe(11);
    for (const { date } of listing.holidays) expect(html.includes(`<time datetime="${date}">`)).toBe(true);
    const { body } = await send('/v1/work/days?holiday_country=FR&from=2026-01-01&to=2026-12-31');
    const months: { business: number; worked: number }[] = body.months;
    const workingDays = months.reduce((sum, { business, worked }) => sum + business + worked, 0);
    expect(html.includes(`${workingDays} working days and 11 public holidays`)).toBe(true);
  });

  test('lists recent tzdata changes, Windows names and former names', async () => {
    const html = await htmlOf('/zone/America/Vancouver');
    const { body } = await send('/v1/tzdata/changes?from=2025c&to=2026a&tz=America/Vancouver');
    expect(body.zones.length === 0).toBe(!html.includes('2026a <time'));
    expect(html.includes('Pacific Standard Time')).toBe(true);
    expect(html.includes('<a href="/zone/Canada/Pacific">')).toBe(true);
    expect(await htmlOf('/zone/Canada/Pacific')).toContain('is another name of');
  });

  test('is found in any letter case, and under every tzdata name', async () => {
    const moved = await app.handle(new Request('http://localhost/zone/europe/paris'));
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, '/zone/Europe/Paris']);
    for (const name of ['Etc/GMT+5', 'UTC', 'America/Argentina/Buenos_Aires']) {
      expect((await app.handle(new Request(`http://localhost/zone/${name}`))).status).toBe(200);
    }
  });

  test('is a 404 with similar names for an unknown zone', async () => {
    for (const path of ['/zone/Europe/Pariss', '/zone/', '/zone/%E0%A4%A', '/zone/%00']) {
      expect((await send(path, {}, app)).status).toBe(404);
    }
    expect((await send('/zone/Europe/Pariss', {}, app)).body.error.message).toContain(
      "did you mean 'Europe/Paris'?",
    );
  });

  test('is below 100 KB compressed, including everything it loads, for the zones with the most changes', async () => {
    for (const path of ['/zone/Africa/Casablanca', '/zone/America/New_York', '/zone/Asia/Jakarta']) {
      const html = await htmlOf(path);
      const assets = [...html.matchAll(/(?:src|href)="([^"#]*\/assets\/[^"]+)"/g)].map(match => match[1]!);
      expect(assets.length).toBeGreaterThan(3);
      const sizes = await Promise.all(
        [path, ...assets.filter(asset => !asset.includes('touch_icon'))].map(compressedSize),
      );
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000);
    }
  });
});

test('yearly rules are written in words', () => {
  const rows: [posixTz: string, sentences: string[]][] = [
    [
      'CET-1CEST,M3.5.0,M10.5.0/3',
      [
        'Each year clocks go forward by 1 hour on the last Sunday of March at 02:00, from CET (UTC+01:00) to CEST (UTC+02:00).',
        'They go back by 1 hour on the last Sunday of October at 03:00, from CEST to CET.',
      ],
    ],
    [
      'IST-1GMT0,M10.5.0,M3.5.0/1',
      [
        'Each year clocks go back by 1 hour on the last Sunday of October at 02:00, from IST (UTC+01:00) to GMT (UTC+00:00).',
        'They go forward by 1 hour on the last Sunday of March at 01:00, from GMT to IST.',
      ],
    ],
    [
      'EET-2EEST,M3.4.4/50,M10.4.4/50',
      [
        'Each year clocks go forward by 1 hour on the second day after the fourth Thursday of March at 02:00, from EET (UTC+02:00) to EEST (UTC+03:00).',
        'They go back by 1 hour on the second day after the fourth Thursday of October at 02:00, from EEST to EET.',
      ],
    ],
    [
      '<-02>2<-01>,M3.5.0/-1,M10.5.0/0',
      [
        'Each year clocks go forward by 1 hour on the day before the last Sunday of March at 23:00, from -02 (UTC-02:00) to -01 (UTC-01:00).',
        'They go back by 1 hour on the last Sunday of October at 00:00, from -01 to -02.',
      ],
    ],
    ['JST-9', ['Clocks stay at UTC+09:00 all year: no change is planned.']],
  ];
  for (const [posixTz, sentences] of rows) expect(ruleSentences(posixTz)).toEqual(sentences);
});

describe('the map', () => {
  test('shades exactly the half of the world where the sun has set', () => {
    for (const epochMs of [
      NOW_MS,
      Date.UTC(2026, 5, 21, 3),
      Date.UTC(2026, 11, 21, 18),
      Date.UTC(2026, 2, 20, 14, 46),
    ]) {
      const vertices = [...nightPath(epochMs).matchAll(/[ML](\d+) (\d+)/g)].map(
        ([, x, y]) => [Number(x), Number(y)] as const,
      );
      expect(vertices.length).toBe(121);
      const nightIsSouth = nightPath(epochMs).endsWith('V1800H0z');
      for (const [x, y] of vertices) {
        const { lat, lon } = coordinatesAt(x, y);
        for (const by of [-3, 3].filter(by => Math.abs(lat + by) < 90)) {
          const isNight = sunHeight({ lat: lat + by, lon }, epochMs) < 0.85; // sunHeight includes refraction and the sun's radius
          // Where the terminator runs along a parallel, three degrees hardly change the height.
          if (Math.abs(sunHeight({ lat: lat + by, lon }, epochMs) - 0.85) > 0.5)
            expect(isNight).toBe(by < 0 === nightIsSouth);
        }
      }
    }
  });

  test('converts coordinates to units and back', () => {
    expect(pointOf(coordinatesAt(1823, 411))).toEqual({ x: 1823, y: 411 });
    expect(pointOf({ lat: 90, lon: -180 })).toEqual({ x: 0, y: 0 });
  });

  test('has each zone of the outlines, with its current offset, and links to its page', async () => {
    const html = await htmlOf('/map');
    const svg = await htmlOf('/assets/outlines.svg');
    const names = [...svg.matchAll(/ id="([^"]+)"/g)].map(match => match[1]!);
    expect(names.length).toBeGreaterThan(400);
    for (const name of names) {
      const zone = zones.find(name)!;
      const title = `UTC${formatOffset(zone.periodAt(NOW_MS / 1000).offsetSeconds)}`;
      expect(html).toMatch(
        new RegExp(
          `<a href="/zone/${name}" tabindex="-1"[^>]* aria-label="[^"]*: ${title.replace('+', '\\+')}`,
        ),
      );
    }
  });
});
