import type { DigitalStyle } from './style.ts';

const LABEL = { box: 'label', items: [{ place: 'as it is' }, { line: 'offset' }] } as const;

export const segmentRed: DigitalStyle = {
  definition: { family: 'digital', renderer: 'segment', figures: 'bars', time: { time: '%H:%M:%S' } },
  boxes: [{ time: ['time'] }, LABEL],
};

export const dotMatrix: DigitalStyle = {
  definition: { family: 'digital', renderer: 'matrix', figures: 'dots', time: { time: '%H:%M:%S' } },
  boxes: [{ time: ['time'] }, LABEL],
};

export const plain: DigitalStyle = {
  definition: { family: 'digital', renderer: 'text', time: { time: '%H:%M:%S' } },
  boxes: [{ time: ['time'] }, LABEL],
};
