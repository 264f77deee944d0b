import type { AnalogStyle } from './style.ts';

const INK = 'ink=#eef2f5';

/** Next to nothing: a slab of slate, four indices, two soft hands, and a dot for the seconds. */
export const slate: AnalogStyle = {
  definition: { family: 'analog', renderer: 'svg', manner: 'tick' },
  dial: {
    shades: {
      slab: { from: [0, 0], to: [0.6, 1], stops: ['0 ground=#43505d', '1 ground=#2f3943'] },
    },
    under: [
      { mark: 'rect', box: [-99, -99, 198, 198], round: 46, fill: '@slab' },
      { mark: 'circle', r: 82, stroke: INK, width: 1, opacity: 0.14 },
      { mark: 'ticks', of: 4, from: 60, to: 68, stroke: INK, width: 5, cap: 'round' },
      { mark: 'place', at: [0, 31], size: 11, font: ['ui', 500], fill: INK, room: 76 },
      { mark: 'offset', at: [0, 43.5], size: 7.6, font: ['ui', 400], fill: '#b9c4ce' },
    ],
    hour: [{ mark: 'path', d: 'M0 0V-36', stroke: INK, width: 9, cap: 'round' }],
    minute: [
      { mark: 'path', d: 'M0 0V-60', stroke: INK, width: 5.5, cap: 'round' },
      { mark: 'circle', r: 2.2, fill: '#37424d' },
    ],
    second: [{ mark: 'circle', r: 5.5, at: [0, -82], fill: 'accent=#ffb454' }],
  },
};
