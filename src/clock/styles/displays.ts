import { once } from '../../common/caching.ts';
import type { Box, DigitalStyle } from './style.ts';

const box = (name: string, ...items: Box[]): Box => ({ box: name, items });
const TIME: Box = { time: ['time'] };
const LABEL: Box = box('label', { place: 'capitals' }, { line: 'offset' });
const PLAIN_LABEL: Box = box('label', { place: 'plain' }, { line: 'offset' });
const TIME_OF_DAY = { time: '%H:%M:%S' };
const STROKES = { family: 'digital', renderer: 'stroke' } as const;
const TIMED = { ...STROKES, time: TIME_OF_DAY } as const;

// Drawings behind the time, in a box of 250 by 100, are created for the first clock that shows them.

/** Frost ferns that grow from the corners of a window. */
const FERNS: Box = {
  drawing: 'ferns',
  paths: once(() => {
    const corner = [fern(8, 70), fern(34, 62), fern(60, 46), fern(83, 58)].join('');
    return [
      { d: corner },
      { d: corner, transform: 'translate(250 0) scale(-1 1)' },
      { d: corner, transform: 'translate(0 100) scale(1 -1)' },
      { d: corner, transform: 'translate(250 100) scale(-1 -1)' },
    ];
  }),
};

/** A frond from the upper left corner, at an angle below the horizontal. */
function fern(degrees: number, length: number): string {
  const along = (from: readonly [number, number], angle: number, distance: number) =>
    [from[0] + Math.cos(angle) * distance, from[1] + Math.sin(angle) * distance] as const;
  const angle = (degrees / 180) * Math.PI;
  let path = `M0 0L${rounded(along([0, 0], angle, length))}`;
  for (let at = 8; at < length; at += 6) {
    const node = along([0, 0], angle, at);
    const leaf = (length - at) * 0.28 + 2;
    for (const side of [-1, 1]) path += `M${rounded(node)}L${rounded(along(node, angle + side * 0.8, leaf))}`;
  }
  return path;
}

function rounded(point: readonly [number, number]): string {
  return point.map(part => Math.round(part)).join(' ');
}

/** A double frame with stepped corners, and rays at the sides. */
const FRAME: Box = {
  drawing: 'frame',
  paths: once(() => {
    const rays = Array.from({ length: 7 }, (_, index) => {
      const radians = ((index - 3) / 3) * 0.62;
      return `M7 50L${rounded([7 + Math.cos(radians) * 26, 50 + Math.sin(radians) * 26])}`;
    }).join('');
    return [
      { d: 'M18 4H232V9H240V17H246V83H240V91H232V96H18V91H10V83H4V17H10V9H18z' },
      { d: 'M24 9H226V14H235V22H241V78H235V86H226V91H24V86H15V78H9V22H15V14H24z' },
      { d: rays },
      { d: rays, transform: 'translate(250 0) scale(-1 1)' },
    ];
  }),
};

/** The styles with figures, in listing order. */
export const DISPLAYS = {
  'digital-segment-red': {
    definition: { family: 'digital', renderer: 'segment', figures: 'bars', time: TIME_OF_DAY },
    boxes: [box('window', TIME), LABEL],
  },
  'digital-segment-amber': {
    definition: {
      family: 'digital',
      renderer: 'segment',
      figures: 'bars',
      time: TIME_OF_DAY,
      texts: { date: '%^a %d %^b' },
    },
    boxes: [
      box(
        'window',
        box('label', { place: 'capitals', columns: 17 }, { line: 'date' }, { line: 'offset' }),
        TIME,
      ),
    ],
  },
  'digital-segment-ice': {
    definition: { family: 'digital', renderer: 'segment', figures: 'thin', time: TIME_OF_DAY, gauge: 'week' },
    boxes: [{ gauge: 'week' }, TIME, LABEL],
  },
  'digital-terminal-green': {
    definition: {
      ...TIMED,
      figures: 'medium',
      letters: 'mono',
      texts: { date: '%a %d %b %Y' },
      gauge: 'cursor',
    },
    boxes: [
      box('prompt', { place: 'small' }, { words: ':~$ date', name: 'command' }),
      box('output', TIME, { gauge: 'cursor' }),
      box('prompt', { line: 'date' }, { line: 'offset' }),
    ],
  },
  /** A teletype: typed and printed text on paper. */
  'digital-terminal-white': {
    definition: { ...TIMED, figures: 'medium', letters: 'mono', texts: { date: '%a %d %b' } },
    boxes: [
      { block: 'feed' },
      box(
        'paper',
        box('prompt', { words: '$ date +%T', name: 'command' }, { line: 'date' }),
        box('output', TIME),
        box('prompt', { place: 'plain' }, { line: 'offset' }),
      ),
      { block: 'feed' },
    ],
  },
  'digital-broadcast': {
    definition: { ...STROKES, figures: 'heavy', time: { time: '%H:%M', seconds: '%S' }, gauge: 'dots' },
    boxes: [{ gauge: 'dots' }, box('row', { time: ['time', 'seconds'] }), LABEL],
  },
  'digital-dashboard': {
    definition: { ...TIMED, figures: 'bold', texts: { weekday: '%A', date: '%B %-d' }, gauge: 'day' },
    boxes: [
      box('head', { place: 'plain' }, box('pill', { line: 'offset' })),
      box('body', TIME, box('day', { line: 'weekday' }, { line: 'date' })),
      box('track', { gauge: 'day' }),
      box('scale', ...['0', '6', '12', '18', '24'].map(words => ({ words, name: 'hour' }))),
    ],
  },
  'digital-control-room': {
    definition: { ...TIMED, figures: 'medium', texts: { day: 'DAY %j' } },
    boxes: [
      box(
        'frame',
        TIME,
        box('label', { line: 'day' }, { place: 'capitals', set: 'spaced', columns: 16 }, { line: 'offset' }),
      ),
    ],
  },
  'digital-slate': {
    definition: { ...TIMED, figures: 'chalk' },
    boxes: [box('board', TIME, PLAIN_LABEL)],
    look: { isRough: true },
  },
  /** Stone, with figures inlaid in broad and in fine strokes. */
  'digital-onyx': {
    definition: { ...TIMED, figures: 'inlay' },
    boxes: [TIME, LABEL, { block: 'sheen' }],
    look: { shade: ['0 ink=#f7f2e6', '0.5 ink=#f7f2e6 78% #8d7a55', '1 ink=#f7f2e6'] },
  },
  /** Figures wiped out of the frost on a window, behind which it is a clear cold day. */
  'digital-frost': {
    definition: { ...TIMED, figures: 'soft' },
    boxes: [FERNS, TIME, PLAIN_LABEL],
    look: { shade: ['0 ink=#0d3560', '1 ink=#0d3560 72% #3aa0e6'] },
  },
  'digital-card': {
    definition: { ...TIMED, figures: 'medium', texts: { month: '%B', weekday: '%A', day: '%-d' } },
    boxes: [
      box('band', { line: 'month' }, { line: 'weekday' }),
      box(
        'body',
        { line: 'day' },
        box('side', TIME, box('label', { place: 'plain', columns: 17 }, { line: 'offset' })),
      ),
    ],
  },
  'digital-glass': {
    definition: { ...TIMED, figures: 'soft', texts: { date: '%a, %b %-d' } },
    boxes: [TIME, box('label', { place: 'plain', columns: 19 }, { line: 'date' }, { line: 'offset' })],
    look: { shade: ['0 ink=#fff', '1 ink=#fff 86% #123a63'], hasCore: true },
  },
  'digital-matrix': {
    definition: { family: 'digital', renderer: 'matrix', figures: 'dots', time: TIME_OF_DAY },
    boxes: [box('window', TIME), LABEL],
  },
  /** Three rows of flaps, eighteen to a row. */
  'digital-timetable': {
    definition: {
      ...TIMED,
      figures: 'board',
      letters: 'board',
      texts: { date: '%^a %d %^b %Y   ' },
      gauge: 'turn',
    },
    boxes: [
      { gauge: 'turn' },
      box('departure', { place: 'row' }),
      box('departure', TIME, { line: 'offset' }),
      box('departure', { line: 'date' }),
    ],
  },
  'digital-split-flap': {
    definition: { family: 'digital', renderer: 'flap', figures: 'heavy', time: TIME_OF_DAY },
    boxes: [TIME, PLAIN_LABEL],
  },
  'digital-cyan': {
    definition: { ...TIMED, figures: 'tube' },
    boxes: [TIME, LABEL],
    look: { hasCore: true },
  },
  /** Art deco: brass on green. */
  'digital-emerald': {
    definition: { ...TIMED, figures: 'medium', texts: { date: '%^a %-d %^b' } },
    boxes: [FRAME, { place: 'capitals' }, TIME, box('label', { line: 'date' }, { line: 'offset' })],
    look: {
      shade: ['0 ink=#e8c66d 60% #fff', '0.55 ink=#e8c66d', '1 ink=#e8c66d 78% #5a3d00'],
      hasCore: true,
    },
  },
  'digital-monolith': {
    definition: { ...STROKES, figures: 'block', time: { hours: '%H', minutes: '%M' }, gauge: 'seconds' },
    boxes: [
      { time: ['hours', 'minutes', 'time'] },
      box('label', { place: 'plain', columns: 17 }, { line: 'offset' }),
      { gauge: 'seconds' },
    ],
  },
  'digital-minimal': {
    definition: { family: 'digital', renderer: 'text', time: TIME_OF_DAY },
    boxes: [TIME, PLAIN_LABEL],
  },
} satisfies Record<`digital-${string}`, DigitalStyle>;
