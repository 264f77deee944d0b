import { expect, test } from 'bun:test';
import { cut, oneLine, quoted } from '../../src/common/errors.ts';

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
