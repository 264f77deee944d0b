import { expect, test } from 'bun:test';
import { csvLine } from '../../src/text/csv.ts';

test('cells are quoted if necessary, and empty for null', () => {
  expect(csvLine(['a', 1, -2.5, true, null])).toBe('a,1,-2.5,true,\r\n');
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
});

test('texts that a spreadsheet would treat as formulas get an apostrophe, numbers do not', () => {
  expect(csvLine(['=1+1', '+03', '-03', '@a', -3, 'a=b', '=a,b'])).toBe(
    "'=1+1,'+03,'-03,'@a,-3,a=b,\"'=a,b\"\r\n",
  );
});
