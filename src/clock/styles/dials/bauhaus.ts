import { analogStyle } from '../style.ts';

const INK = 'ink=#1c1c1c';
const FINE = 'ink=#1c1c1c 84% ground=#f6f1e6';

/** After Max Bill: thin figures, slender hands, and colours with a meaning: blue for hours, yellow for the quarter, red for seconds. */
export const bauhaus = analogStyle(
  { manner: 'sweep', tail: 15, spots: '0,-33 0,34 -34,0 34,0', hasSector: true },
  {
    under: [
      { mark: 'circle', r: 99, fill: 'ground=#f6f1e6' },
      { mark: 'circle', r: 98.4, stroke: 'ground=#f6f1e6 86% ink=#1c1c1c', width: 1.2 },
      { mark: 'sector', fill: 'accent=#f5ae00 82% ground=#f6f1e6' },
      { mark: 'ticks', of: 60, from: 81, to: 85.5, omitEvery: 5, stroke: FINE, width: 0.7 },
      { mark: 'ticks', of: 12, from: 77.5, to: 85.5, stroke: INK, width: 1.3 },
      {
        mark: 'numerals',
        texts: ['5', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55', '60'],
        radius: 91.3,
        size: 5.2,
        weight: 10,
        fill: FINE,
      },
      {
        mark: 'numerals',
        texts: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'],
        radius: 66.5,
        size: 13.5,
        weight: 6.5,
        fill: INK,
      },
      { mark: 'label', size: 6.6, weight: 11, fill: INK, second: FINE, letters: 'small', room: 46 },
    ],
    hour: [{ mark: 'path', d: 'M-3.6 13L-1.7 -47H1.7L3.6 13z', fill: 'ink=#1d3f8f' }],
    minute: [
      { mark: 'path', d: 'M-2.6 15L-1.1 -78H1.1L2.6 15z', fill: INK },
      { mark: 'circle', r: 3.6, fill: INK },
    ],
    second: [
      { mark: 'path', d: 'M0 20V-78', stroke: 'accent=#d8232a', width: 0.8 },
      { mark: 'circle', r: 5.4, at: [0, -52], fill: 'accent=#d8232a' },
      { mark: 'circle', r: 2.1, fill: 'accent=#d8232a' },
    ],
  },
);
