import { analogStyle } from '../style.ts';

const INK = 'ink=#eef2f5';

/** Minimal: a slab of slate, four indices, two soft hands, and a dot for the seconds. */
export const slate = analogStyle(
  { manner: 'tick', tail: 5, spots: '0,33 0,-33 -32,0 32,0' },
  {
    shades: {
      slab: { from: [0, 0], to: [0.6, 1], stops: ['0 ground=#37424d 92% #fff', '1 ground=#37424d 86% #000'] },
    },
    under: [
      { mark: 'rect', box: [-99, -99, 198, 198], round: 46, fill: '@slab' },
      { mark: 'circle', r: 82, stroke: INK, width: 1, opacity: 0.14 },
      { mark: 'ticks', of: 4, from: 60, to: 68, stroke: INK, width: 5, cap: 'round' },
      { mark: 'label', size: 7.4, weight: 13, fill: INK, second: 'ink=#eef2f5 84% ground=#37424d' },
    ],
    hour: [{ mark: 'path', d: 'M0 0V-36', stroke: INK, width: 9, cap: 'round' }],
    minute: [
      { mark: 'path', d: 'M0 0V-60', stroke: INK, width: 5.5, cap: 'round' },
      { mark: 'circle', r: 2.2, fill: 'ground=#37424d' },
    ],
    second: [{ mark: 'circle', r: 5.5, at: [0, -82], fill: 'accent=#ffb454' }],
  },
);
