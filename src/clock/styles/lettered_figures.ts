import type { Box, DigitalStyle } from './style.ts';

/** The digital styles whose figures are type. */

const TIME: Box = { time: ['time'] };
const LABEL: Box = { box: 'label', items: [{ place: 'plain' }, { line: 'offset' }] };
const CLOCK = { time: '%H:%M:%S' };
const PLAIN = { family: 'digital', renderer: 'text', time: CLOCK } as const;

const SHELL: Box = {
  box: 'shell',
  items: [
    {
      box: 'prompt',
      items: [{ place: 'small' }, { words: ':~$ ', name: 'sigil' }, { words: 'date', name: 'command' }],
    },
    { box: 'output', items: [TIME, { gauge: 'cursor' }] },
    { box: 'prompt', items: [{ line: 'date' }, { line: 'offset' }] },
  ],
};

export const terminalGreen: DigitalStyle = {
  definition: { ...PLAIN, texts: { date: '%a %d %b %Y' }, gauge: 'cursor' },
  boxes: [SHELL],
};

export const terminalWhite: DigitalStyle = {
  definition: { ...PLAIN, texts: { date: '%a %d %b %Y' }, gauge: 'cursor' },
  boxes: [
    { box: 'bar', items: [{ words: '', name: 'buttons' }, { place: 'plain' }, { line: 'offset' }] },
    {
      box: 'shell',
      items: [
        {
          box: 'prompt',
          items: [
            { words: '$ ', name: 'sigil' },
            { words: 'date +%T', name: 'command' },
          ],
        },
        { box: 'output', items: [TIME] },
        { box: 'prompt', items: [{ words: '$ ', name: 'sigil' }, { gauge: 'cursor' }] },
      ],
    },
  ],
};

export const dashboard: DigitalStyle = {
  definition: { ...PLAIN, texts: { weekday: '%A', date: '%B %-d' }, gauge: 'day' },
  boxes: [
    { box: 'head', items: [{ place: 'plain' }, { line: 'offset' }] },
    {
      box: 'body',
      items: [TIME, { box: 'day', items: [{ line: 'weekday' }, { line: 'date' }] }],
    },
    { box: 'track', items: [{ gauge: 'bar' }] },
    { box: 'scale', items: ['0', '6', '12', '18', '24'].map(words => ({ words, name: 'hour' })) },
  ],
};

export const slate: DigitalStyle = { definition: PLAIN, boxes: [TIME, LABEL] };

export const frost: DigitalStyle = { definition: PLAIN, boxes: [{ box: 'plate', items: [TIME, LABEL] }] };

export const glass: DigitalStyle = {
  definition: { ...PLAIN, texts: { date: '%a, %b %-d' } },
  boxes: [
    {
      box: 'pane',
      items: [{ box: 'head', items: [{ place: 'plain' }, { line: 'date' }] }, TIME, { line: 'offset' }],
    },
  ],
};

export const card: DigitalStyle = {
  definition: { ...PLAIN, texts: { month: '%B', weekday: '%A', day: '%-d' } },
  boxes: [
    { box: 'band', items: [{ line: 'month' }, { line: 'weekday' }] },
    { box: 'body', items: [{ line: 'day' }, { box: 'side', items: [TIME, LABEL] }] },
  ],
};

export const timetable: DigitalStyle = {
  definition: { ...PLAIN, texts: { day: '%d %b', weekday: '%A', zone: '%Z' }, gauge: 'turn' },
  boxes: [
    { gauge: 'turn' },
    {
      box: 'heads',
      items: [
        { words: 'Time', name: 'head' },
        { words: 'Place', name: 'head' },
        { words: 'Zone', name: 'head' },
      ],
    },
    { box: 'departure', items: [TIME, { place: 'plain' }, { line: 'offset' }] },
    { box: 'departure', items: [{ line: 'day' }, { line: 'weekday' }, { line: 'zone' }] },
  ],
};

export const splitFlap: DigitalStyle = {
  definition: { family: 'digital', renderer: 'flap', time: CLOCK },
  boxes: [TIME, LABEL],
};

export const emerald: DigitalStyle = {
  definition: { ...PLAIN, texts: { date: '%A, %-d %B' } },
  boxes: [
    {
      box: 'frame',
      items: [{ place: 'plain' }, TIME, { box: 'label', items: [{ line: 'date' }, { line: 'offset' }] }],
    },
  ],
};

export const minimal: DigitalStyle = { definition: PLAIN, boxes: [TIME, LABEL] };
