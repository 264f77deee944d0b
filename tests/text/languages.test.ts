import { describe, expect, test } from 'bun:test';
import { encodeLanguagePack, languagesOfCldr } from '../../data/languages/compile.ts';
import { readLanguagePack } from '../../data/languages/embedded.ts';
import { ENGLISH_NAMES, Languages, type TimeNames } from '../../src/text/languages.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { momentAt } from '../../src/text/time_payload.ts';
import { fc } from '../support/property.ts';

const languages = new Languages(readLanguagePack());

test("the pack equals compiled CLDR, is well below 200 KB, and has CLDR's names", () => {
  const entries = languagesOfCldr();
  const pack = readLanguagePack();
  expect(Buffer.from(encodeLanguagePack(entries)).equals(pack)).toBe(true);
  expect(pack.length).toBeLessThan(150_000);
  for (const { tags, names } of entries) {
    for (const tag of tags) expect([tag, languages.namesOf(tag)]).toEqual([tag, names ?? undefined]);
  }
  expect(entries.length).toBeGreaterThan(250);
});

describe('a tag', () => {
  test('is found in any letter case, and by its longest known prefix', () => {
    for (const [tag, like] of [
      ['DE-at', 'de-AT'],
      ['de-AT-1996', 'de-AT'],
      ['de-ZZ', 'de'],
      ['de-x-private', 'de'],
      ['en-u-ca-gregory', 'en'],
      ['sr-Latn-XX', 'sr-Latn'],
      ['zh-TW', 'zh-Hant-TW'],
      ['iw', 'he'],
      ['deu', 'de'],
    ] as const) {
      expect([tag, languages.namesOf(tag)]).toEqual([tag, languages.namesOf(like)]);
      expect(languages.namesOf(tag)).toBeDefined();
    }
  });

  test('has no language if it is malformed, too long or without names', () => {
    const tags = [
      ...['', 'd', 'de_DE', 'de-', '-de', 'deutsche-', 'x-private', 'und', 'aa', 'zz', 'az-Arab', 'ſr'],
      ...['de ', 'de\n'],
    ];
    for (const tag of [...tags, `de${'-abcdefgh'.repeat(8)}`]) {
      expect([tag, languages.namesOf(tag)]).toEqual([tag, undefined]);
    }
  });

  test('can be any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z]{2,8}(-[a-zA-Z0-9]{1,8}){0,9}$/)), tag => {
        const names = languages.namesOf(tag);
        if (names !== undefined) expect(names.loneMonthsFull).toHaveLength(12);
      }),
    );
  });
});

test("CLDR's English equals the C locale", () => {
  expect(languages.namesOf('en')).toEqual(ENGLISH_NAMES);
});

const AUGUST = momentAt(Date.UTC(2026, 7, 15, 13), {
  timezone: 'UTC',
  zoneText: 'UTC',
  hasLocalTime: true,
  zone: null,
  periodAt: () => ({ offsetSeconds: 0, abbreviation: 'UTC' }),
});

function formatted(pattern: string, names: TimeNames): string {
  return compileStrftime(pattern, 'format', names).format(AUGUST);
}

describe('a pattern in another language', () => {
  const russian = languages.namesOf('ru')!;

  test('has the names used in dates, and everything else as in English', () => {
    expect(formatted('%a|%A|%d %B|%b|%h|%p', russian)).toBe('сб|суббота|15 августа|авг.|авг.|PM');
    expect(formatted('%p', languages.namesOf('ko')!)).toBe('오후');
    for (const pattern of ['%c', '%D', '%r', '%P', '%Z', '%x']) {
      expect(formatted(pattern, russian)).toBe(formatted(pattern, ENGLISH_NAMES));
    }
  });

  test('supports flags and widths', () => {
    expect(formatted('%^B|%#a|%12B', russian)).toBe('АВГУСТА|СБ|     августа');
  });

  test('has a limited result size in bytes', () => {
    expect(formatted('%B'.repeat(128), russian)).toHaveLength(128 * 7);
    const dzongkha = languages.namesOf('dz')!;
    expect(() => formatted('%B'.repeat(128), dzongkha)).toThrow('more than 4096 bytes');
  });
});
