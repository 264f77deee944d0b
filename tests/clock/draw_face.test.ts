import { describe, expect, test } from 'bun:test';
import { drawFace } from '../../src/clock/draw_face.tsx';
import { dialLabel, rowsOfName, twoRowsOf } from '../../src/clock/drawing/dial_label.ts';
import { placedPath, romanGlyph } from '../../src/clock/drawing/draw_dial.tsx';
import { flapsOf } from '../../src/clock/figures/glyph_line.ts';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import { handAnglesAt, labelSpotAt } from '../../src/clock/live_parts.ts';
import type { Mark, Numerals, Spot } from '../../src/clock/styles/style.ts';
import { STYLE_NAMES, STYLES, type StyleName } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { configOf, SHOWN_MOMENT } from './faces_page.ts';
import { HOSTILE_TEXTS } from './hostile_markup.ts';

const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s[^\s=<>"]+="[^"<>]*"|\s[^\s=<>"/]+)*)\s*(\/?)>/g;

/** Parses markup strictly; returns the element names in order. */
function elementsOf(markup: string): string[] {
  const names: string[] = [];
  const open: string[] = [];
  const text = markup.replace(TAG, (_, closing: string, name: string, _attributes, empty: string) => {
    if (closing === '/') expect(open.pop()).toBe(name);
    else {
      names.push(name);
      if (empty === '') open.push(name);
    }
    return '';
  });
  expect(open).toEqual([]);
  expect(text).not.toMatch(/[<>"']/);
  return names;
}

const FORMATS = [null, '%H:%M', '%A, %-d %B', 'x'.repeat(200), ...HOSTILE_TEXTS];

describe.each([...STYLE_NAMES])('%s', style => {
  test('is well-formed, whatever it shows', () => {
    for (const format of FORMATS) elementsOf(drawFace(configOf(style, { format }), SHOWN_MOMENT, 'c1'));
  });

  test('has the same elements for a hostile place name as for a harmless one', () => {
    // Rows of a name in a font are elements.
    const elements = (label: string) =>
      elementsOf(drawFace(configOf(style, { timezone_label: label }), SHOWN_MOMENT, 'c1')).filter(
        name => name !== 'text',
      );
    for (const label of HOSTILE_TEXTS) expect(elements(label)).toEqual(elements('Europe/Paris'));
  });

  test('has its own ids, and refers to no others', () => {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'clock-7');
    const ids = [...markup.matchAll(/\sid="([^"]*)"/g)].map(match => match[1]!);
    const references = [...markup.matchAll(/url\(#([^)]*)\)|href="#([^"]*)"/g)].map(
      match => match[1] ?? match[2]!,
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toStartWith('clock-7-');
    for (const reference of references) expect(ids).toContain(reference);
  });

  test('is a timer with place and time in words, and its drawing is hidden from screen readers', () => {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'c1');
    expect(markup).toStartWith(
      `<div class="service-clock sc-${style.split('-')[0]}" data-style="${style}" data-form="own" role="timer" aria-label="Time in Tokyo">`,
    );
    expect(markup).toContain('datetime="2026-04-18T10:09:36+09:00">10:09, Saturday, April 18, 2026</time>');
    expect(markup).toMatch(/<(svg|div) class="sc-(dial|face|face sc-typed)"[^>]* aria-hidden="true"/);
  });

  test('has nothing that a strict policy forbids', () => {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'c1');
    expect(markup).not.toMatch(/\sstyle=|<style|<script|\son\w+=|javascript:|https?:/);
  });

  test('can be drawn for two places at once without mixing them up', () => {
    const osaka = drawFace(configOf(style, { timezone_label: 'Osaka' }), SHOWN_MOMENT, 'c1');
    const tokyo = drawFace(configOf(style), SHOWN_MOMENT, 'c2');
    expect(osaka).not.toContain('Tokyo');
    expect(tokyo).not.toContain('Osaka');
    expect(drawFace(configOf(style, { timezone_label: 'Osaka' }), SHOWN_MOMENT, 'c1')).toBe(osaka);
  });
});

test('a hostile text is shown literally', () => {
  const format = `${HOSTILE_TEXTS[0]} & ${HOSTILE_TEXTS[2]}`;
  const shown = drawFace(configOf('digital-minimal', { format }), SHOWN_MOMENT, 'c1');
  expect(shown).toContain(
    '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#x27; onmouseover=&#x27;alert(1)',
  );
  const labelled = drawFace(configOf('analog-grid', { timezone_label: '"><b>' }), SHOWN_MOMENT, 'c1');
  expect(labelled).toContain('aria-label="Time in &quot;&gt;&lt;b&gt;"');
});

test("a place is written in the style's own letters, or in a font if they lack a character", () => {
  const drawn = (timezone_label: string) =>
    drawFace(configOf('analog-station', { timezone_label }), SHOWN_MOMENT, 'c1');
  expect(drawn('S\u00e3o Paulo')).toContain(`d="${dialLabel('S\u00e3o Paulo', 'plain', lineIn).d}"`);
  expect(drawn('\u6771\u4eac')).toMatch(/textLength="261"[^>]*>&#26481;&#20140;</);
});

test('faces are drawn at the limits of the range', () => {
  for (const epochMs of [-8.64e15, 8.64e15]) {
    for (const style of STYLE_NAMES satisfies readonly StyleName[])
      elementsOf(drawFace(configOf(style), new Moment(epochMs, 0, 'UTC'), 'c1'));
  }
});

test('flaps are capitals on cards, colons, and gaps between words', () => {
  expect(flapsOf('1: a')).toEqual([
    { kind: 'card', character: '1' },
    { kind: 'colon', character: ':' },
    { kind: 'gap', character: ' ' },
    { kind: 'card', character: 'A' },
  ]);
  expect(flapsOf('x'.repeat(4096)).length).toBe(200);
  expect(flapsOf('9pm').map(flap => flap.character)).toEqual(['9', 'PM']);
});

test('a clock named by its offset shows it once, even on a small dial', () => {
  for (const style of STYLE_NAMES) {
    for (const [timezone_label, hours, offset] of [
      ['UTC', 0, '+00:00'],
      ['UTC-04:00', -4, '\u221204:00'],
    ] as const) {
      const moment = new Moment(SHOWN_MOMENT.epochMs, hours * 3600, '');
      const markup = drawFace(configOf(style, { timezone_label }), moment, 'c1');
      const isDigital = style.startsWith('digital-');
      const [place, live] = isDigital ? ['UTC', offset] : [hours === 0 ? 'UTC' : `UTC${offset}`, ''];
      const { set, letters } = lettersIn(style);
      const written = letters(place);
      expect([style, count(markup, written)]).toEqual([style, 1]);
      if (live !== '' && set !== undefined)
        expect([style, count(markup, lineIn(set)(live).lit)]).toEqual([style, 1]);
      if (!isDigital) expect(markup).toContain('data-part="offset-lit" d=""');
      expect(markup).toContain(`aria-label="Time in ${timezone_label}"`);
    }
  }
});

/** The elements with which a style writes the name of a place. */
function lettersIn(style: StyleName) {
  if (style === 'digital-minimal') return { set: undefined, letters: (place: string) => `>${place}<` };
  const set = style === 'digital-timetable' ? 'board' : style.includes('terminal') ? 'mono' : 'letters';
  const own = style === 'digital-control-room' ? 'spaced' : set;
  return {
    set,
    letters(place: string) {
      if (style.startsWith('analog-'))
        return dialLabel(place, style === 'analog-bauhaus' ? 'small' : 'plain', lineIn).d;
      const small = style === 'digital-terminal-green' ? place.toLowerCase() : place;
      const { lit, tail } = lineIn(own)(style === 'digital-timetable' ? small.padEnd(18) : small);
      return lit + tail;
    },
  } as const;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

test('no element has a duplicate class', () => {
  for (const style of STYLE_NAMES) {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'c1');
    for (const [, classes] of markup.matchAll(/ class="([^"]*)"/g)) {
      const names = classes!.split(' ');
      expect(names).toEqual([...new Set(names)]);
    }
  }
});

test('a long name is broken after hyphens, slashes and spaces into the rows that allow the largest letters', () => {
  for (const [name, ...rows] of [
    ['Tokyo', 'Tokyo'],
    ['Buenos Aires', 'Buenos Aires'],
    ['San Francisco', 'San Francisco'],
    ['DumontDUrville', 'DumontDUrville'],
    ['Petropavlovsk-Kamchatskiy', 'Petropavlovsk-', 'Kamchatskiy'],
    ['Isla del Príncipe Eduardo', 'Isla del', 'Príncipe Eduardo'],
    ['America/Argentina/ComodRivadavia', 'America/Argentina/', 'ComodRivadavia'],
    ['a  b  c  d  e  f  g  h', 'a  b  c  d', 'e  f  g  h'],
  ] as const) {
    expect([name, ...rowsOfName(name)]).toEqual([name, ...rows]);
  }
});

test('a digital face breaks a name that is too long into two rows of about the same length', () => {
  for (const [name, ...rows] of [
    ['Petropavlovsk-Kamchatskiy', 'Petropavlovsk-Kamchatskiy'],
    ['The observatory of Greenwich, upper terrace', 'The observatory of', 'Greenwich, upper terrace'],
    ['Llanfairpwllgwyngyllgogerychwyrndrobwll', 'Llanfairpwllgwyngyllgogerychwyrndrobwll'],
  ] as const) {
    expect([name, ...twoRowsOf(name, 34)]).toEqual([name, ...rows]);
  }
  expect(twoRowsOf('San Francisco, US-CA', 19)).toEqual(['San Francisco,', 'US-CA']);
});

test('rows are centred, and characters without a shape use a font', () => {
  const drawn = dialLabel('Isla del Príncipe Eduardo', 'plain', lineIn);
  const [left, , width] = drawn.viewBox.split(' ').map(Number);
  expect(left! * 2 + width!).toBeCloseTo(0, 0);
  expect(drawn.types).toEqual([]);
  const typed = dialLabel('Петропавловск-Камчатский', 'plain', lineIn);
  expect(typed.d).toBe('');
  expect(typed.types.map(({ text }) => text)).toEqual(['Петропавловск-', 'Камчатский']);
});

test('no label covers the numerals of its dial, wherever it is', () => {
  for (const [name, style] of Object.entries(STYLES)) {
    if (!('dial' in style)) continue;
    for (const mark of style.dial.under) {
      if (!('numerals' in mark)) continue;
      for (const [index, text] of mark.numerals.split(' ').entries()) {
        if (text === '-') continue;
        for (const spot of style.definition.spots)
          expect([name, text, spot, gapTo(spot, mark, index) > 0]).toEqual([name, text, spot, true]);
      }
    }
  }
});

/** Half the height of a label in rows, at most. */
const LABEL = { width: 22, height: 12.5 };

/** The distance of a label from a numeral, which may be rotated: the widest gap along a side of either. */
function gapTo([spotX, spotY]: Spot, numerals: Numerals, index: number): number {
  const { radius, size, weight, condense = 1, radial = false, at: [right, down] = [0, 0] } = numerals;
  const texts = numerals.numerals.split(' ');
  const text = texts[index]!;
  const width =
    weight === 'roman' ? romanGlyph(text)[1] : Number(lineIn('letters')(text).viewBox.split(' ')[2]);
  const [halfWidth, halfHeight] = [(width * condense * size) / 200, size / 2];
  const radians = ((index + 1) / texts.length) * 2 * Math.PI;
  const x = right + Math.sin(radians) * radius - spotX;
  const y = down - Math.cos(radians) * radius - spotY;
  const turn = radial ? radians : 0;
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const [level, upright] = [Math.abs(cosine), Math.abs(sine)];
  return Math.max(
    Math.abs(x) - LABEL.width - level * halfWidth - upright * halfHeight,
    Math.abs(y) - LABEL.height - upright * halfWidth - level * halfHeight,
    Math.abs(x * cosine + y * sine) - halfWidth - level * LABEL.width - upright * LABEL.height,
    Math.abs(y * cosine - x * sine) - halfHeight - upright * LABEL.width - level * LABEL.height,
  );
}

function at(clock: string): Moment {
  return new Moment(Date.parse(`2026-04-18T${clock}Z`), 0, 'UTC');
}

test('hands have the angles of a clock', () => {
  expect(handAnglesAt(at('00:00:00'), 'tick')).toEqual({ hour: 0, minute: 0, second: 0 });
  expect(handAnglesAt(at('15:00:00'), 'tick')).toEqual({ hour: 90, minute: 0, second: 0 });
  expect(handAnglesAt(at('09:30:00'), 'tick')).toEqual({ hour: 285, minute: 180, second: 0 });
  expect(handAnglesAt(at('18:45:30'), 'tick')).toEqual({ hour: 202.75, minute: 273, second: 180 });
});

test('hands show the local time, even in negative years and with seconds in the offset', () => {
  const localMeanTime = new Moment(Date.UTC(1880, 0, 1, 12, 0, 0), -(4 * 3600 + 56 * 60 + 2), 'LMT');
  expect(handAnglesAt(localMeanTime, 'tick')).toEqual({
    hour: 210 + 3 / 2 + 58 / 120,
    minute: 18 + 5.8,
    second: 348,
  });
});

test('a ticking second hand moves once a second, a sweeping one never stops', () => {
  const late = at('00:00:01.999');
  expect(handAnglesAt(late, 'tick').second).toBe(6);
  expect(handAnglesAt(late, 'sweep').second).toBeCloseTo(11.994);
});

/** The corners of a hand's shapes, at twelve o'clock. */
function cornersOf(mark: Mark): (readonly [x: number, y: number])[] {
  if ('rect' in mark) {
    const [x, y, width, height] = mark.rect;
    return [x, x + width].flatMap(right => [y, y + height].map(down => [right, down] as const));
  }
  if (!('path' in mark)) return [];
  const halfWidth = mark.stroke === undefined ? 0 : mark.width! / 2;
  let [x, y] = [0, 0];
  return [...mark.path.matchAll(/([MLCHV])([^A-Za-z]*)/g)].flatMap(([, command, text]) => {
    const numbers = text!.trim().split(' ').map(Number);
    if (command === 'H') x = numbers[0]!;
    else if (command === 'V') y = numbers[0]!;
    else [x, y] = [numbers.at(-2)!, numbers.at(-1)!];
    return [[x - halfWidth, y] as const, [x + halfWidth, y] as const];
  });
}

test('no hand or tail covers a label in one row or several, at any minute of half a day', () => {
  for (const [name, style] of Object.entries(STYLES)) {
    if (!('dial' in style)) continue;
    const { definition, dial } = style;
    const hands = [dial.hour, dial.minute].map(marks => {
      const corners = marks.flatMap(cornersOf);
      const [tip, tail] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
      expect([name, tail]).toEqual([name, Math.min(tail, definition.tail)]);
      const middle = Array.from({ length: Math.floor(tail - tip) }, (_, at) => [0, tip + at] as const);
      return [...corners, ...middle];
    });
    for (let half = 0; half < 2880; half++) {
      // At the start of each minute, and at its end.
      const moment = new Moment(Math.floor(half / 2) * 60_000 + (half % 2) * 59_000, 0, 'UTC');
      // Long names are higher by half their first row.
      const isInRows = half >= 1440;
      const [x, low] = labelSpotAt(moment, definition, isInRows);
      const [y, halfHeight] = isInRows ? [low - 4, 12.5] : [low, 8];
      const angles = handAnglesAt(moment, definition.manner);
      const distances = [angles.hour, angles.minute].flatMap((degrees, hand) => {
        const radians = (degrees / 180) * Math.PI;
        const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
        return hands[hand]!.map(([right, down]) =>
          Math.max(
            Math.abs(right * cosine - down * sine - x) - 21,
            Math.abs(right * sine + down * cosine - y) - halfHeight,
          ),
        );
      });
      expect([name, Math.floor(half / 2), Math.min(...distances) > 0]).toEqual([
        name,
        Math.floor(half / 2),
        true,
      ]);
    }
  }
});

test('a station second hand completes its revolution in 58.5 seconds and waits at the top for the minute', () => {
  const second = (clock: string) => handAnglesAt(at(clock), 'station').second;
  expect(second('12:00:00')).toBe(0);
  expect(second('12:00:29.250')).toBe(180);
  expect(second('12:00:58.400')).toBeGreaterThan(359);
  expect(second('12:00:58.500')).toBe(0);
  expect(second('12:00:59.999')).toBe(0);
});

test('a station minute hand stands still for a minute, then jumps', () => {
  const minute = (clock: string) => handAnglesAt(at(clock), 'station').minute;
  expect(minute('12:07:59.999')).toBe(42);
  expect(minute('12:08:00')).toBe(48);
  expect(minute('12:08:59')).toBe(48);
});

describe('a placed path', () => {
  const path = 'M1 2h3v-4l1 1c1 0 2 1 2 2a5 6 0 0 1 5 6z';

  test('is scaled in both directions, then moved', () => {
    const placed = placedPath(path, { scale: [2, 0.5], degrees: 0, at: [10, -10] });
    expect(placed).toBe('M12 -9l6 0l0 -2l2 0.5c2 0 4 0.5 4 1a10 3 0 0 1 10 3z');
  });

  test('is rotated clockwise around its origin', () => {
    const placed = placedPath(path, { scale: [1, 1], degrees: 90, at: [0, 0] });
    expect(placed).toBe('M-2 1l0 3l4 0l-1 1c0 1 -1 2 -2 2a5 6 90 0 1 -6 5z');
  });

  test('has reversed arcs if mirrored', () => {
    expect(placedPath('M0 0a5 6 0 0 1 5 6', { scale: [-1, 1], degrees: 0, at: [0, 0] })).toBe(
      'M0 0a5 6 0 0 0 -5 6',
    );
  });
});

test('only moving parts of a dial, and the containers of small seconds and dates, have a transform', () => {
  for (const style of STYLE_NAMES.filter(name => name.startsWith('analog-'))) {
    const still = drawFace(configOf(style), SHOWN_MOMENT, 'c1').match(
      /<(?!g data-part|g class="sc-spot")\w+[^>]* transform="[^"]*"/g,
    );
    expect([style, (still ?? []).length <= 1]).toEqual([style, true]);
  }
});
