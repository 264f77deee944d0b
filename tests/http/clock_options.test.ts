import { describe, expect, test } from 'bun:test';
import { type ClockConfig, contrastOf } from '../../src/clock/clock_config.ts';
import { send } from '../support/service.ts';

const CLOCK = '/v1/time/clock?style=digital-minimal&tz=Europe/Vienna';

async function fragmentOf(query: string): Promise<string> {
  const { status, body } = await send(`${CLOCK}${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
}

async function errorOf(path: string): Promise<string> {
  const { status, body } = await send(path);
  expect([path, status]).toEqual([path, 400]);
  return body.error.message;
}

async function configOf(query: string): Promise<ClockConfig> {
  return JSON.parse(/<script type="application\/json"[^>]*>([^<]*)</.exec(await fragmentOf(query))![1]!);
}

describe('options of a clock', () => {
  test('are in its config, and absent without them', async () => {
    expect(await configOf('')).not.toHaveProperty('options');
    const config = await configOf('&hour12=true&date=true&lang=de&size=20rem&label=Wien%20%26%20mehr');
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
      const { options } = await configOf(`&ground=${ground}`);
      const [ink, accent] = [options!.ink!, options!.accent!];
      expect(contrastOf(ink, options!.ground!)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(accent, options!.ground!)).toBeGreaterThanOrEqual(3);
      expect((await configOf(`&ink=${ground}`)).options!.ink).toBe(options!.ground!);
    }
    expect((await configOf('&accent=%230A0')).options).toEqual({ accent: '#00aa00' });
  });

  test("count down to an instant, local to the clock's place, and end at zero", async () => {
    const countdown = async (to: string) => {
      const text = await fragmentOf(`&countdown_to=${to}`);
      return /class="sc-live">([^<]*)</.exec(text)![1];
    };
    expect(await countdown('2026-04-15T20:30:48')).toBe('01:00:01');
    expect(await countdown('2026-04-15T18:30:48Z')).toBe('01:00:01');
    expect(await countdown('2026-05-15T19:30:48')).toBe('30d 00:00:01');
    expect(await countdown('2026-04-15T19:30:47.124')).toBe('00:00:01');
    expect(await countdown('2020-01-01')).toBe('00:00:00');
    expect((await configOf('&countdown_to=2030-01-01')).timezone_label).toBe('1 Jan 2030, 00:00');
  });

  test("show the visitor's zone, which the script fills in, and UTC until then", async () => {
    const { body } = await send('/v1/time/clock?style=digital-minimal&visitor=true');
    expect(body).toContain('"refresh":{"path":"/v1/time/current","selector":{"kind":"visitor"}}');
    expect(body).toContain('"timezone":"UTC"');
    expect(await errorOf(`${CLOCK}&visitor=true`)).toContain('visitor');
  });

  const REJECTED: readonly (readonly [string, string])[] = [
    ['&size=20', "'20' is not a positive length"],
    ['&size=0px', "'0px' is not a positive length"],
    ['&size=1e3px', 'is not a positive length'],
    ['&size=calc(1px)', 'is not a positive length'],
    ['&ink=red', "'red' is not a hexadecimal colour"],
    ['&ink=%23ffff', 'is not a hexadecimal colour'],
    ['&ink=%23777&ground=888', 'the contrast of #777777 with the ground #888888 is 1.2:1'],
    ['&ink=%23777&ground=fff', 'is 4.4:1; at least 4.5:1 is readable'],
    ['&accent=%23bbb&ground=fff', 'the contrast of #bbbbbb with the ground #ffffff is 1.9:1; at least 3:1'],
    ['&lang=xx-klingon', 'CLDR has no month names'],
    [`&label=${'x'.repeat(65)}`, 'the maximum is 64'],
    ['&label=a%0Ab', 'has a control character'],
    ['&hour12=true&format=%25H', "it has no effect with 'format'"],
    ['&countdown_to=2030-01-01&format=%25H', "omit 'format'"],
    ['&countdown_to=soon', "Cannot read 'countdown_to'"],
  ];
  for (const [query, message] of REJECTED) {
    test(`are rejected with a reason: ${query.slice(0, 40)}`, async () => {
      expect(await errorOf(CLOCK + query)).toContain(message);
    });
  }

  test('a dial does not count down, and an image has no visitor', async () => {
    const dial = 'style=analog-brass&countdown_to=2030-01-01';
    expect(await errorOf(`/v1/time/clock?${dial}`)).toContain('choose a digital style');
    expect(await errorOf('/v1/time/clock.svg?style=analog-brass&visitor=true')).toContain('name a place');
  });
});

describe('standalone clocks', () => {
  test('an image is well-formed XML with the stylesheet and the face', async () => {
    const { headers, body } = await send(
      '/v1/time/clock.svg?style=digital-card&tz=Asia/Tokyo&label=A%26B&size=300px',
    );
    expect(headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(body).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" width="600px" height="240px"');
    expect(body).toContain('aria-label="The time in A&amp;B"');
    expect(body).not.toContain('<script');
  });

  test('a board has a clock for each of at most 12 places', async () => {
    const { body } = await send('/embed/board?style=analog-slate&place=Munich;Portland, US-ME;Perth, GB');
    expect(body.match(/data-service-clock=/g)).toHaveLength(3);
    expect(body).toContain('<title>Time in Munich, Portland, Perth</title>');
    expect(body).toContain(
      '<meta name="description" content="Time in Munich, Portland, Perth, as a clock that keeps time."/>',
    );
    const zones = Array(13).fill('UTC').join();
    expect(await errorOf(`/embed/board?style=analog-slate&tz=${zones}`)).toContain('at most 12');
    expect(await errorOf('/embed/board?style=analog-slate&tz=UTC,')).toContain(
      'an entry of the list is empty',
    );
  });

  test('pages have station clocks unless a style is given', async () => {
    for (const path of [
      '/embed/clock',
      '/embed/clock?tz=Asia/Tokyo',
      '/embed/board?place=Berlin;Tokyo;Lima',
    ]) {
      const { status, body } = await send(path);
      expect([path, status]).toEqual([path, 200]);
      expect(body).toContain('data-style="analog-station"');
    }
    const described = await send(`/oembed?url=${encodeURIComponent('/embed/clock?tz=Asia/Tokyo')}`);
    expect(described.status).toBe(200);
    expect(await errorOf('/v1/time/clock')).toContain('A style is missing');
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
    const elsewhere = encodeURIComponent('https://evil.example/embed/clock?style=digital-card');
    expect((await send(`/oembed?url=${elsewhere}`)).status).toBe(404);
    expect((await send(`/oembed?url=${encodeURIComponent(page)}&format=xml`)).status).toBe(501);
  });
});
