import { expect, test } from 'bun:test';
import { parseWholeNumber } from '../../src/api/parameters/input.ts';
import { fc } from '../support/property.ts';

const parse = (text: string) => parseWholeNumber(text, 'unix', 'seconds');
const PATTERN = /^[ +-]?[0-9]+$/;

test('a whole number is a sign and digits', () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789+- .e') }));
  fc.assert(
    fc.property(texts, text => {
      if (PATTERN.test(text)) expect(parse(text)).toBe(Number(text.replace(' ', '')) + 0);
      else expect(() => parse(text)).toThrow('is not a whole number of seconds');
    }),
  );
});

test('every safe integer is exact', () => {
  fc.assert(fc.property(fc.maxSafeInteger(), number => expect(parse(String(number))).toBe(number + 0)));
  for (const text of ['9007199254740991', '-9007199254740991', '-0', '+007', ' 5']) {
    expect(parse(text)).toBe(Number(text) + 0);
  }
});

test('a number above the safe integers keeps its size, up to infinity', () => {
  expect(parse('73786976294838206464') / 2 ** 66).toBeCloseTo(1, 12);
  expect(parse('9'.repeat(400))).toBe(Number.POSITIVE_INFINITY);
});
