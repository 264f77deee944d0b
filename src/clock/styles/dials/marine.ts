import { analogStyle } from '../style.ts';

const INK = 'ink=#0b2545';
const HANDS = 'ink=#0a0d14';
const FINE = 'ink=#0b2545 84% ground=#fdfdfb';

/** The centre of the small seconds dial. */
const SECONDS = [0, 45.5] as const;

/** A ship's chronometer: tall Roman numerals, leaf hands, and a small seconds dial at six. */
export const marine = analogStyle(
  { manner: 'tick', tail: 11, spots: '0,-33 -34,2 34,2' },
  {
    shades: {
      steel: { from: [0.2, 0], to: [0.8, 1], stops: ['0 #1d4377', '0.5 #0b2545', '1 #061630'] },
    },
    under: [
      { mark: 'circle', r: 99, fill: '@steel' },
      { mark: 'circle', r: 93.2, stroke: '#8d99ae', width: 0.8 },
      { mark: 'circle', r: 91, fill: 'ground=#fdfdfb' },
      { mark: 'circle', r: 87.5, stroke: INK, width: 0.7 },
      { mark: 'circle', r: 82, stroke: INK, width: 0.7 },
      { mark: 'ticks', of: 60, from: 82, to: 87.5, omitEvery: 5, stroke: INK, width: 0.9 },
      { mark: 'wedges', of: 12, points: '0,-88 2.2,-84.75 0,-81.5 -2.2,-84.75', fill: INK },
      {
        mark: 'numerals',
        texts: ['I', 'II', 'III', 'IIII', 'V', '', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'],
        radius: 66.5,
        size: 20,
        weight: 'roman',
        radial: true,
        condense: 0.6,
        fill: INK,
      },
      { mark: 'circle', r: 23.5, at: SECONDS, fill: 'ground=#fdfdfb', stroke: INK, width: 0.8 },
      { mark: 'ticks', of: 60, from: 21, to: 23.5, at: SECONDS, omitEvery: 5, stroke: INK, width: 0.5 },
      { mark: 'ticks', of: 12, from: 19, to: 23.5, at: SECONDS, stroke: INK, width: 1 },
      {
        mark: 'numerals',
        texts: ['15', '30', '45', '60'],
        radius: 13.8,
        size: 5,
        at: SECONDS,
        weight: 12,
        fill: INK,
      },
      { mark: 'label', size: 6.6, weight: 11, fill: INK, second: FINE, letters: 'capitals', room: 42 },
    ],
    secondAt: SECONDS,
    hour: [
      {
        mark: 'path',
        d: 'M-1.3 9V0C-1 -14 -6 -22 -4.6 -34C-3.6 -42 -0.8 -46 0 -53C0.8 -46 3.6 -42 4.6 -34C6 -22 1 -14 1.3 0V9z',
        fill: HANDS,
      },
      { mark: 'circle', r: 5, fill: HANDS },
    ],
    minute: [
      {
        mark: 'path',
        d: 'M-1.1 11V0C-0.8 -20 -4.4 -32 -3.4 -52C-2.6 -66 -0.6 -74 0 -82C0.6 -74 2.6 -66 3.4 -52C4.4 -32 0.8 -20 1.1 0V11z',
        fill: HANDS,
      },
      { mark: 'circle', r: 4, fill: HANDS },
      { mark: 'circle', r: 1.5, fill: '#8d99ae' },
    ],
    second: [
      { mark: 'path', d: 'M0 7V-20', stroke: 'accent=#0a0d14', width: 0.9 },
      { mark: 'circle', r: 2.1, fill: 'accent=#0a0d14' },
    ],
  },
);
