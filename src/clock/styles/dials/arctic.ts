import { analogStyle } from '../style.ts';

const INK = 'ink=#eaf7ff';
const CORE = 'ink=#fff 60% #fff';
const ICE = 'ink=#eaf7ff 70% #7cc9f5';

/** Deep water under ice, seen from above the pole: meridians meet in the centre, hands of ice have a bright core. */
export const arctic = analogStyle(
  { manner: 'sweep', tail: 16, spots: '0,34 0,-34 -36,0 36,0' },
  {
    shades: {
      frost: {
        from: [0.1, 0],
        to: [0.9, 1],
        stops: ['0 #ffffff', '0.4 #b9d9ec', '0.6 #e6f4fb', '1 #86b4d1'],
      },
      water: {
        at: [0.5, 0.42],
        radius: 0.62,
        stops: ['0 ground=#0a4a73', '0.6 ground=#0a4a73 80% #000', '1 ground=#0a4a73 48% #000'],
      },
    },
    under: [
      { mark: 'circle', r: 99, fill: '@frost' },
      { mark: 'ticks', of: 120, from: 88, to: 98.5, stroke: '#fff', width: 1.2, opacity: 0.55 },
      { mark: 'circle', r: 87, fill: '@water', stroke: '#fff', width: 1.4 },
      { mark: 'circle', r: 29, stroke: INK, width: 0.5, opacity: 0.28 },
      { mark: 'circle', r: 58, stroke: INK, width: 0.5, opacity: 0.28 },
      { mark: 'ticks', of: 24, from: 0, to: 70, stroke: INK, width: 0.5, opacity: 0.24 },
      { mark: 'ticks', of: 60, from: 79.5, to: 84, omitEvery: 5, stroke: INK, width: 0.8, opacity: 0.8 },
      { mark: 'ticks', of: 12, from: 72, to: 84, omitEvery: 3, stroke: INK, width: 1.6 },
      { mark: 'wedges', of: 4, points: '-2.6,-84.5 2.6,-84.5 0,-66', fill: INK },
      { mark: 'label', size: 6.8, weight: 12, fill: INK, second: ICE, letters: 'capitals', room: 48 },
    ],
    hour: [
      { mark: 'path', d: 'M-1.6 14L-5 -36L0 -53L5 -36L1.6 14z', fill: ICE },
      { mark: 'path', d: 'M0 6L-2 -35.5L0 -44L2 -35.5z', fill: CORE },
    ],
    minute: [
      { mark: 'path', d: 'M-1.4 16L-3.9 -62L0 -81L3.9 -62L1.4 16z', fill: ICE },
      { mark: 'path', d: 'M0 8L-1.5 -61.5L0 -72L1.5 -61.5z', fill: CORE },
    ],
    second: [
      { mark: 'path', d: 'M0 22V-82', stroke: 'accent=#54d2ff', width: 1.3 },
      { mark: 'circle', r: 3.8, fill: '#fff', stroke: 'accent=#54d2ff', width: 1.6 },
    ],
  },
);
