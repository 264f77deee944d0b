import { expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { Query } from '../../src/http/query.ts';
import { fc } from '../support/property.ts';

const KNOWN = new Set(['tz', 'format', 'sign', 'iso']);

function read(search: string): Query {
  return new Query(search, KNOWN);
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a percent sign without two hex digits is literal', () => {
  expect(read('format=%Y-%m-%25d%').get('format')).toBe('%Y-%m-%d%');
});

test('a plus is a space, and white space is preserved', () => {
  expect(read('format=+a%20b+').get('format')).toBe(' a b ');
});

test('an equals sign in a value belongs to the value', () => {
  expect(read('format=a=b').get('format')).toBe('a=b');
});

test('a name may be percent-encoded too', () => {
  expect(read('%74z=UTC').get('tz')).toBe('UTC');
});

test('an empty value is rejected when decoded, but counts as supplied', () => {
  const query = read('tz=&format');
  expect(query.has('tz')).toBe(true);
  expect(messageOf(() => query.get('tz'))).toBe("INVALID_PARAMETER: Cannot read 'tz': it has no value");
  expect(messageOf(() => query.get('format'))).toContain("Cannot read 'format'");
});

test('a parameter without a value ends where the next one begins', () => {
  const query = read('format&tz=UTC&foo&iso=a=b');
  expect([query.has('format'), query.get('tz'), query.get('iso')]).toEqual([true, 'UTC', 'a=b']);
  expect(query.ignored).toEqual(['foo']);
});

test('a repeated parameter is rejected, including a flag', () => {
  const query = read('tz=UTC&tz=UTC&sign=true&sign=true');
  expect(messageOf(() => query.get('tz'))).toContain('more than once');
  expect(messageOf(() => query.flag('sign'))).toContain('more than once');
});

test('escapes that are not UTF-8 are rejected', () => {
  for (const bytes of ['%FF', '%C3%28', '%ED%A0%80', '%C0%80', '%F5%80%80%80']) {
    expect(messageOf(() => read(`tz=${bytes}`).get('tz'))).toContain('not UTF-8');
  }
});

test('a flag is on only if it is exactly true', () => {
  for (const value of ['True', 'TRUE', '1', 'yes', '', ' true', 'true ']) {
    expect(read(`sign=${value}`).flag('sign')).toBe(false);
  }
  expect(read('sign=true').flag('sign')).toBe(true);
  expect(read('').flag('sign')).toBe(false);
});

test('unknown names are listed once each, in order', () => {
  expect(read('b=1&a=2&tz=UTC&b=3&%zz=4&__proto__=5').ignored).toEqual(['b', 'a', '%zz', '__proto__']);
});

test('values round-trip through URLSearchParams', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ minLength: 1 }), (tz, format) => {
      const query = read(new URLSearchParams({ tz, format }).toString());
      expect(query.get('tz')).toBe(tz.toWellFormed());
      expect(query.get('format')).toBe(format);
    }),
  );
});
