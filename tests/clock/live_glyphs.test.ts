import { expect, test } from 'bun:test';
import { liveGlyphsOf } from '../../src/clock/fragment.tsx';
import { liveFaceOf, patternsOf } from '../../src/clock/live_parts.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { BoundedCache } from '../../src/common/caching.ts';
import { Moment } from '../../src/common/moment.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { DIRECTIVES } from '../../src/text/strftime_directives.ts';
import { configOf } from './faces_page.ts';

/** Every month, weekday, half of the day and digit, with alphabetic and numeric abbreviations. */
const MOMENTS = Array.from({ length: 84 }, (_, index) => {
  const epochMs = Date.UTC(
    1987 + index,
    index % 12,
    1 + (index % 28),
    (index * 5) % 24,
    index % 60,
    index % 60,
    7,
  );
  return index % 2 === 0 ? new Moment(epochMs, 34_200, 'ACST') : new Moment(epochMs, -10_800, '-03');
});

const FORMATS = [...DIRECTIVES.keys()].flatMap(letter => [`%${letter}`, `%^${letter}`, `%#${letter}`]);

test('a clock has the glyphs of everything it can show later', () => {
  for (const style of STYLE_NAMES) {
    for (const format of style.startsWith('analog-') ? [null] : [null, '%I:%M %p', ...FORMATS]) {
      const config = configOf(style, { format });
      const { styleDefinition } = config;
      const glyphs = liveGlyphsOf(config);
      const { time, texts } = patternsOf(styleDefinition, format, false);
      const { figures } = liveFaceOf(
        styleDefinition,
        format,
        { isOffset: false, isInRows: false },
        () => () => ({
          viewBox: '',
          lit: '',
          tail: '',
          unlit: '',
        }),
      );
      const letters = ('letters' in styleDefinition && styleDefinition.letters) || 'letters';
      if (style === 'digital-minimal') expect(glyphs).toEqual({});
      else {
        expect([style, format, missing(Object.values(texts), glyphs[letters]!.shapes)]).toEqual([
          style,
          format,
          [],
        ]);
        if (figures === undefined) continue;
        const { shapes, unknown } = glyphs[figures]!;
        // Segments have no lower-case letters, and leave unsupported characters dark.
        const known =
          unknown === undefined || figures === 'dots' ? shapes : { ...shapes, ' ': '', ...lowered(shapes) };
        expect([style, format, missing(Object.values(time), known)]).toEqual([style, format, []]);
      }
    }
  }
});

function lowered(shapes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(shapes).map(([character, shape]) => [character.toLowerCase(), shape]),
  );
}

/** The characters that a pattern writes, by pattern. */
const written = new BoundedCache<string, readonly string[]>(1000);

function charactersOf(pattern: string): readonly string[] {
  return written.getOrInsertComputed(pattern, () => {
    const line = compileStrftime(pattern, 'format');
    return [...new Set(MOMENTS.map(moment => line.format(moment)).join(''))];
  });
}

/** The characters written by patterns that have no shape. */
function missing(patterns: readonly string[], shapes: Readonly<Record<string, string>>): string[] {
  return patterns.flatMap(charactersOf).filter(character => !(character in shapes) && !/\s/.test(character));
}
