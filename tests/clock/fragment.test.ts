import { describe, expect, test } from 'bun:test';
import { ASSET_PATHS, type ClockConfig } from '../../src/clock/clock_config.ts';
import { clockFragment } from '../../src/clock/fragment.tsx';
import { STYLE_NAMES, type StyleName } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { configOf, SHOWN_MOMENT } from './faces_page.ts';

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
