/**
 * Mistakes that must not compile. Each line below a `@ts-expect-error` is one: if the compiler accepts it, the
 * directive itself is an error, and `make types` fails.
 */
import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { flag, optional, type ParameterSchema, parseWholeNumber, text } from '../../src/api/inputs.ts';
import { SELECTORS, type Selector, type TextForm } from '../../src/api/parameters/selectors.ts';
import { target } from '../../src/api/parameters/targets.ts';
import { jsonRoute } from '../../src/api/route.ts';
import { encode } from '../../src/common/json.ts';
import { fc } from '../support/property.ts';

const Payload = Type.Object({ value: Type.Integer() });
const DECLARED = {
  path: '/v1/example',
  summary: 'An example',
  description: 'Of the tests.',
  parameters: { week: flag('A flag.'), target },
  payload: Payload,
  lifetime: 'moment',
  examples: [{ title: 'One', query: '' }],
} as const;

test('handlers that match their declaration compile', () => {
  const route = jsonRoute({ ...DECLARED, handle: ({ week }) => encode({ value: week ? 1 : 0 }) });
  expect(Object.keys(route.inputs.parameters).slice(0, 3)).toEqual(['week', 'tz', 'territory']);
});

test('a misspelt parameter in a handler does not compile', () => {
  // @ts-expect-error: the parameter is `week`.
  jsonRoute({ ...DECLARED, handle: ({ wek }) => encode({ value: wek ? 1 : 0 }) });
});

test('a parameter of another type does not compile', () => {
  // @ts-expect-error: `week` is a boolean.
  jsonRoute({ ...DECLARED, handle: ({ week }) => encode({ value: week }) });
});

test('a payload that does not match its schema does not compile', () => {
  // @ts-expect-error: the member is `value`.
  jsonRoute({ ...DECLARED, handle: () => encode({ values: 1 }) });
  // @ts-expect-error: the schema has no member `extra`.
  jsonRoute({ ...DECLARED, handle: () => encode({ value: 1, extra: 2 }) });
  // @ts-expect-error: the payload is JSON encoded from a typed value.
  jsonRoute({ ...DECLARED, handle: () => '{"value":1}' });
});

test('a route without a cache lifetime does not compile', () => {
  const { lifetime, ...undeclared } = DECLARED;
  // @ts-expect-error: `lifetime` is required.
  jsonRoute({ ...undeclared, handle: () => encode({ value: 1 }) });
  // @ts-expect-error: there is no input `range`.
  jsonRoute({ ...DECLARED, lifetime: ({ range }) => range, handle: () => encode({ value: 1 }) });
  expect(lifetime).toBe('moment');
});

test('a route without an example, or with a parameter without one, does not compile', () => {
  // @ts-expect-error: at least one example is required.
  jsonRoute({ ...DECLARED, examples: [], handle: () => encode({ value: 1 }) });
  // @ts-expect-error: a parameter has a description and an example.
  const schema: ParameterSchema = Type.String({ description: 'Without an example.' });
  // @ts-expect-error: `text` takes a description and an example.
  optional(text('Without an example.'), value => value);
  expect(schema).toBeObject();
});

test('a selector missing from a consumer does not compile', () => {
  const { clock, ...withoutClock } = SELECTORS.tz;
  // @ts-expect-error: a selector declares how clocks store it, or that they do not.
  const unstored: Selector = withoutClock;
  // @ts-expect-error: clocks know the kinds of selectors that they store.
  const unknown: Selector = { ...SELECTORS.tz, clock: () => ({ kind: 'unknown' }) };
  const { clockOf, ...withoutClockOf } = SELECTORS.tz.text;
  // @ts-expect-error: a value of a list declares how boards of clocks store it.
  const unlisted: TextForm = withoutClockOf;
  expect([unstored, unknown, unlisted, clock, clockOf]).toBeDefined();
});

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
