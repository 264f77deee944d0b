import { analogStyle } from '../style.ts';

const INK = 'ink=#d9dde2';
const FINE = 'ink=#d9dde2 84% ground=#2a2d31';

/** Brushed dark metal, slim light batons, a teal second hand. */
export const graphite = analogStyle(
  { manner: 'sweep', tail: 12, spots: '0,34 0,-34 -37,0 37,0' },
  {
    shades: {
      case: { from: [0.15, 0], to: [0.85, 1], stops: ['0 #6a7077', '0.5 #33373c', '1 #191b1e'] },
      metal: {
        at: [0.38, 0.28],
        radius: 0.8,
        stops: ['0 ground=#2a2d31 80% #fff', '0.55 ground=#2a2d31', '1 ground=#2a2d31 75% #000'],
      },
    },
    shadow: { down: 1.6, blur: 1.4, opacity: 0.55 },
    under: [
      { mark: 'circle', r: 99, fill: '@case' },
      { mark: 'circle', r: 95, fill: '#131517' },
      { mark: 'circle', r: 93.5, fill: '@metal' },
      { mark: 'ticks', of: 144, from: 4, to: 93, stroke: '#fff', width: 0.5, opacity: 0.07 },
      { mark: 'ticks', of: 100, from: 12, to: 93, stroke: '#000', width: 0.6, opacity: 0.2 },
      { mark: 'ticks', of: 60, from: 88.4, to: 90.4, omitEvery: 5, stroke: INK, width: 1, opacity: 0.55 },
      { mark: 'ticks', of: 12, from: 70, to: 90, omit: [0], stroke: INK, width: 2.2 },
      { mark: 'path', d: 'M-3 -90V-70M3 -90V-70', stroke: INK, width: 2.4 },
      { mark: 'label', size: 6.8, weight: 12, fill: INK, second: FINE, letters: 'capitals' },
    ],
    hour: [{ mark: 'path', d: 'M0 12V-50', stroke: 'ink=#d9dde2', width: 4.2 }],
    minute: [{ mark: 'path', d: 'M0 12V-80', stroke: 'ink=#d9dde2', width: 2.9 }],
    second: [
      { mark: 'path', d: 'M0 24V-87', stroke: 'accent=#4fd1c5', width: 1.3 },
      { mark: 'circle', r: 4, fill: 'accent=#4fd1c5' },
      { mark: 'circle', r: 1.5, fill: 'ground=#2a2d31 75% #000' },
    ],
  },
);
