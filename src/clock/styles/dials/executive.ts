import { analogStyle } from '../style.ts';

const LIGHT = 'accent=#f0d483';
const DARK = 'accent=#d1a93a 72% ground=#000';
const FINE = 'ink=#f5efe0 84% ground=#000';

/** Black lacquer, gold batons and dauphine hands cut in two facets, the date at three. */
export const executive = analogStyle(
  { manner: 'tick', date: '%-d', tail: 15, spots: '0,-36 0,36 -36,0' },
  {
    shades: {
      gold: {
        from: [0.15, 0],
        to: [0.85, 1],
        stops: ['0 #fbeebb', '0.3 #d4af37', '0.5 #f4dd8c', '0.75 #8f6d15', '1 #d4af37'],
      },
      lacquer: {
        at: [0.4, 0.25],
        radius: 0.75,
        stops: ['0 ground=#0b0b0d 86% #fff', '0.5 ground=#0b0b0d', '1 ground=#0b0b0d 60% #000'],
      },
    },
    shadow: { down: 1.4, blur: 1, opacity: 0.8 },
    under: [
      { mark: 'circle', r: 99, fill: '@gold' },
      { mark: 'circle', r: 94, fill: '#0a0a0b' },
      { mark: 'circle', r: 92.6, fill: '@lacquer' },
      { mark: 'ticks', of: 60, from: 87, to: 90, omitEvery: 5, stroke: LIGHT, width: 0.8, opacity: 0.75 },
      { mark: 'wedges', of: 12, omit: [0, 3], points: '0,-90 -2.4,-88 -1.9,-68 0,-65.5', fill: LIGHT },
      { mark: 'wedges', of: 12, omit: [0, 3], points: '0,-90 2.4,-88 1.9,-68 0,-65.5', fill: DARK },
      {
        mark: 'path',
        d: 'M-3.6 -90L-6 -88L-5.5 -65L-3.6 -62.5zM3.6 -90L1.2 -88L1.7 -65L3.6 -62.5z',
        fill: LIGHT,
      },
      {
        mark: 'path',
        d: 'M-3.6 -90L-1.2 -88L-1.7 -65L-3.6 -62.5zM3.6 -90L6 -88L5.5 -65L3.6 -62.5z',
        fill: DARK,
      },
      { mark: 'rect', box: [60, -9.5, 25, 19], round: 1.5, fill: '#f5efe0', stroke: '@gold', width: 1.8 },
      { mark: 'date', at: [72.5, 0], size: 10.5, weight: 17, fill: '#141414' },
      { mark: 'label', size: 6.8, weight: 10, fill: 'ink=#f5efe0', second: FINE, letters: 'capitals' },
    ],
    hour: [
      { mark: 'path', d: 'M0 13L-5.8 0L0 -53z', fill: LIGHT },
      { mark: 'path', d: 'M0 13L5.8 0L0 -53z', fill: DARK },
    ],
    minute: [
      { mark: 'path', d: 'M0 15L-4.6 0L0 -84z', fill: LIGHT },
      { mark: 'path', d: 'M0 15L4.6 0L0 -84z', fill: DARK },
    ],
    second: [
      { mark: 'path', d: 'M0 24V-88', stroke: 'accent=#f5e3a8', width: 0.9 },
      { mark: 'circle', r: 2.6, fill: 'accent=#f5e3a8' },
      { mark: 'circle', r: 1, fill: '#0a0a0b' },
    ],
  },
);
