import type { Box, DigitalStyle } from './style.ts';

/** The digital styles whose figures are shapes. */

const TIME: Box = { time: ['time'] };
const LABEL: Box = { box: 'label', items: [{ place: 'capitals' }, { line: 'offset' }] };
const CLOCK = { time: '%H:%M:%S' };

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
    texts: { date: '%a %d %b' },
  },
  boxes: [
    {
      box: 'window',
      items: [{ box: 'label', items: [{ place: 'capitals' }, { line: 'date' }, { line: 'offset' }] }, TIME],
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
  definition: {
    family: 'digital',
    renderer: 'stroke',
    figures: 'heavy',
    time: { time: '%H:%M', seconds: '%S' },
    gauge: 'dots',
  },
  boxes: [{ gauge: 'dots' }, { box: 'row', items: [{ time: ['time', 'seconds'] }] }, LABEL],
};

export const controlRoom: DigitalStyle = {
  definition: { family: 'digital', renderer: 'stroke', figures: 'medium', time: CLOCK, texts: { day: '%j' } },
  boxes: [
    {
      box: 'frame',
      items: [
        TIME,
        {
          box: 'label',
          items: [
            { box: 'cell', items: [{ words: 'Day', name: 'head' }, { line: 'day' }] },
            { place: 'capitals' },
            { line: 'offset' },
          ],
        },
      ],
    },
  ],
};

export const onyx: DigitalStyle = {
  definition: { family: 'digital', renderer: 'stroke', figures: 'hair', time: CLOCK },
  boxes: [TIME, LABEL],
};

export const cyan: DigitalStyle = {
  definition: { family: 'digital', renderer: 'stroke', figures: 'tube', time: CLOCK },
  boxes: [TIME, LABEL],
};

export const monolith: DigitalStyle = {
  definition: {
    family: 'digital',
    renderer: 'stroke',
    figures: 'block',
    time: { hours: '%H', minutes: '%M' },
    gauge: 'seconds',
  },
  boxes: [{ time: ['hours', 'minutes', 'time'] }, LABEL, { gauge: 'bar' }],
};
