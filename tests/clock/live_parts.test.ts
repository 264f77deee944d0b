import { afterAll, describe, expect, test } from 'bun:test';
import { dialLabel } from '../../src/clock/drawing/dial_label.ts';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import { LIVE_ATTRIBUTES, type LiveFace, type LiveParts, liveFaceOf } from '../../src/clock/live_parts.ts';
import { STYLE_NAMES, STYLES, type StyleName } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { inChromium, openPage, withBrowser } from '../support/browser.ts';
import { configOf } from './faces_page.ts';
import { PageServer } from './page_server.ts';

const MOMENT = new Moment(Date.UTC(2026, 3, 18, 1, 9, 36), 9 * 3600, 'JST');

function faceOf(style: StyleName, format: string | null = null): LiveFace {
  return liveFaceOf(configOf(style, { format }), false, lineIn);
}

function partsOf(style: StyleName, format: string | null = null, moment = MOMENT): LiveParts {
  return faceOf(style, format).partsAt(moment);
}

/** The path of a text in drawn letters. */
function lettersOf(text: string): string {
  return lineIn('letters')(text).lit;
}

test('every face has time, date and offset in words', () => {
  for (const style of STYLE_NAMES) {
    expect(partsOf(style)).toMatchObject({
      said: '10:09, Saturday, April 18, 2026',
      'said@datetime': '2026-04-18T10:09:36+09:00',
    });
    const { offset, 'offset-lit@d': path } = partsOf(style);
    const set = style === 'digital-timetable' ? 'board' : style.includes('terminal') ? 'mono' : 'letters';
    if (style === 'digital-minimal') expect(offset).toBe('UTC+09:00');
    else expect([style, path!]).toEqual([style, lineIn(set)('UTC+09:00').lit]);
  }
});

test('the changing attributes are exactly those the script sets', () => {
  const names = STYLE_NAMES.flatMap(style => [
    ...Object.keys(partsOf(style)),
    ...Object.keys(partsOf(style, '%A')),
  ]);
  const attributes = new Set(names.filter(name => name.includes('@')).map(name => name.split('@')[1]!));
  expect([...attributes].sort()).toEqual(LIVE_ATTRIBUTES.toSorted());
});

test('an offset to the west has a minus sign', () => {
  const newYork = new Moment(MOMENT.epochMs, -4 * 3600, 'EDT');
  expect(partsOf('digital-minimal', null, newYork)['offset']).toBe('UTC\u221204:00');
  expect(partsOf('digital-card', null, newYork)['offset-lit@d']).toBe(lettersOf('UTC\u221204:00'));
  expect(partsOf('digital-card', null, newYork)['said@datetime']).toBe('2026-04-17T21:09:36-04:00');
});

test('a date window shows the day', () => {
  expect(partsOf('analog-executive')['date-tail@d']).toBe(lineIn('letters')('18').tail);
});

test('hands are rotated to a tenth of a degree', () => {
  expect(partsOf('analog-brass')).toMatchObject({
    'hour@transform': 'rotate(304.8)',
    'minute@transform': 'rotate(57.6)',
    'second@transform': 'rotate(216)',
  });
});

describe('a format', () => {
  test('replaces all lines of the time', () => {
    const parts = partsOf('digital-monolith', '%A');
    expect(parts['time-lit@d']).toBe(lineIn('bold')('Saturday').lit);
    expect(Object.keys(parts).filter(name => /hours|minutes/.test(name))).toEqual([]);
  });

  test('is drawn in strokes, or in a fixed-length font if the alphabet lacks a character', () => {
    expect(partsOf('digital-cyan', '%H h %M')).toMatchObject({
      'time-type': '',
      'time-type@textLength': '0',
    });
    expect(partsOf('digital-cyan', '%H h %M')['time-lit@d']).toMatch(/^M/);
    expect(partsOf('digital-cyan', '%H\u6642')).toMatchObject({
      'time-type': '10\u6642',
      'time-lit@d': '',
      'time@viewBox': expect.stringMatching(/^0 -32 \d/),
    });
  });

  test('with 12 hours has the lines of the style and an a.m./p.m. mark', () => {
    const parts = partsOf('digital-broadcast', '%-I:%M %p');
    expect(parts['half-tail@d']).toBe(lineIn('letters')('AM').tail);
    expect(Object.keys(parts)).toContain('seconds-tail@d');
    expect(faceOf('digital-broadcast', '%-I:%M %p').form).toBe('halved');
    expect(partsOf('digital-split-flap', '%I:%M %p')['time']).toBe('10:09AM');
    expect(faceOf('digital-card', '%I:%M %p %Z').form).toBe('formatted');
  });

  test('is always drawn with segments and dots, which support letters', () => {
    for (const style of ['digital-segment-red', 'digital-matrix'] as const) {
      const parts = partsOf(style, '%A');
      expect(parts['time-lit@d']).toMatch(/^M/);
      expect(parts['time']).toBeUndefined();
    }
  });

  test("that writes long text in the page's font shrinks in steps", () => {
    const fit = (format: string) => Number(partsOf('digital-minimal', format)['time@data-fit']);
    expect(fit('%H:%M')).toBe(0);
    expect(fit('%A %H:%M')).toBeGreaterThan(0);
    expect(fit('x'.repeat(250))).toBeGreaterThan(fit('%A %H:%M'));
    expect(fit('%200A%200A%200A%200A')).toBe(6);
  });

  test('changes nothing on a dial', () => {
    expect(partsOf('analog-grid', '%A')).toEqual(partsOf('analog-grid'));
  });
});

describe('progress parts', () => {
  const at = (clock: string) => new Moment(Date.parse(`2026-04-18T${clock}Z`), 0, 'UTC');

  test('dots: one at the start of the minute, sixty at its end', () => {
    const lit = (clock: string) => {
      const parts = partsOf('digital-broadcast', null, at(clock));
      return (parts['dots@d']! + parts['dots-tail@d']!).split('h0').length - 1;
    };
    expect(lit('10:00:00')).toBe(1);
    expect(lit('10:00:30')).toBe(31);
    expect(lit('10:00:59')).toBe(60);
  });

  test('a bar for the minute, and one for the day', () => {
    expect(partsOf('digital-monolith', null, at('10:00:29'))['bar@width']).toBe('50%');
    expect(partsOf('digital-monolith', null, at('10:00:59'))['bar@width']).toBe('100%');
    expect(partsOf('digital-dashboard', null, at('00:00:00'))['bar@width']).toBe('0%');
    expect(partsOf('digital-dashboard', null, at('18:00:00'))['bar@width']).toBe('75%');
  });

  test('a board flips around the full minute, unless it is one of many', () => {
    const board = faceOf('digital-timetable');
    const toldAt = (clock: string, isCoarse: boolean) => board.partsAt(at(clock), isCoarse)['turn@data-turn'];
    const clocks = ['10:00:58', '10:00:59', '10:01:00', '10:01:01'];
    expect(clocks.map(clock => toldAt(clock, false))).toEqual(['', '1', '1', '']);
    expect(clocks.map(clock => toldAt(clock, true))).toEqual(['', '', '', '']);
  });

  test('a cursor blinks, unless it is one of many', () => {
    const terminal = faceOf('digital-terminal-green');
    const dimAt = (clock: string, isCoarse: boolean) =>
      terminal.partsAt(at(clock), isCoarse)['cursor@data-dim'];
    expect([dimAt('10:00:00', false), dimAt('10:00:01', false)]).toEqual(['0', '1']);
    expect([dimAt('10:00:00', true), dimAt('10:00:01', true)]).toEqual(['0', '0']);
  });

  test('the day of the week', () => {
    expect(partsOf('digital-segment-ice')['week@data-day']).toBe('6');
  });
});

test('the quarter-hour sector ends at the minute hand', () => {
  const sectorAt = (minute: number) =>
    partsOf('analog-bauhaus', null, new Moment(Date.UTC(2026, 3, 18, 10, minute), 0, 'UTC'))['sector@d'];
  expect(sectorAt(15)).toBe('M0 0L57 0A57 57 0 0 1 57 0z');
  expect(sectorAt(35)).toBe('M0 0L0 57A57 57 0 0 1 -28.5 49.4z');
});

test('a definition is small enough to be included in every clock', () => {
  for (const style of STYLE_NAMES) expect(JSON.stringify(STYLES[style].definition).length).toBeLessThan(200);
});

const browser = withBrowser();
const server = new PageServer();
afterAll(() => server[Symbol.dispose]());

/** The name on a dial in the visitor's zone: its path, the start of its label, and its text. */
async function labelIn(timezoneId: string, more = '') {
  server.body = await server.fragment(`style=analog-brass&visitor=true${more}`);
  const { page, faults } = await openPage(browser(), server.url, '/page', { timezoneId });
  const label = page.locator('[data-part="label"]');
  const drawn = {
    path: await label.locator('.sc-place path').getAttribute('d'),
    box: await label.locator('.sc-place').getAttribute('viewBox'),
    name: await page.getByRole('timer').getAttribute('aria-label'),
  };
  expect(faults).toEqual([]);
  return drawn;
}

inChromium(
  "a dial has the name of the visitor's zone in one row, in narrow letters if it is long",
  async () => {
    for (const [zone, name, set] of [
      ['Asia/Tokyo', 'Tokyo', 'letters'],
      ['America/Port-au-Prince', 'Port-au-Prince', 'narrow'],
    ] as const) {
      const { viewBox, lit, tail } = lineIn(set)(name);
      const width = viewBox.split(' ')[2];
      const drawn = { path: lit + tail, box: `0 -188 ${width} 320`, name: `Time in ${name}` };
      expect(await labelIn(zone)).toEqual(drawn);
    }
  },
);

inChromium('a dial keeps the label that its page chose, in as many rows as the server drew', async () => {
  const label = 'Isla del Príncipe Eduardo';
  const { d, viewBox } = dialLabel(label, 'plain', lineIn);
  const drawn = await labelIn('Asia/Tokyo', `&label=${encodeURIComponent(label)}`);
  expect(drawn).toEqual({ path: d, box: viewBox, name: `Time in ${label}` });
});
