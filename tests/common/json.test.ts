import { describe, expect, spyOn, test } from 'bun:test';
import { quoted } from '../../src/common/errors.ts';
import { parseStrictJsonText } from '../../src/common/json.ts';
import { fc } from '../support/property.ts';
import { thrownBy } from '../support/thrown.ts';

const strict = (text: string) => parseStrictJsonText(text, { depth: 32 });
const unicode = fc.string({ unit: 'binary', maxLength: 8 });
const value = fc.jsonValue({ maxDepth: 3 }).map(each => JSON.stringify(each));

/** A string in JSON, with all characters escaped. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('strict JSON', () => {
  test('is parsed like any other', () => {
    const spaced = fc.tuple(fc.jsonValue(), fc.nat(3)).map(args => JSON.stringify(args[0], null, args[1]));
    fc.assert(fc.property(spaced, text => expect(strict(text)).toEqual(JSON.parse(text))));
    fc.assert(fc.property(unicode, text => expect(strict(escaped(text))).toBe(text)));
  });

  test('has no member twice, wherever it is and however it is written', () => {
    const places = fc.constantFrom(['', ''], ['[', ',1]'], ['[0,', ']'], ['{"x":', '}'], ['[{"x":[', ']}]']);
    fc.assert(
      fc.property(
        unicode,
        fc.boolean(),
        places,
        value,
        value,
        (name, isLast, [start, end], first, second) => {
          const names = [JSON.stringify(name), escaped(name)];
          const [early, late] = isLast ? names : names.reverse();
          const once = `${start}{${early}:${first},${escaped(`${name}x`)}:{${late}:[{${early}:${second}}]}}${end}`;
          expect(strict(once)).toEqual(JSON.parse(once));
          const twice = `${start}{${early}:${first},${escaped(`${name}_`)}:[${second}],\n${late} : 0}${end}`;
          expect(() => strict(twice)).toThrow(`it has the member ${quoted(name)} twice`);
        },
      ),
    );
  });

  test('has no unpaired surrogate, in names too', () => {
    const part = fc.constantFrom('\\ud83d', '\\uDE00', '\\uDBff', '\\udc00', '\\\\', '\\n', 'x', 'ud800');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.boolean(), (parts, isName) => {
        const string = `"${parts.join('')}"`;
        const text = isName ? `{${string}:0}` : `[0,${string}]`;
        if (JSON.parse(string).isWellFormed()) expect(strict(text)).toEqual(JSON.parse(text));
        else expect(() => strict(text)).toThrow('it has an unpaired surrogate in a string');
      }),
    );
  });

  test('is read once, even if it is none', () => {
    const hostile = {
      'a string before many colons': `"${'\\n'.repeat(20_000)}"${'{:}'.repeat(2000)}`,
      'a name before many colons': `{"${'\\n'.repeat(20_000)}"${':'.repeat(20_000)}}`,
      'strings between colons': '"\\n"::'.repeat(10_000),
      'damaged strings as names': `"${'\\x'.repeat(1000)}":`.repeat(30),
      'the same member': `{${'"\\n":1,'.repeat(8000)}"":1}`,
      'more brackets than are open': ']'.repeat(30_000) + '"a":'.repeat(5000),
      'brackets too deep': '[{"a":'.repeat(10_000),
    };
    const [parse, slice] = [spyOn(JSON, 'parse'), spyOn(String.prototype, 'slice')];
    for (const [name, text] of Object.entries(hostile)) {
      parse.mockClear();
      slice.mockClear();
      expect(
        thrownBy(() => strict(text)),
        name,
      ).toHaveLength(1);
      const parsed = parse.mock.calls.map(([part]) => part);
      const sliced = slice.mock.results.map(result => String(result.value));
      for (const parts of [parsed, sliced])
        expect(
          parts.reduce((sum, { length }) => sum + length, 0),
          name,
        ).toBeLessThanOrEqual(3 * text.length);
    }
    parse.mockRestore();
    slice.mockRestore();
  });
});
