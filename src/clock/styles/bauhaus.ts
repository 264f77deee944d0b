import type { AnalogStyle } from './style.ts';

const INK = 'ink=#1c1c1c';
const ACCENT = 'accent=#d8232a';

/** Primary colours and elementary shapes: a bar, a line, a disc, a quarter of a round. */
export const bauhaus: AnalogStyle = {
  definition: { family: 'analog', renderer: 'svg', manner: 'tick' },
  dial: {
    under: [
      { mark: 'circle', r: 99, fill: 'ground=#f4efe4' },
      { mark: 'circle', r: 98.4, stroke: '#d9d0bd', width: 1.2 },
      { mark: 'path', d: 'M0 0H58A58 58 0 0 1 0 58z', fill: 'sector=#f2b705' },
      { mark: 'ticks', of: 60, from: 91, to: 94.5, omitEvery: 5, stroke: '#1c1c1c', width: 0.7 },
      { mark: 'ticks', of: 12, from: 87.5, to: 94.5, stroke: '#1c1c1c', width: 1.4 },
      {
        mark: 'numerals',
        texts: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'],
        radius: 75,
        size: 17,
        font: ['geometric', 300],
        fill: INK,
        nudges: { 9: [1.5, 0], 10: [0.5, 0] },
      },
      {
        mark: 'place',
        at: [0, -52.5],
        size: 8.5,
        font: ['geometric', 400],
        fill: INK,
        room: 62,
        small: true,
      },
      { mark: 'offset', at: [0, -43], size: 6.6, font: ['geometric', 400], fill: '#5c574c' },
    ],
    hour: [{ mark: 'rect', box: [-5, -48, 10, 60], fill: 'hour=#1d3f8f' }],
    minute: [{ mark: 'rect', box: [-1.8, -85, 3.6, 97], fill: INK }],
    second: [
      { mark: 'path', d: 'M0 22V-92', stroke: ACCENT, width: 0.9 },
      { mark: 'circle', r: 8, at: [0, -42], fill: ACCENT },
      { mark: 'circle', r: 2.4, fill: ACCENT },
    ],
  },
};
