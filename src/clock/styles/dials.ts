import { type AnalogStyle, analogStyle, type Mark } from './style.ts';

/** A screw with its slot, turned as it happened to be tightened. */
function screw(x: number, y: number, degrees: number): Mark[] {
  const radians = (degrees / 180) * Math.PI;
  const [right, down] = [Math.cos(radians) * 5, Math.sin(radians) * 5].map(
    part => Math.round(part * 10) / 10,
  );
  return [
    { circle: 7, at: [x, y], fill: '@screw', stroke: '#05060a', width: 1 },
    { path: `M${x - right!} ${y - down!}L${x + right!} ${y + down!}`, stroke: '#090b0d', width: 2 },
  ];
}

/** The centre of the small seconds dial. */
const SMALL_SECONDS = [0, 45.5] as const;

const ROMAN = 'I II III IIII V VI VII VIII IX X XI XII';
/** The small dial is in place of the six. */
const ROMAN_BUT_SIX = ROMAN.replace(' VI ', ' - ');

/** The side length of a square on the paper; the dial has 18 by 18 squares. */
const MODULE = 11;
const HALF = 9 * MODULE;

function paper(every: number): string {
  let path = '';
  for (let at = -HALF + every * MODULE; at < HALF; at += every * MODULE)
    path += `M${at} ${-HALF}V${HALF}M${-HALF} ${at}H${HALF}`;
  return path;
}

const MINUTES = '5 10 15 20 25 30 35 40 45 50 55';
/** The side of a baton or hand that is in the shade. */
const FACET = 'accent=#d1a93a 72% ground';

/** The styles with hands, in listing order. */
export const DIALS = {
  /** A railway station clock after H. Hilfiker: batons, no figures, a red disc that waits for the full minute. */
  'analog-station': analogStyle({
    manner: 'station',
    tail: 22.5,
    spots: '0,42 0,-42 -42,0 42,0',
    palette: { ground: '#fff', ink: '#111', accent: '#d9001b' },
    shades: { rim: { linear: [0.2, 0, 0.8, 1], stops: ['0 #e9ebed', '0.5 #a9aeb3', '1 #7d8389'] } },
    shadow: { down: 1.2, blur: 1, opacity: 0.25 },
    under: [
      { circle: 99, fill: '@rim' },
      { circle: 94.5, fill: 'ground', stroke: '#5d6368', width: 0.8 },
      { ticks: 60, from: 84.4, to: 91, omitEvery: 5, stroke: 'ink', width: 2.6 },
      { ticks: 12, from: 68.5, to: 91, stroke: 'ink', width: 6.6 },
      { label: 'plain', size: 6.8, weight: 15 },
    ],
    hour: [{ path: 'M-4.9 -60H4.9L6 22.5H-6z', fill: 'ink' }],
    minute: [{ path: 'M-3.4 -86.3H3.4L4.9 22.5H-4.9z', fill: 'ink' }],
    second: [
      { path: 'M0 -58.5V31', stroke: 'accent', width: 2.6 },
      { circle: 9.9, at: [0, -58.5], fill: 'accent' },
      { circle: 3, fill: 'accent' },
    ],
  }),
  /** A cockpit instrument: a square bezel with four screws, a triangle at twelve, hands that shine in the dark. */
  'analog-aviation': analogStyle({
    manner: 'sweep',
    tail: 18,
    spots: '0,-38 -31,-29 31,-29 0,24 -31,29 31,29',
    palette: { ground: '#0e1013', ink: '#f2f4e8', accent: '#ff7a1a' },
    shades: {
      case: { linear: [0, 0, 0, 1], stops: ['0 #3b4046', '0.06 #2a2e33', '1 #16191c'] },
      screw: { linear: [0, 0, 1, 1], stops: ['0 #8b9299', '1 #454b51'] },
    },
    shadow: { down: 1.5, blur: 1, opacity: 0.7 },
    under: [
      { rect: [-99, -99, 198, 198], round: 16, fill: '@case' },
      ...screw(-83, -83, 25),
      ...screw(83, -83, 70),
      ...screw(83, 83, 118),
      ...screw(-83, 83, 160),
      { circle: 95, fill: '#08090b' },
      { circle: 92.5, fill: 'ground', stroke: '#34393f', width: 1 },
      { ticks: 60, from: 84, to: 89.5, omitEvery: 5, stroke: 'ink', width: 1.3 },
      { ticks: 12, from: 80, to: 89.5, omit: [0], stroke: 'ink', width: 3.2 },
      { numerals: `${MINUTES} -`, radius: 71.5, size: 7.4, weight: 15, opacity: 0.8 },
      { numerals: '3 6 9 -', radius: 50, size: 21, weight: 17 },
      { path: 'M0 -68L9.5 -85H-9.5z', fill: 'ink' },
      { circle: 2.7, at: [-13.5, -78], fill: 'ink' },
      { circle: 2.7, at: [13.5, -78], fill: 'ink' },
      { label: 'capitals', size: 6.8, weight: 16, room: 46 },
    ],
    hour: [
      { path: 'M0 16V-30', stroke: 'ink', width: 4.4 },
      { path: 'M-2.6 -12L-6.6 -40L0 -54L6.6 -40L2.6 -12z', fill: 'ink' },
      { path: 'M-1.6 -17L-4.4 -39.4L0 -48.8L4.4 -39.4L1.6 -17z', fill: 'ink 75% #c4e69a' },
    ],
    minute: [
      { path: 'M0 18V-30', stroke: 'ink', width: 3.6 },
      { path: 'M-2.2 -12L-5 -68L0 -83L5 -68L2.2 -12z', fill: 'ink' },
      { path: 'M-1.2 -18L-3 -67.4L0 -76.5L3 -67.4L1.2 -18z', fill: 'ink 75% #c4e69a' },
    ],
    second: [
      { path: 'M0 30V-86', stroke: 'accent', width: 1.7 },
      { path: 'M-2.6 30H2.6L2 10H-2z', fill: 'accent' },
      { circle: 5, fill: 'accent' },
      { circle: 1.8, fill: 'ground' },
    ],
  }),
  /** After Max Bill: thin figures, slender hands, and colours with a meaning: blue for hours, yellow for the quarter, red for seconds. */
  'analog-bauhaus': analogStyle({
    manner: 'sweep',
    tail: 15,
    spots: '0,-33 0,34 -34,0 34,0',
    hasSector: true,
    palette: { ground: '#f6f1e6', ink: '#1c1c1c', accent: '#d8232a' },
    under: [
      { circle: 99, fill: 'ground' },
      { circle: 98.4, stroke: 'ground 86% ink', width: 1.2 },
      { sector: true, fill: 'accent=#f5ae00 82% ground' },
      { ticks: 60, from: 81, to: 85.5, omitEvery: 5, stroke: 'ink 84% ground', width: 0.7 },
      { ticks: 12, from: 77.5, to: 85.5, stroke: 'ink', width: 1.3 },
      { numerals: `${MINUTES} 60`, radius: 91.3, size: 5.2, weight: 10, fill: 'ink 84% ground' },
      { numerals: '1 2 3 4 5 6 7 8 9 10 11 12', radius: 66.5, size: 13.5, weight: 6.5 },
      { label: 'small', size: 6.6, weight: 11, room: 46 },
    ],
    hour: [{ path: 'M-3.6 13L-1.7 -47H1.7L3.6 13z', fill: 'ink=#1d3f8f' }],
    minute: [
      { path: 'M-2.6 15L-1.1 -78H1.1L2.6 15z', fill: 'ink' },
      { circle: 3.6, fill: 'ink' },
    ],
    second: [
      { path: 'M0 20V-78', stroke: 'accent', width: 0.8 },
      { circle: 5.4, at: [0, -52], fill: 'accent' },
      { circle: 2.1, fill: 'accent' },
    ],
  }),
  /** Brushed dark metal, slim light batons, a teal second hand. */
  'analog-graphite': analogStyle({
    manner: 'sweep',
    tail: 12,
    spots: '0,34 0,-34 -37,0 37,0',
    palette: { ground: '#2a2d31', ink: '#d9dde2', accent: '#4fd1c5' },
    shades: {
      case: { linear: [0.15, 0, 0.85, 1], stops: ['0 #6a7077', '0.5 #33373c', '1 #191b1e'] },
      metal: { radial: [0.38, 0.28, 0.8], stops: ['0 ground 80% #fff', '0.55 ground', '1 ground 75% #000'] },
    },
    shadow: { down: 1.6, blur: 1.4, opacity: 0.55 },
    under: [
      { circle: 99, fill: '@case' },
      { circle: 95, fill: '#131517' },
      { circle: 93.5, fill: '@metal' },
      { ticks: 144, from: 4, to: 93, stroke: '#fff', width: 0.5, opacity: 0.07 },
      { ticks: 100, from: 12, to: 93, stroke: '#000', width: 0.6, opacity: 0.2 },
      { ticks: 60, from: 88.4, to: 90.4, omitEvery: 5, stroke: 'ink', width: 1, opacity: 0.55 },
      { ticks: 12, from: 70, to: 90, omit: [0], stroke: 'ink', width: 2.2 },
      { path: 'M-3 -90V-70M3 -90V-70', stroke: 'ink', width: 2.4 },
      { label: 'capitals', size: 6.8, weight: 12 },
    ],
    hour: [{ path: 'M0 12V-50', stroke: 'ink', width: 4.2 }],
    minute: [{ path: 'M0 12V-80', stroke: 'ink', width: 2.9 }],
    second: [
      { path: 'M0 24V-87', stroke: 'accent', width: 1.3 },
      { circle: 4, fill: 'accent' },
      { circle: 1.5, fill: 'ground 75% #000' },
    ],
  }),
  /** Deep water under ice, seen from above the pole: meridians meet in the centre, hands of ice have a bright core. */
  'analog-arctic': analogStyle({
    manner: 'sweep',
    tail: 16,
    spots: '0,34 0,-34 -36,0 36,0',
    palette: { ground: '#0a4a73', ink: '#eaf7ff', accent: '#54d2ff' },
    shades: {
      frost: { linear: [0.1, 0, 0.9, 1], stops: ['0 #ffffff', '0.4 #b9d9ec', '0.6 #e6f4fb', '1 #86b4d1'] },
      water: { radial: [0.5, 0.42, 0.62], stops: ['0 ground', '0.6 ground 80% #000', '1 ground 48% #000'] },
    },
    under: [
      { circle: 99, fill: '@frost' },
      { ticks: 120, from: 88, to: 98.5, stroke: '#fff', width: 1.2, opacity: 0.55 },
      { circle: 87, fill: '@water', stroke: '#fff', width: 1.4 },
      { circle: 29, stroke: 'ink', width: 0.5, opacity: 0.28 },
      { circle: 58, stroke: 'ink', width: 0.5, opacity: 0.28 },
      { ticks: 24, from: 0, to: 70, stroke: 'ink', width: 0.5, opacity: 0.24 },
      { ticks: 60, from: 79.5, to: 84, omitEvery: 5, stroke: 'ink', width: 0.8, opacity: 0.8 },
      { ticks: 12, from: 72, to: 84, omitEvery: 3, stroke: 'ink', width: 1.6 },
      { wedges: 4, points: '-2.6,-84.5 2.6,-84.5 0,-66', fill: 'ink' },
      { label: 'capitals', size: 6.8, weight: 12, second: 'ink 70% #7cc9f5', room: 48 },
    ],
    hour: [
      { path: 'M-1.6 14L-5 -36L0 -53L5 -36L1.6 14z', fill: 'ink 70% #7cc9f5' },
      { path: 'M0 6L-2 -35.5L0 -44L2 -35.5z', fill: 'ink=#fff 60% #fff' },
    ],
    minute: [
      { path: 'M-1.4 16L-3.9 -62L0 -81L3.9 -62L1.4 16z', fill: 'ink 70% #7cc9f5' },
      { path: 'M0 8L-1.5 -61.5L0 -72L1.5 -61.5z', fill: 'ink=#fff 60% #fff' },
    ],
    second: [
      { path: 'M0 22V-82', stroke: 'accent', width: 1.3 },
      { circle: 3.8, fill: '#fff', stroke: 'accent', width: 1.6 },
    ],
  }),
  /** Ivory enamel in polished brass, Roman numerals, a railway track, blued spade hands. */
  'analog-brass': analogStyle({
    manner: 'tick',
    tail: 17,
    spots: '0,-31 0,31 -31,0 31,0 -10,-30 10,-30 -10,30 10,30',
    palette: { ground: '#f6efdc', ink: '#2a2419', accent: '#1f3563' },
    shades: {
      brass: {
        linear: [0.1, 0, 0.9, 1],
        stops: ['0 #f7e7b0', '0.22 #b08d3c', '0.42 #f3dd98', '0.62 #8a6a24', '0.82 #d8ba67', '1 #6f531a'],
      },
      inner: { linear: [0.9, 1, 0.1, 0], stops: ['0 #f3dd98', '0.5 #a07c30', '1 #5d4515'] },
      enamel: { radial: [0.45, 0.4, 0.62], stops: ['0 ground 80% #fff', '0.8 ground', '1 ground 92% #000'] },
    },
    shadow: { down: 1, blur: 0.8, opacity: 0.35 },
    under: [
      { circle: 99, fill: '@brass' },
      { circle: 90, fill: '@inner' },
      { circle: 87, fill: '@enamel' },
      { circle: 83, stroke: 'ink', width: 0.7 },
      { circle: 77.5, stroke: 'ink', width: 0.7 },
      { ticks: 60, from: 77.5, to: 83, stroke: 'ink', width: 0.8 },
      { ticks: 12, from: 77.5, to: 83, stroke: 'ink', width: 2.8 },
      { numerals: ROMAN, radius: 63.5, size: 16, weight: 'roman', radial: true, condense: 0.8 },
      { label: 'plain', size: 7.2, weight: 10, room: 44 },
    ],
    hour: [
      {
        path: 'M-1.7 14L-1.5 -24C-3 -27 -9.5 -26 -9.5 -33C-9.5 -39 -3.4 -42 0 -54C3.4 -42 9.5 -39 9.5 -33C9.5 -26 3 -27 1.5 -24L1.7 14z',
        fill: 'accent',
      },
    ],
    minute: [
      {
        path: 'M-1.5 17L-1.2 -46C-2.4 -49 -6.4 -48.5 -6.4 -54C-6.4 -59 -2 -64 0 -80C2 -64 6.4 -59 6.4 -54C6.4 -48.5 2.4 -49 1.2 -46L1.5 17z',
        fill: 'accent',
      },
    ],
    second: [
      { path: 'M0 16V-82', stroke: 'accent', width: 0.9 },
      {
        path: 'M0 16A6 6 0 1 0 5.6 24.3A6.6 6.6 0 0 1 0 26.5A6.6 6.6 0 0 1 -5.6 24.3A6 6 0 0 0 0 16z',
        fill: 'accent',
      },
      { circle: 3.4, fill: 'accent' },
      { circle: 1.4, fill: '#d8ba67' },
    ],
  }),
  /** A ship's chronometer: tall Roman numerals, leaf hands, and a small seconds dial at six. */
  'analog-marine': analogStyle({
    manner: 'tick',
    tail: 11,
    spots: '0,-33 -34,2 34,2',
    palette: { ground: '#fdfdfb', ink: '#0b2545', accent: '#0a0d14' },
    shades: { steel: { linear: [0.2, 0, 0.8, 1], stops: ['0 #1d4377', '0.5 #0b2545', '1 #061630'] } },
    under: [
      { circle: 99, fill: '@steel' },
      { circle: 93.2, stroke: '#8d99ae', width: 0.8 },
      { circle: 91, fill: 'ground' },
      { circle: 87.5, stroke: 'ink', width: 0.7 },
      { circle: 82, stroke: 'ink', width: 0.7 },
      { ticks: 60, from: 82, to: 87.5, omitEvery: 5, stroke: 'ink', width: 0.9 },
      { wedges: 12, points: '0,-88 2.2,-84.75 0,-81.5 -2.2,-84.75', fill: 'ink' },
      { numerals: ROMAN_BUT_SIX, radius: 66.5, size: 20, weight: 'roman', radial: true, condense: 0.6 },
      { circle: 23.5, at: SMALL_SECONDS, fill: 'ground', stroke: 'ink', width: 0.8 },
      { ticks: 60, from: 21, to: 23.5, at: SMALL_SECONDS, omitEvery: 5, stroke: 'ink', width: 0.5 },
      { ticks: 12, from: 19, to: 23.5, at: SMALL_SECONDS, stroke: 'ink', width: 1 },
      { numerals: '15 30 45 60', radius: 13.8, size: 5, at: SMALL_SECONDS, weight: 12 },
      { label: 'capitals', size: 6.6, weight: 11, room: 42 },
    ],
    secondAt: SMALL_SECONDS,
    hour: [
      {
        path: 'M-1.3 9V0C-1 -14 -6 -22 -4.6 -34C-3.6 -42 -0.8 -46 0 -53C0.8 -46 3.6 -42 4.6 -34C6 -22 1 -14 1.3 0V9z',
        fill: 'ink=#0a0d14',
      },
      { circle: 5, fill: 'ink=#0a0d14' },
    ],
    minute: [
      {
        path: 'M-1.1 11V0C-0.8 -20 -4.4 -32 -3.4 -52C-2.6 -66 -0.6 -74 0 -82C0.6 -74 2.6 -66 3.4 -52C4.4 -32 0.8 -20 1.1 0V11z',
        fill: 'ink=#0a0d14',
      },
      { circle: 4, fill: 'ink=#0a0d14' },
      { circle: 1.5, fill: '#8d99ae' },
    ],
    second: [
      { path: 'M0 7V-20', stroke: 'accent', width: 0.9 },
      { circle: 2.1, fill: 'accent' },
    ],
  }),
  /** Graph paper: a square dial, indices along its edge, everything in modules. */
  'analog-grid': analogStyle({
    manner: 'tick',
    tail: 11,
    spots: '0,33 0,-33 -33,0 33,0',
    palette: { ground: '#fcfcfc', ink: '#222', accent: '#e63946' },
    under: [
      { rect: [-HALF, -HALF, 2 * HALF, 2 * HALF], fill: 'ground' },
      { path: paper(1), stroke: 'ink=#2f5f8f 45% ground', width: 0.5, opacity: 0.55 },
      { path: paper(3), stroke: 'ink=#2f5f8f 45% ground', width: 0.9, opacity: 0.8 },
      { rect: [-HALF + 1, -HALF + 1, 2 * HALF - 2, 2 * HALF - 2], stroke: 'ink', width: 2 },
      { ticks: 60, from: 90, to: 97, omitEvery: 5, square: true, stroke: 'ink', width: 1 },
      { ticks: 12, from: 84, to: 97, square: true, stroke: 'ink', width: 3 },
      { rect: [-21, -76, 42, 20], fill: 'ground' },
      { rect: [-10, 56, 20, 20], fill: 'ground' },
      { rect: [56, -10, 20, 20], fill: 'ground' },
      { rect: [-76, -10, 20, 20], fill: 'ground' },
      { numerals: '3 6 9 12', radius: 6 * MODULE, size: 19, weight: 17 },
      { label: 'plain', size: 6.8, weight: 15, room: 46, patch: 'ground' },
    ],
    hour: [{ rect: [-4.4, -44, 8.8, 55], fill: 'ink' }],
    minute: [{ rect: [-2.75, -77, 5.5, 88], fill: 'ink' }],
    second: [
      { path: 'M0 22V-88', stroke: 'accent', width: 1.4 },
      { rect: [-3.2, -3.2, 6.4, 6.4], fill: 'accent' },
    ],
  }),
  /** Minimal: a slab of slate, four indices, two soft hands, and a dot for the seconds. */
  'analog-slate': analogStyle({
    manner: 'tick',
    tail: 5,
    spots: '0,33 0,-33 -32,0 32,0',
    palette: { ground: '#37424d', ink: '#eef2f5', accent: '#ffb454' },
    shades: { slab: { linear: [0, 0, 0.6, 1], stops: ['0 ground 92% #fff', '1 ground 86% #000'] } },
    under: [
      { rect: [-99, -99, 198, 198], round: 46, fill: '@slab' },
      { circle: 82, stroke: 'ink', width: 1, opacity: 0.14 },
      { ticks: 4, from: 60, to: 68, stroke: 'ink', width: 5, cap: 'round' },
      { label: 'plain', size: 7.4, weight: 13 },
    ],
    hour: [{ path: 'M0 0V-36', stroke: 'ink', width: 9, cap: 'round' }],
    minute: [
      { path: 'M0 0V-60', stroke: 'ink', width: 5.5, cap: 'round' },
      { circle: 2.2, fill: 'ground' },
    ],
    second: [{ circle: 5.5, at: [0, -82], fill: 'accent' }],
  }),
  /** Black lacquer, gold batons and dauphine hands cut in two facets, the date at three. */
  'analog-executive': analogStyle({
    manner: 'tick',
    date: '%-d',
    tail: 15,
    spots: '0,-36 0,36 -36,0',
    palette: { ground: '#000', ink: '#f5efe0', accent: '#f0d483' },
    shades: {
      gold: {
        linear: [0.15, 0, 0.85, 1],
        stops: ['0 #fbeebb', '0.3 #d4af37', '0.5 #f4dd8c', '0.75 #8f6d15', '1 #d4af37'],
      },
      lacquer: {
        radial: [0.4, 0.25, 0.75],
        stops: ['0 ground=#0b0b0d 86% #fff', '0.5 ground=#0b0b0d', '1 ground=#0b0b0d 60% #000'],
      },
    },
    shadow: { down: 1.4, blur: 1, opacity: 0.8 },
    under: [
      { circle: 99, fill: '@gold' },
      { circle: 94, fill: '#0a0a0b' },
      { circle: 92.6, fill: '@lacquer' },
      { ticks: 60, from: 87, to: 90, omitEvery: 5, stroke: 'accent', width: 0.8, opacity: 0.75 },
      { wedges: 12, omit: [0, 3], points: '0,-90 -2.4,-88 -1.9,-68 0,-65.5', fill: 'accent' },
      { wedges: 12, omit: [0, 3], points: '0,-90 2.4,-88 1.9,-68 0,-65.5', fill: FACET },
      { path: 'M-3.6 -90L-6 -88L-5.5 -65L-3.6 -62.5zM3.6 -90L1.2 -88L1.7 -65L3.6 -62.5z', fill: 'accent' },
      { path: 'M-3.6 -90L-1.2 -88L-1.7 -65L-3.6 -62.5zM3.6 -90L6 -88L5.5 -65L3.6 -62.5z', fill: FACET },
      { rect: [60, -9.5, 25, 19], round: 1.5, fill: '#f5efe0', stroke: '@gold', width: 1.8 },
      { date: [72.5, 0], size: 10.5, weight: 17, fill: '#141414' },
      { label: 'capitals', size: 6.8, weight: 10 },
    ],
    hour: [
      { path: 'M0 13L-5.8 0L0 -53z', fill: 'accent' },
      { path: 'M0 13L5.8 0L0 -53z', fill: FACET },
    ],
    minute: [
      { path: 'M0 15L-4.6 0L0 -84z', fill: 'accent' },
      { path: 'M0 15L4.6 0L0 -84z', fill: FACET },
    ],
    second: [
      { path: 'M0 24V-88', stroke: 'accent=#f5e3a8', width: 0.9 },
      { circle: 2.6, fill: 'accent=#f5e3a8' },
      { circle: 1, fill: '#0a0a0b' },
    ],
  }),
} satisfies Record<`analog-${string}`, AnalogStyle>;
