import type { Box, DigitalStyle } from './style.ts';

/** Digital styles based on devices: segments, dots, tubes, flaps and boards. */

const TIME: Box = { time: ['time'] };
const LABEL: Box = { box: 'label', items: [{ place: 'capitals' }, { line: 'offset' }] };
const CLOCK = { time: '%H:%M:%S' };
const STROKES = { family: 'digital', renderer: 'stroke' } as const;

export const segmentRed: DigitalStyle = {
  definition: { family: 'digital', renderer: 'segment', figures: 'bars', time: CLOCK },
  boxes: [{ box: 'window', items: [TIME] }, LABEL],
};

export const segmentAmber: DigitalStyle = {
  definition: {
    family: 'digital',
    renderer: 'segment',
    figures: 'bars',
    time: CLOCK,
    texts: { date: '%^a %d %^b' },
  },
  boxes: [
    {
      box: 'window',
      items: [
        { box: 'label', items: [{ place: 'capitals', columns: 17 }, { line: 'date' }, { line: 'offset' }] },
        TIME,
      ],
    },
  ],
};

export const segmentIce: DigitalStyle = {
  definition: { family: 'digital', renderer: 'segment', figures: 'thin', time: CLOCK, gauge: 'week' },
  boxes: [{ gauge: 'week' }, TIME, LABEL],
};

export const matrix: DigitalStyle = {
  definition: { family: 'digital', renderer: 'matrix', figures: 'dots', time: CLOCK },
  boxes: [{ box: 'window', items: [TIME] }, LABEL],
};

export const broadcast: DigitalStyle = {
  definition: { ...STROKES, figures: 'heavy', time: { time: '%H:%M', seconds: '%S' }, gauge: 'dots' },
  boxes: [{ gauge: 'dots' }, { box: 'row', items: [{ time: ['time', 'seconds'] }] }, LABEL],
};

export const controlRoom: DigitalStyle = {
  definition: { ...STROKES, figures: 'medium', time: CLOCK, texts: { day: 'DAY %j' } },
  boxes: [
    {
      box: 'frame',
      items: [
        TIME,
        {
          box: 'label',
          items: [{ line: 'day' }, { place: 'capitals', set: 'spaced', columns: 16 }, { line: 'offset' }],
        },
      ],
    },
  ],
};

export const cyan: DigitalStyle = {
  definition: { ...STROKES, figures: 'tube', time: CLOCK },
  boxes: [TIME, LABEL],
  look: { hasCore: true },
};

export const monolith: DigitalStyle = {
  definition: { ...STROKES, figures: 'block', time: { hours: '%H', minutes: '%M' }, gauge: 'seconds' },
  boxes: [
    { time: ['hours', 'minutes', 'time'] },
    { box: 'label', items: [{ place: 'plain', columns: 17 }, { line: 'offset' }] },
    { gauge: 'bar' },
  ],
};

export const splitFlap: DigitalStyle = {
  definition: { family: 'digital', renderer: 'flap', figures: 'heavy', time: CLOCK },
  boxes: [TIME, { box: 'label', items: [{ place: 'plain' }, { line: 'offset' }] }],
};

/** Three rows of flaps, eighteen to a row. */
export const timetable: DigitalStyle = {
  definition: {
    ...STROKES,
    figures: 'board',
    letters: 'board',
    time: CLOCK,
    texts: { date: '%^a %d %^b %Y   ' },
    gauge: 'turn',
  },
  boxes: [
    { gauge: 'turn' },
    { box: 'departure', items: [{ place: 'row' }] },
    { box: 'departure', items: [TIME, { line: 'offset' }] },
    { box: 'departure', items: [{ line: 'date' }] },
  ],
};
