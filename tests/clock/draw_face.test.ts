import { describe, expect, test } from 'bun:test';
import { drawFace } from '../../src/clock/draw_face.tsx';
import { flapsOf } from '../../src/clock/figures/layout.ts';
import { STYLE_NAMES, type StyleName } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { configOf, SHOWN_MOMENT } from './faces_page.ts';
import { HOSTILE_TEXTS } from './hostile_texts.ts';

const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s[^\s=<>"]+="[^"<>]*"|\s[^\s=<>"/]+)*)\s*(\/?)>/g;

/** Reads markup strictly; the names of its elements in their order. */
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
  test('is well-formed, whatever is to be shown', () => {
    for (const format of FORMATS) elementsOf(drawFace(configOf(style, { format }), SHOWN_MOMENT, 'c1'));
  });

  test('has the same elements for a hostile place as for a kind one', () => {
    const elements = (label: string) =>
      elementsOf(drawFace(configOf(style, { timezone_label: label }), SHOWN_MOMENT, 'c1'));
    for (const label of HOSTILE_TEXTS) expect(elements(label)).toEqual(elements('Europe/Paris'));
  });

  test('has ids of its own, and refers to no others', () => {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'clock-7');
    const ids = [...markup.matchAll(/\sid="([^"]*)"/g)].map(match => match[1]!);
    const references = [...markup.matchAll(/url\(#([^)]*)\)|href="#([^"]*)"/g)].map(
      match => match[1] ?? match[2]!,
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toStartWith('clock-7-');
    for (const reference of references) expect(ids).toContain(reference);
  });

  test('is a timer with place and time in words, its drawing hidden from who cannot see it', () => {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'c1');
    expect(markup).toStartWith(
      `<div class="service-clock sc-${style.split('-')[0]}" data-style="${style}" role="timer" aria-label="Time in Tokyo">`,
    );
    expect(markup).toContain('datetime="2026-04-18T10:09:36+09:00">10:09, Saturday, April 18, 2026</time>');
    expect(markup).toMatch(/<(svg|div) class="sc-(dial|face|face sc-typed)"[^>]* aria-hidden="true"/);
  });

  test('has nothing that a strict policy forbids', () => {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'c1');
    expect(markup).not.toMatch(/\sstyle=|<style|<script|\son\w+=|javascript:|https?:/);
  });

  test('is drawn of two places at once without mixing them up', () => {
    const paris = drawFace(configOf(style, { timezone_label: 'Paris' }), SHOWN_MOMENT, 'c1');
    const tokyo = drawFace(configOf(style), SHOWN_MOMENT, 'c2');
    expect(paris).not.toContain('Tokyo');
    expect(tokyo).not.toContain('Paris');
    expect(tokyo.replaceAll('c2-', 'c1-').replaceAll('Tokyo', 'Paris')).toBe(paris);
  });
});

test('a hostile text is shown as what it is', () => {
  const format = `${HOSTILE_TEXTS[0]} & ${HOSTILE_TEXTS[2]}`;
  const shown = drawFace(configOf('digital-slate', { format }), SHOWN_MOMENT, 'c1');
  expect(shown).toContain(
    '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#x27; onmouseover=&#x27;alert(1)',
  );
  const labelled = drawFace(configOf('analog-grid', { timezone_label: '"><b>' }), SHOWN_MOMENT, 'c1');
  expect(labelled).toContain('aria-label="Time in &quot;&gt;&lt;b&gt;"');
});

test('a long name is written smaller on a dial', () => {
  const sizeOf = (timezone_label: string) =>
    Number(
      /font-size="([\d.]+)" class="sc-place/.exec(
        drawFace(configOf('analog-station', { timezone_label }), SHOWN_MOMENT, 'c1'),
      )![1],
    );
  expect(sizeOf('Asia/Tokyo')).toBe(9.5);
  expect(sizeOf('America/Argentina/ComodRivadavia')).toBeLessThan(9);
  expect(sizeOf('x'.repeat(500))).toBeLessThan(1);
});

test('a face of figures says how long its name is', () => {
  const lengthOf = (timezone_label: string) =>
    /data-long="(\w*)"/.exec(drawFace(configOf('digital-card', { timezone_label }), SHOWN_MOMENT, 'c1'))![1];
  expect(['Caracas', 'Casablanca', 'Port of Spain', 'DumontDUrville'].map(lengthOf)).toEqual([
    ...['', 'long', 'longer', 'longest'],
  ]);
});

test('faces of the ends of time are drawn', () => {
  for (const epochMs of [-8.64e15, 8.64e15]) {
    for (const style of STYLE_NAMES satisfies readonly StyleName[])
      elementsOf(drawFace(configOf(style), new Moment(epochMs, 0, 'UTC'), 'c1'));
  }
});

test('flaps are capitals on cards, colons, and room between words', () => {
  expect(flapsOf('1: a')).toEqual([
    { kind: 'card', character: '1' },
    { kind: 'colon', character: ':' },
    { kind: 'gap', character: ' ' },
    { kind: 'card', character: 'A' },
  ]);
  expect(flapsOf('x'.repeat(4096)).length).toBe(200);
});

test('a clock that is named by its offset says it once, a small dial too', () => {
  for (const style of STYLE_NAMES) {
    for (const [timezone_label, hours, offset] of [
      ['UTC', 0, '+00:00'],
      ['UTC-04:00', -4, '\u221204:00'],
    ] as const) {
      const moment = new Moment(SHOWN_MOMENT.epochMs, hours * 3600, '');
      const markup = drawFace(configOf(style, { timezone_label }), moment, 'c1');
      const shown = markup.match(/>[^<>]*(?:UTC|[+\u2212]\d\d:\d\d)[^<>]*</g)!.map(text => text.slice(1, -1));
      if (style.startsWith('digital-')) expect(shown.toSorted()).toEqual([offset, 'UTC'].toSorted());
      else expect(shown).toEqual([hours === 0 ? 'UTC' : `UTC${offset}`]);
      expect(markup).toContain(`aria-label="Time in ${timezone_label}"`);
    }
  }
});

test('no element has a class twice', () => {
  for (const style of STYLE_NAMES) {
    const markup = drawFace(configOf(style), SHOWN_MOMENT, 'c1');
    for (const [, classes] of markup.matchAll(/ class="([^"]*)"/g)) {
      const names = classes!.split(' ');
      expect(names).toEqual([...new Set(names)]);
    }
  }
});
