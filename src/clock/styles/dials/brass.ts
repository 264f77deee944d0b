import { analogStyle } from '../style.ts';

const INK = 'ink=#2a2419';
const HANDS = 'accent=#1f3563';

/** Ivory enamel in polished brass, Roman numerals, a railway track, blued spade hands. */
export const brass = analogStyle(
  { manner: 'tick', tail: 17, spots: '0,-31 0,31 -31,0 31,0 -10,-30 10,-30 -10,30 10,30' },
  {
    shades: {
      brass: {
        from: [0.1, 0],
        to: [0.9, 1],
        stops: ['0 #f7e7b0', '0.22 #b08d3c', '0.42 #f3dd98', '0.62 #8a6a24', '0.82 #d8ba67', '1 #6f531a'],
      },
      inner: { from: [0.9, 1], to: [0.1, 0], stops: ['0 #f3dd98', '0.5 #a07c30', '1 #5d4515'] },
      enamel: {
        at: [0.45, 0.4],
        radius: 0.62,
        stops: ['0 ground=#f6efdc 80% #fff', '0.8 ground=#f6efdc', '1 ground=#f6efdc 92% #000'],
      },
    },
    shadow: { down: 1, blur: 0.8, opacity: 0.35 },
    under: [
      { mark: 'circle', r: 99, fill: '@brass' },
      { mark: 'circle', r: 90, fill: '@inner' },
      { mark: 'circle', r: 87, fill: '@enamel' },
      { mark: 'circle', r: 83, stroke: INK, width: 0.7 },
      { mark: 'circle', r: 77.5, stroke: INK, width: 0.7 },
      { mark: 'ticks', of: 60, from: 77.5, to: 83, stroke: INK, width: 0.8 },
      { mark: 'ticks', of: 12, from: 77.5, to: 83, stroke: INK, width: 2.8 },
      {
        mark: 'numerals',
        texts: ['I', 'II', 'III', 'IIII', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'],
        radius: 63.5,
        size: 16,
        weight: 'roman',
        radial: true,
        condense: 0.8,
        fill: INK,
      },
      { mark: 'label', size: 7.2, weight: 10, fill: INK, second: 'ink=#2a2419 84% ground=#f6efdc', room: 44 },
    ],
    hour: [
      {
        mark: 'path',
        d: 'M-1.7 14L-1.5 -24C-3 -27 -9.5 -26 -9.5 -33C-9.5 -39 -3.4 -42 0 -54C3.4 -42 9.5 -39 9.5 -33C9.5 -26 3 -27 1.5 -24L1.7 14z',
        fill: HANDS,
      },
    ],
    minute: [
      {
        mark: 'path',
        d: 'M-1.5 17L-1.2 -46C-2.4 -49 -6.4 -48.5 -6.4 -54C-6.4 -59 -2 -64 0 -80C2 -64 6.4 -59 6.4 -54C6.4 -48.5 2.4 -49 1.2 -46L1.5 17z',
        fill: HANDS,
      },
    ],
    second: [
      { mark: 'path', d: 'M0 16V-82', stroke: HANDS, width: 0.9 },
      {
        mark: 'path',
        d: 'M0 16A6 6 0 1 0 5.6 24.3A6.6 6.6 0 0 1 0 26.5A6.6 6.6 0 0 1 -5.6 24.3A6 6 0 0 0 0 16z',
        fill: HANDS,
      },
      { mark: 'circle', r: 3.4, fill: HANDS },
      { mark: 'circle', r: 1.4, fill: '#d8ba67' },
    ],
  },
);
