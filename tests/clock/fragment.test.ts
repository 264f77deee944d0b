import { describe, expect, test } from 'bun:test';
import { ASSET_PATHS, type ClockConfig } from '../../src/clock/clock_config.ts';
import { clockFragment } from '../../src/clock/fragment.tsx';
import { liveGlyphsOf } from '../../src/clock/glyph_tables.ts';
import { liveFaceOf, patternsOf } from '../../src/clock/live_parts.ts';
import type { AnalogStyle, DigitalStyle, Style } from '../../src/clock/styles/style.ts';
import { STYLE_NAMES, STYLES, type StyleName } from '../../src/clock/styles/styles.ts';
import { BoundedCache } from '../../src/common/caching.ts';
import { Moment } from '../../src/common/moment.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { DIRECTIVES } from '../../src/text/strftime_directives.ts';
import { bundled, configOf, SHOWN_MOMENT } from './faces_page.ts';

function fragmentOf(style: StyleName, changes: Partial<ClockConfig> = {}, id = 'c1', assets = ASSET_PATHS) {
  const config = configOf(style, { pinned: false, ...changes });
  const { offsetSeconds, abbreviation } = SHOWN_MOMENT;
  return clockFragment(config, new Moment(config.unix_ms, offsetSeconds, abbreviation), id, assets);
}

/** The config in a fragment. */
function configIn(fragment: string): ClockConfig {
  return JSON.parse(/<script type="application\/json"[^>]*>([^<]*)</.exec(fragment)![1]!);
}

describe('two clocks within a second', () => {
  test('differ only in their ids and milliseconds', () => {
    for (const style of STYLE_NAMES) {
      const one = fragmentOf(style);
      const other = fragmentOf(style, { unix_ms: SHOWN_MOMENT.epochMs + 999 }, 'c-other');
      expect(configIn(one).unix_ms).toBe(SHOWN_MOMENT.epochMs);
      expect(configIn(other).unix_ms).toBe(SHOWN_MOMENT.epochMs + 999);
      expect(other.replaceAll('c-other', 'c1').replace('576999,', '576000,')).toBe(one);
    }
  });

  test('are not confused if they differ in anything', () => {
    const changes: Partial<ClockConfig>[] = [
      { unix_ms: SHOWN_MOMENT.epochMs + 1000 },
      { unix_ms: SHOWN_MOMENT.epochMs - 1 },
      { offset_seconds: 3600 },
      { abbreviation: 'CET' },
      { timezone: 'Europe/Paris' },
      { timezone_label: 'Paris' },
      { format: '' },
      { format: '%H:%M' },
      { pinned: true },
      { transition: { unix_ms: 1, offset_minutes: 2, offset_seconds: 120, abbreviation: 'X' } },
      { transition: { unix_ms: 1, offset_minutes: 2, offset_seconds: 120, abbreviation: 'Y' } },
      { refresh: { path: '/elsewhere', selector: { kind: 'none' } } },
      { refresh: { path: '/v1/time/current', selector: { kind: 'none' } } },
      { refresh: { path: '/v1/time/current', selector: { kind: 'ip', ip: '192.0.2.1' } } },
      { refresh: { path: '/v1/time/current', selector: { kind: 'offset', offset: '+09:00' } } },
      { refresh: { path: '/v1/time/current', selector: { kind: 'coordinates', lat: 1, lon: 23 } } },
      { refresh: { path: '/v1/time/current', selector: { kind: 'coordinates', lat: 12, lon: 3 } } },
    ];
    const all = [{}, ...changes].map(change => {
      const fragment = fragmentOf('digital-card', change);
      const { styleDefinition: _, ...config } = configIn(fragment);
      expect(config).toMatchObject(change);
      return fragment;
    });
    expect(new Set(all).size).toBe(all.length);
    const assets = { stylesheet: 'https://a.example/clock.css', script: 'https://a.example/clock.js' };
    expect(fragmentOf('digital-card', {}, 'c1', assets)).toContain('src="https://a.example/clock.js"');
    expect(fragmentOf('digital-card')).not.toContain('a.example');
  });
});

test('a clock that starts from an instant shows it to the millisecond', () => {
  const changes = { unix_ms: SHOWN_MOMENT.epochMs + 123, format: '%3N' };
  expect(fragmentOf('digital-minimal', { ...changes, pinned: true })).toContain('>123<');
  expect(fragmentOf('digital-minimal', changes)).toContain('>000<');
});

test('no format is mistaken for a placeholder', () => {
  for (const format of [
    '\u0001',
    '\u0001id\u0001',
    '\u0001face\u0001',
    'sc-id-of-this-clock',
    '"unix_ms":1',
  ]) {
    for (const style of ['digital-slate', 'digital-split-flap', 'digital-matrix'] as const) {
      const fragment = fragmentOf(style, { format });
      expect(configIn(fragment)).toMatchObject({ format, unix_ms: SHOWN_MOMENT.epochMs });
      const tags = (markup: string) => markup.match(/<[^>]*>/g)!.map(tag => /^<\/?[a-z]+/i.exec(tag)![0]);
      const plain = fragmentOf(style, {
        format: style === 'digital-slate' ? 'x' : 'x'.repeat(format.length),
      });
      if (style !== 'digital-split-flap') expect(tags(fragment)).toEqual(tags(plain));
      expect(fragment).not.toContain('\u0001');
    }
  }
});

test('a fragment has only 8-bit characters', () => {
  for (const style of STYLE_NAMES) {
    const west = { timezone_label: 'UTC-04:00', offset_minutes: -240, format: '\u65e5\u{1f550} %H' };
    const moment = new Moment(SHOWN_MOMENT.epochMs, -4 * 3600, 'UTC-04:00');
    const fragment = clockFragment(configOf(style, west), moment, 'c1', ASSET_PATHS);
    expect(fragment).toMatch(/^[\0-\u00ff]*$/);
    expect(configIn(fragment).format).toBe(west.format);
  }
});

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
      const { time, texts } = patternsOf(config);
      const { figures } = liveFaceOf(config, false, () => () => ({
        viewBox: '',
        lit: '',
        tail: '',
        unlit: '',
      }));
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

test("every registered style has its family's name", () => {
  for (const name of STYLE_NAMES) expect(name).toStartWith(`${STYLES[name].definition.family}-`);
});

test('the stylesheet has rules for exactly the digital styles', async () => {
  const css = await bundled('src/clock/clock.css');
  const styled = new Set([...css.matchAll(/data-style="?([\w-]+)/g)].map(match => match[1]!));
  expect([...styled].filter(name => !(STYLE_NAMES as readonly string[]).includes(name))).toEqual([]);
  expect(STYLE_NAMES.filter(name => name.startsWith('digital-') && !styled.has(name))).toEqual([]);
});

test('a style with a missing part does not compile', () => {
  const { definition, dial } = STYLES['analog-slate'] as AnalogStyle;
  const { boxes } = STYLES['digital-slate'] as DigitalStyle;
  // @ts-expect-error A style with hands needs a dial.
  const withoutDial: Style = { definition };
  // @ts-expect-error A style with digits needs a definition.
  const withoutDefinition: Style = { boxes };
  // @ts-expect-error Style names are those in the registry.
  const unknown: StyleName = 'analog-cuckoo';
  expect([withoutDial, withoutDefinition, unknown, dial]).toHaveLength(4);
});
