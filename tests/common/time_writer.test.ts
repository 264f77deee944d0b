import { expect, test } from 'bun:test';
import { TimeWriter } from '../../src/common/time_writer.ts';
import { fc } from '../property.ts';

function written(write: (writer: TimeWriter) => void): string {
  const writer = new TimeWriter(100);
  write(writer);
  return writer.text();
}

test('an integer is written as JSON writes it', () => {
  const any = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -1001, max: 1001 }));
  fc.assert(
    fc.property(any, number => {
      expect(written(writer => writer.integer(number))).toBe(JSON.stringify(number));
    }),
  );
  expect(written(writer => writer.integer(-0))).toBe('0');
});

test('a number below a hundred is written in two digits', () => {
  for (let number = 0; number < 100; number++) {
    expect(written(writer => writer.pair(number))).toBe(String(number).padStart(2, '0'));
  }
});

test('literal text is appended, text of any length and script', () => {
  for (const text of ['', 'a', 'x'.repeat(24), 'y'.repeat(25), 'z'.repeat(80), 'Zürich 東京']) {
    const append = (writer: TimeWriter) => {
      writer.pair(7);
      writer.literal(new TextEncoder().encode(text));
      writer.code(33);
    };
    expect(written(append)).toBe(`07${text}!`);
  }
});

test('truncated text is continued, and a raised capacity preserves it', () => {
  const writer = new TimeWriter(3);
  writer.integer(123);
  writer.truncate(2);
  writer.reserve(40);
  writer.literal(new TextEncoder().encode('x'.repeat(38)));
  expect(writer.text()).toBe(`12${'x'.repeat(38)}`);
  expect(writer.length).toBe(40);
});
