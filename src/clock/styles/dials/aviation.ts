import type { Mark } from '../../drawing/dial.tsx';
import { analogStyle } from '../style.ts';

const INK = 'ink=#f2f4e8';
const ACCENT = 'accent=#ff7a1a';
const LUME = 'ink=#f2f4e8 75% #c4e69a';
const FINE = 'ink=#f2f4e8 84% ground=#0e1013';

/** A screw with its slot, turned as it happened to be tightened. */
function screw(x: number, y: number, degrees: number): Mark[] {
  const radians = (degrees / 180) * Math.PI;
  const [right, down] = [Math.cos(radians) * 5, Math.sin(radians) * 5].map(
    part => Math.round(part * 10) / 10,
  );
  return [
    { mark: 'circle', at: [x, y], r: 7, fill: '@screw', stroke: '#05060a', width: 1 },
    {
      mark: 'path',
      d: `M${x - right!} ${y - down!}L${x + right!} ${y + down!}`,
      stroke: '#090b0d',
      width: 2,
    },
  ];
}

/** A cockpit instrument: a square bezel with four screws, a triangle at twelve, hands that shine in the dark. */
export const aviation = analogStyle(
  { manner: 'sweep', tail: 18, spots: '0,-38 -31,-29 31,-29 0,24 -31,29 31,29' },
  {
    shades: {
      case: { from: [0, 0], to: [0, 1], stops: ['0 #3b4046', '0.06 #2a2e33', '1 #16191c'] },
      screw: { from: [0, 0], to: [1, 1], stops: ['0 #8b9299', '1 #454b51'] },
    },
    shadow: { down: 1.5, blur: 1, opacity: 0.7 },
    under: [
      { mark: 'rect', box: [-99, -99, 198, 198], round: 16, fill: '@case' },
      ...screw(-83, -83, 25),
      ...screw(83, -83, 70),
      ...screw(83, 83, 118),
      ...screw(-83, 83, 160),
      { mark: 'circle', r: 95, fill: '#08090b' },
      { mark: 'circle', r: 92.5, fill: 'ground=#0e1013', stroke: '#34393f', width: 1 },
      { mark: 'ticks', of: 60, from: 84, to: 89.5, omitEvery: 5, stroke: INK, width: 1.3 },
      { mark: 'ticks', of: 12, from: 80, to: 89.5, omit: [0], stroke: INK, width: 3.2 },
      {
        mark: 'numerals',
        texts: ['5', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55', ''],
        radius: 71.5,
        size: 7.4,
        weight: 15,
        fill: INK,
        opacity: 0.8,
      },
      { mark: 'numerals', texts: ['3', '6', '9', ''], radius: 50, size: 21, weight: 17, fill: INK },
      { mark: 'path', d: 'M0 -68L9.5 -85H-9.5z', fill: INK },
      { mark: 'circle', r: 2.7, at: [-13.5, -78], fill: INK },
      { mark: 'circle', r: 2.7, at: [13.5, -78], fill: INK },
      { mark: 'label', size: 6.8, weight: 16, fill: INK, second: FINE, letters: 'capitals', room: 46 },
    ],
    hour: [
      { mark: 'path', d: 'M0 16V-30', stroke: INK, width: 4.4 },
      { mark: 'path', d: 'M-2.6 -12L-6.6 -40L0 -54L6.6 -40L2.6 -12z', fill: INK },
      { mark: 'path', d: 'M-1.6 -17L-4.4 -39.4L0 -48.8L4.4 -39.4L1.6 -17z', fill: LUME },
    ],
    minute: [
      { mark: 'path', d: 'M0 18V-30', stroke: INK, width: 3.6 },
      { mark: 'path', d: 'M-2.2 -12L-5 -68L0 -83L5 -68L2.2 -12z', fill: INK },
      { mark: 'path', d: 'M-1.2 -18L-3 -67.4L0 -76.5L3 -67.4L1.2 -18z', fill: LUME },
    ],
    second: [
      { mark: 'path', d: 'M0 30V-86', stroke: ACCENT, width: 1.7 },
      { mark: 'path', d: 'M-2.6 30H2.6L2 10H-2z', fill: ACCENT },
      { mark: 'circle', r: 5, fill: ACCENT },
      { mark: 'circle', r: 1.8, fill: 'ground=#0e1013' },
    ],
  },
);
