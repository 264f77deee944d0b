import type { AnalogStyle } from './style.ts';

const INK = 'ink=#6d8aa3';
const HANDS = 'hands=#2b4a61';

/** Ice: a frosted ring, fine lines like the rays of a crystal, hands that one can look through. */
export const arctic: AnalogStyle = {
  definition: { family: 'analog', renderer: 'svg', manner: 'sweep' },
  dial: {
    shades: {
      frost: {
        from: [0.1, 0],
        to: [0.9, 1],
        stops: ['0 #f4fafe', '0.45 #c3d9e8', '0.6 #dcebf5', '1 #9fbdd2'],
      },
      ice: { at: [0.5, 0.42], radius: 0.6, stops: ['0 #ffffff', '0.7 #f5fafe', '1 #e3f0f8'] },
    },
    under: [
      { mark: 'circle', r: 99, fill: '@frost' },
      { mark: 'ticks', of: 120, from: 84, to: 98.5, stroke: '#fff', width: 1.1, opacity: 0.5 },
      { mark: 'circle', r: 83, fill: '@ice', stroke: '#fff', width: 1.6 },
      { mark: 'ticks', of: 60, from: 73, to: 80, omitEvery: 5, stroke: INK, width: 0.7 },
      { mark: 'ticks', of: 60, from: 69, to: 73, omit: besideHours(), stroke: INK, width: 0.7 },
      { mark: 'ticks', of: 12, from: 60, to: 80, omitEvery: 3, stroke: INK, width: 1.2 },
      { mark: 'ticks', of: 4, from: 50, to: 80, stroke: '#33566f', width: 2 },
      { mark: 'place', at: [0, 31], size: 9.5, font: ['ui', 400], fill: '#33566f', room: 70, capitals: 1.4 },
      { mark: 'offset', at: [0, 42], size: 6.8, font: ['ui', 400], fill: '#55748c' },
    ],
    hour: [
      { mark: 'path', d: 'M0 13V-12', stroke: HANDS, width: 2.4 },
      { mark: 'path', d: 'M-4.6 -12V-44L0 -51L4.6 -44V-12z', stroke: HANDS, width: 2, fill: '#ffffff66' },
    ],
    minute: [
      { mark: 'path', d: 'M0 15V-12', stroke: HANDS, width: 2.2 },
      { mark: 'path', d: 'M-3.6 -12V-70L0 -78L3.6 -70V-12z', stroke: HANDS, width: 1.7, fill: '#ffffff66' },
    ],
    second: [
      { mark: 'path', d: 'M0 22V-80', stroke: 'accent=#2f9be0', width: 1.2 },
      { mark: 'circle', r: 3.6, fill: '#fff', stroke: 'accent=#2f9be0', width: 1.6 },
    ],
  },
};

/** The minutes beside an hour have no second ray, which makes each hour stand free. */
function besideHours(): number[] {
  return Array.from({ length: 60 }, (_, minute) => minute).filter(minute => [0, 1, 4].includes(minute % 5));
}
