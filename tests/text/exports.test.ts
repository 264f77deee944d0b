import { expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { csvLine } from '../../src/text/csv.ts';
import { calendar, component, textValue } from '../../src/text/icalendar.ts';
import { fc } from '../support/property.ts';

test('cells are quoted if necessary, and empty for null', () => {
  expect(csvLine(['a', 1, -2.5, true, null])).toBe('a,1,-2.5,true,\r\n');
  const special = ['a,b', 'say "hi"', 'two\nlines', 'or\rtwo'];
  expect(csvLine(special)).toBe('"a,b","say ""hi""","two\nlines","or\rtwo"\r\n');
});

test('texts that a spreadsheet would treat as formulas get an apostrophe, numbers do not', () => {
  expect(csvLine(['=1+1', '+03', '-03', '@a', -3, 'a=b', '=a,b'])).toBe(
    "'=1+1,'+03,'-03,'@a,-3,a=b,\"'=a,b\"\r\n",
  );
  expect(csvLine([' =1', '\t=1', '\r=1', 'a;=1', 'a\t=1'])).toBe(
    '\' =1,"\'\t=1","\'\r=1","a;=1","a\t=1"\r\n',
  );
});

test.each([
  ['a;b,c\\d', 'a\\;b\\,c\\\\d'],
  ['two\r\nlines\nor\rthree', 'two\\nlines\\nor\\nthree'],
  ['"a:b" = 1', '"a:b" = 1'],
])('the TEXT %j is written as RFC 5545 §3.3.11 says', (text, written) => {
  expect(textValue(text)).toBe(written);
});

test.each([
  ['x'.repeat(73), [75]],
  ['x'.repeat(74), [75, 2]],
  ['x'.repeat(148), [75, 75, 2]],
  [`x${'é'.repeat(36)}`, [75]],
  ['é'.repeat(37), [74, 3]],
  [`xx${'😀'.repeat(18)}`, [72, 5]],
])('a line of 75 octets is not folded, a longer one is, between characters: %s', (text, lengths) => {
  const lines = component('X', [['A', text]])
    .split('\r\n')
    .slice(1, -2);
  expect(lines.map(line => Buffer.byteLength(line))).toEqual(lengths);
});

test('any text round-trips through a parser, in lines of at most 75 octets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), text => {
      const value = text.replace(/\p{Cc}/gu, '\n');
      const written = calendar([], component('VEVENT', [['SUMMARY', textValue(value)]]));
      for (const line of written.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      const [event] = new ICAL.Component(ICAL.parse(written)).getAllSubcomponents('vevent');
      expect(event!.getFirstPropertyValue('summary')).toBe(value);
    }),
  );
});
