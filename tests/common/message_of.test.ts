import { expect, test } from 'bun:test';
import { oneLine } from '../../src/common/errors.ts';

test('oneLine is the first line of a message, without the stack', () => {
  expect(oneLine(new Error('the disk is full\nand more', { cause: new Error('ENOSPC') }))).toBe(
    'the disk is full',
  );
  expect(oneLine('thrown as it is\n  at somewhere')).toBe('thrown as it is');
});
