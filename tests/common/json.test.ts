import { expect, test } from 'bun:test';
import { encode, jsonArray, withMember, withMembers } from '../../src/common/json.ts';
import { fc } from '../support/property.ts';

test('appending members gives the JSON of the whole object', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (first, rest) => {
      const base = { first };
      const members = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'first'));
      const json = withMembers(encode(base), members);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ ...base, ...members })));
    }),
  );
  expect(String(withMembers(encode({ a: 1 }), {}))).toBe('{"a":1}');
  expect(String(withMembers(encode({ a: 1 }), { b: 'ü', c: undefined }))).toBe('{"a":1,"b":"ü"}');
});

test('encoded members and arrays are joined unchanged', () => {
  const times = jsonArray([encode({ unix: 0 }), encode({ unix: 1 })]);
  expect(String(withMember(encode({ a: 1 }), 'times', times))).toBe(
    '{"a":1,"times":[{"unix":0},{"unix":1}]}',
  );
  expect(String(jsonArray([]))).toBe('[]');
});
