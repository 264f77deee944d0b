import { analogStyle } from '../style.ts';

const INK = 'ink=#111';
const ACCENT = 'accent=#d9001b';

/** A railway station clock after H. Hilfiker: batons, no figures, a red disc that waits for the full minute. */
export const station = analogStyle(
  { manner: 'station', tail: 22.5, spots: '0,42 0,-42 -42,0 42,0' },
  {
    shades: {
      rim: { from: [0.2, 0], to: [0.8, 1], stops: ['0 #e9ebed', '0.5 #a9aeb3', '1 #7d8389'] },
    },
    shadow: { down: 1.2, blur: 1, opacity: 0.25 },
    under: [
      { mark: 'circle', r: 99, fill: '@rim' },
      { mark: 'circle', r: 94.5, fill: 'ground=#fff', stroke: '#5d6368', width: 0.8 },
      { mark: 'ticks', of: 60, from: 84.4, to: 91, omitEvery: 5, stroke: INK, width: 2.6 },
      { mark: 'ticks', of: 12, from: 68.5, to: 91, stroke: INK, width: 6.6 },
      { mark: 'label', size: 6.8, weight: 15, fill: INK, second: 'ink=#111 84% ground=#fff' },
    ],
    hour: [{ mark: 'path', d: 'M-4.9 -60H4.9L6 22.5H-6z', fill: INK }],
    minute: [{ mark: 'path', d: 'M-3.4 -86.3H3.4L4.9 22.5H-4.9z', fill: INK }],
    second: [
      { mark: 'path', d: 'M0 -58.5V31', stroke: ACCENT, width: 2.6 },
      { mark: 'circle', r: 9.9, at: [0, -58.5], fill: ACCENT },
      { mark: 'circle', r: 3, fill: ACCENT },
    ],
  },
);
