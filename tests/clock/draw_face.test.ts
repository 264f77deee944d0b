import { describe, expect, test } from 'bun:test';
import { drawFace } from '../../src/clock/draw_face.tsx';
import { dialLabel } from '../../src/clock/drawing/dial_label.ts';
import { flapsOf } from '../../src/clock/figures/glyph_line.ts';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import { STYLE_NAMES, type StyleName } from '../../src/clock/styles/styles.ts';
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
