import type { AnalogStyle } from './style.ts';

/** A railway station clock after H. Hilfiker: batons, no figures, a red disc that waits for the full minute. */
export const station: AnalogStyle = {
  definition: { family: 'analog', renderer: 'svg', manner: 'station' },
  dial: {
    definitions: [
      {
        shade: 'linear',
        name: 'rim',
        from: [0.2, 0],
        to: [0.8, 1],
        stops: ['0 #e9ebed', '0.5 #a9aeb3', '1 #7d8389'],
      },
    ],
    shadow: { down: 1.2, blur: 1, opacity: 0.25 },
    under: [
      { mark: 'circle', r: 99, fill: '@rim' },
      { mark: 'circle', r: 94.5, fill: 'ground=#fff', stroke: '#5d6368', width: 0.8 },
      { mark: 'ticks', of: 60, from: 83.5, to: 91, omitEvery: 5, stroke: 'ink=#111', width: 2.8 },
      { mark: 'ticks', of: 12, from: 68.5, to: 91, stroke: 'ink=#111', width: 7 },
      {
        mark: 'writing',
        text: 'place',
        at: [0, 34],
        size: 9.5,
        font: ['sans', 600],
        fill: 'ink=#111',
        room: 70,
      },
      { mark: 'writing', text: 'offset', at: [0, 45], size: 6.4, font: ['sans', 400], fill: '#5d6368' },
    ],
    hour: [{ mark: 'path', d: 'M-5.2 -61H5.2L6.4 22H-6.4z', fill: 'ink=#111' }],
    minute: [{ mark: 'path', d: 'M-3.6 -89H3.6L5 22H-5z', fill: 'ink=#111' }],
    second: [
      { mark: 'path', d: 'M0 -60V31', stroke: 'accent=#d9001b', width: 2.6 },
      { mark: 'circle', r: 10.2, at: [0, -60], fill: 'accent=#d9001b' },
      { mark: 'circle', r: 3, fill: 'accent=#d9001b' },
    ],
  },
};
