import { expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { calendar, component, textValue } from '../../src/text/icalendar.ts';
import { fc } from '../support/property.ts';

test('any text round-trips through a parser, in lines of at most 75 octets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), text => {
      const value = text.replace(/\p{Cc}/gu, '\n');
      const written = calendar([], component('VEVENT', [['SUMMARY', textValue(value)]]));
      for (const line of written.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      const [event] = new ICAL.Component(ICAL.parse(written)).getAllSubcomponents('vevent');
      expect(event!.getFirstPropertyValue('summary')).toBe(value);
    }),
  );
});
