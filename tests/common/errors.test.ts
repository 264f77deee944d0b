import { expect, test } from 'bun:test';
import { cut, oneLine, quoted, withoutPasswords } from '../../src/common/errors.ts';

test('a text is truncated to its limit with an ellipsis, and never within a character', () => {
  expect(cut('a'.repeat(80), 80)).toBe('a'.repeat(80));
  expect(cut('a'.repeat(81), 80)).toBe(`${'a'.repeat(79)}…`);
  expect(cut(`${'a'.repeat(78)}😀😀`, 80)).toBe(`${'a'.repeat(78)}…`);
  expect(cut(`${'a'.repeat(77)}😀😀`, 80)).toBe(`${'a'.repeat(77)}😀…`);
});

test('a lone surrogate is replaced', () => {
  expect(quoted('a\ud83d')).toBe("'a\ufffd'");
});

test('oneLine is the first line of a message, without the stack', () => {
  expect(oneLine(new Error('the disk is full\nand more', { cause: new Error('ENOSPC') }))).toBe(
    'the disk is full',
  );
  expect(oneLine('thrown as it is\n  at somewhere')).toBe('thrown as it is');
});

test.each([
  ["Cannot read https://user:secret@a.example/b@c: it's gone", "Cannot read https://…@c: it's gone"],
  ["'https://secret@a.example' is not a URL", "'https://…@a.example' is not a URL"],
  ["'https://user:sec/r@et@a.example' is", "'https://…@a.example' is"],
  ['redis://:secret@a', 'redis://…@a'],
  ['https://a.example/b,https://user:secret@c', 'https://a.example/b,https://…@c'],
  ['redis://:secret@a,redis://:secret@b', 'redis://…@b'],
  ['https://secret@a.example/b@c', 'https://…@c'],
])('%p hides user information', (text, expected) => expect(withoutPasswords(text)).toBe(expected));

test.each(['https://a.example/b@c', 'me@a.example', '//a.example and @b', '(file:///m/@a/b.js:1:2)'])(
  '%p is unchanged',
  text => expect(withoutPasswords(text)).toBe(text),
);
