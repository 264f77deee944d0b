import { describe, expect, test } from 'bun:test';
import { dotsOf, segmentBits } from '../../../src/clock/figures/built_glyphs.ts';
import { type FigureSet, isNumeric, moved, rowsOf, tenths } from '../../../src/clock/figures/glyph_line.ts';
import { lineIn } from '../../../src/clock/figures/glyph_sets.ts';

const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/** The usual seven segments, with the middle one split in two. */
function sevenOf(figure: string): string {
  const bits = segmentBits(figure);
  return [...'abcdefg'].filter((_, index) => bits & (1 << index)).join('');
}

test('digits have the usual segments', () => {
  expect([...'0123456789'].map(sevenOf)).toEqual([
    ...['abcdef', 'bc', 'abdeg', 'abcdg', 'bcfg', 'acdfg', 'acdefg', 'abc', 'abcdefg', 'abcdfg'],
  ]);
});

test('digits are drawn as when people last looked at them on the contact sheet', () => {
  const sets = [
    ...['bars', 'thin', 'dots', 'board', 'heavy', 'medium', 'bold', 'soft', 'chalk', 'tube', 'inlay'],
    'block',
  ];
  const drawn = sets.map(set => lineIn(set as FigureSet)('0123456789:'));
  expect(new Bun.SHA256().update(JSON.stringify(drawn)).digest('hex').slice(0, 16)).toBe('b87a7ce33168a198');
});

test('letters differ from each other in fourteen segments, and lower case is shown as capitals', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  // O equals zero, and S equals five.
  expect(new Set(letters.map(segmentBits)).size).toBe(26);
  for (const letter of letters) expect(segmentBits(letter.toLowerCase())).toBe(segmentBits(letter));
});

test('unsupported characters are dark', () => {
  for (const character of ['é', '\u202e', '漢', '\u{1f552}']) expect(segmentBits(character)).toBe(0);
});

test('every ASCII character has distinct dots', () => {
  const pictures = new Set(ASCII.map(character => dotsOf(character).join(' ')));
  expect(pictures.size).toBe(95);
  expect(dotsOf('1').length).toBe(10);
  expect(dotsOf('é')).toEqual(dotsOf('?'));
});

/** The closed subpaths of a path, with absolute starting points. */
function subpathsOf(path: string): string[] {
  let [x, y] = [0, 0];
  return [...path.matchAll(/([Mm])(-?[\d.]+) (-?[\d.]+)([^Mm]*)/g)].flatMap(
    ([, command, right, down, rest]) => {
      [x, y] = command === 'M' ? [Number(right), Number(down)] : [x + Number(right), y + Number(down)];
      return rest === '' ? [] : `${tenths(x)} ${tenths(y)}${rest}`;
    },
  );
}

describe('a line of characters', () => {
  test('grows wider with its length, but not higher', () => {
    for (const set of ['bars', 'thin', 'dots', 'heavy', 'medium', 'tube', 'inlay', 'block'] as const) {
      const [short, long] = ['10:09', '10:09:36'].map(text => lineIn(set)(text).viewBox.split(' '));
      expect(Number(long![2])).toBeGreaterThan(Number(short![2]));
      expect(long![3]).toBe(short![3]!);
    }
  });

  test('has seven segments per character, or fourteen if it may contain letters', () => {
    const segmentsOf = (set: 'bars' | 'bars14') => {
      const { unlit } = lineIn(set)('1');
      return unlit.split('z').length - 1;
    };
    expect(segmentsOf('bars')).toBe(7);
    expect(segmentsOf('bars14')).toBe(14);
  });

  test('lights only existing segments, whatever it shows', () => {
    const all = lineIn('thin')('88:88').unlit;
    for (const text of ['01:23', '45:67', '89:00']) {
      const { lit, tail, unlit } = lineIn('thin')(text);
      expect(unlit).toBe(all);
      const segments = new Set(subpathsOf(all));
      const dots = subpathsOf(lit + tail).filter(segment => !segments.has(segment));
      expect(dots.length).toBe(2);
    }
  });

  test('has its last two characters separately', () => {
    for (const set of ['bars', 'dots', 'medium'] as const) {
      const [one, other] = ['10:09:36', '10:09:37'].map(text => lineIn(set)(text));
      expect(one!.lit).toBe(other!.lit);
      expect(one!.tail).not.toBe(other!.tail);
      expect(lineIn(set)('36').lit).toBe('');
    }
  });

  test('can be drawn for any text', () => {
    for (const set of ['bars', 'dots', 'inlay', 'block'] as const) {
      for (const text of ['', ' ', '\n\t', 'é漢\u202e', '"><script>', 'x'.repeat(4096)]) {
        const { viewBox, lit, tail, unlit } = lineIn(set)(text);
        expect(viewBox).toMatch(/^(-?[\d.]+ ){2}[\d.]+ [\d.]+$/);
        expect(lit + tail + unlit).toMatch(/^[MmlhvazcHV\d.\s-]*$/);
      }
    }
  });

  test('in segments has one absolute position per character, however many segments it has', () => {
    const { lit, unlit } = lineIn('bars14')('W8'.repeat(120));
    expect([lit, unlit].map(path => path.match(/M/g)!.length)).toEqual([238, 240]);
  });
});

test('a long text breaks between words, and a longer one has rows that fill a face', () => {
  expect(rowsOf('Saturday, 18 April 10:09')).toEqual(['Saturday, 18 April', '10:09']);
  expect(rowsOf('10:09:36')).toEqual(['10:09:36']);
  expect(rowsOf('a\nb')).toEqual(['a b']);
  expect(rowsOf('x'.repeat(30)).map(row => row.length)).toEqual([18, 12]);
  expect(rowsOf('word '.repeat(800)).join('').length).toBeLessThanOrEqual(240);
});

test('a path is moved by its starting points only', () => {
  expect(moved('M1 2l3 4zM-1.5 0h2', 10, 0.5)).toBe('M11 2.5l3 4zM8.5 0.5h2');
});

test('a digits-only pattern is distinguished from others', () => {
  for (const pattern of ['%H:%M:%S', '%I.%M', '%-H:%M', '%F', '%s', '12:34'])
    expect([pattern, isNumeric(pattern)]).toEqual([pattern, true]);
  for (const pattern of ['%A', '%p', '%H h', '%z', '%D', '%', '%%H', '%x', '%5H'])
    expect([pattern, isNumeric(pattern)]).toEqual([pattern, false]);
});

describe('the alphabet', () => {
  test('has every ASCII character in every set of letters', () => {
    for (const set of ['letters', 'spaced', 'mono', 'heavy', 'board'] as const)
      for (const character of ASCII)
        expect([character, lineIn(set)(character).type]).toEqual([character, undefined]);
  });

  test('has European letters, with accents above them', () => {
    const highest = (text: string) =>
      Math.min(
        ...[...lineIn('letters')(text).tail.matchAll(/M-?[\d.]+ (-?[\d.]+)/g)].map(([, y]) => Number(y)),
      );
    for (const letter of 'àéîõüåčňşźő')
      expect([letter, lineIn('letters')(letter).type]).toEqual([letter, undefined]);
    expect(highest('É')).toBeLessThan(highest('é'));
    expect(highest('é')).toBeLessThan(highest('e'));
  });

  test('gives every typewriter character the same width', () => {
    const widths = ASCII.map(character => lineIn('mono')(character).viewBox.split(' ')[2]);
    expect(new Set(widths)).toEqual(new Set(['70']));
  });

  test('gives all digits of a set the same width', () => {
    for (const set of ['letters', 'heavy', 'inlay', 'block'] as const) {
      const widths = [...'0123456789'].map(figure => lineIn(set)(figure).viewBox);
      expect(new Set(widths).size).toBe(1);
    }
  });

  test('leaves other scripts to a font, in a box of their own', () => {
    const { viewBox, lit, tail, type, length } = lineIn('letters')('\u6771\u4eac');
    expect({ viewBox, lit, tail, type, length }).toEqual({
      viewBox: '0 -32 261 164',
      lit: '',
      tail: '',
      type: '\u6771\u4eac',
      length: 261,
    });
  });
});
