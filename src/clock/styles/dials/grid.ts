import { analogStyle } from '../style.ts';

const GROUND = 'ground=#fcfcfc';
const INK = 'ink=#222';
const PAPER = 'ink=#2f5f8f 45% ground=#fcfcfc';
const FINE = 'ink=#222 84% ground=#fcfcfc';

/** The side length of a square on the paper; the dial has 18 by 18 squares. */
const MODULE = 11;
const HALF = 9 * MODULE;

function paper(every: number): string {
  let path = '';
  for (let at = -HALF + every * MODULE; at < HALF; at += every * MODULE)
    path += `M${at} ${-HALF}V${HALF}M${-HALF} ${at}H${HALF}`;
  return path;
}

/** Graph paper: a square dial, indices along its edge, everything in modules. */
export const grid = analogStyle(
  { manner: 'tick', tail: 11, spots: '0,33 0,-33 -33,0 33,0' },
  {
    under: [
      { mark: 'rect', box: [-HALF, -HALF, 2 * HALF, 2 * HALF], fill: GROUND },
      { mark: 'path', d: paper(1), stroke: PAPER, width: 0.5, opacity: 0.55 },
      { mark: 'path', d: paper(3), stroke: PAPER, width: 0.9, opacity: 0.8 },
      { mark: 'rect', box: [-HALF + 1, -HALF + 1, 2 * HALF - 2, 2 * HALF - 2], stroke: INK, width: 2 },
      { mark: 'ticks', of: 60, from: 90, to: 97, omitEvery: 5, square: true, stroke: INK, width: 1 },
      { mark: 'ticks', of: 12, from: 84, to: 97, square: true, stroke: INK, width: 3 },
      { mark: 'rect', box: [-21, -76, 42, 20], fill: GROUND },
      { mark: 'rect', box: [-10, 56, 20, 20], fill: GROUND },
      { mark: 'rect', box: [56, -10, 20, 20], fill: GROUND },
      { mark: 'rect', box: [-76, -10, 20, 20], fill: GROUND },
      { mark: 'numerals', texts: ['3', '6', '9', '12'], radius: 6 * MODULE, size: 19, weight: 17, fill: INK },
      { mark: 'label', size: 6.8, weight: 15, fill: INK, second: FINE, room: 46, patch: GROUND },
    ],
    hour: [{ mark: 'rect', box: [-4.4, -44, 8.8, 55], fill: INK }],
    minute: [{ mark: 'rect', box: [-2.75, -77, 5.5, 88], fill: INK }],
    second: [
      { mark: 'path', d: 'M0 22V-88', stroke: 'accent=#e63946', width: 1.4 },
      { mark: 'rect', box: [-3.2, -3.2, 6.4, 6.4], fill: 'accent=#e63946' },
    ],
  },
);
