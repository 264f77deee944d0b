import { describe, expect, test } from 'bun:test';
import { deflateRawSync } from 'node:zlib';
import { encodeLanguagePack, languagesOfCldr } from '../../data/languages/compile.ts';
import { readLanguagePack } from '../../data/languages/embedded.ts';
import { englishPlaceName, placeNames, readSubdivisions } from '../../data/languages/place_names.ts';
import { Languages } from '../../src/text/language_pack.ts';
import { ENGLISH_NAMES, type TimeNames } from '../../src/text/languages.ts';
import { splitLanguagePack } from '../../src/text/place_names.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { momentAt } from '../../src/text/time_payload.ts';
import { fc } from '../support/property.ts';

const languages = new Languages(readLanguagePack());

test("the pack equals compiled CLDR, is below 1 MB, and has CLDR's names", () => {
  const entries = languagesOfCldr();
  const places = placeNames();
  const pack = readLanguagePack();
  expect(Buffer.from(encodeLanguagePack(entries, places)).equals(pack)).toBe(true);
  expect(pack.length).toBeLessThan(1_000_000);
  for (const { tags, names } of places.entries) {
    for (const tag of tags) {
      const found = [...languages.placeNamesOf(tag)!].filter(([code]) => !places.sameAs.has(code));
      expect([tag, new Map(found)]).toEqual([tag, new Map([...names].sort())]);
    }
  }
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

describe('names of places', () => {
  test('are the short ones of CLDR, and our own where it has none', () => {
    for (const [code, name] of Object.entries({
      ...{ BD: 'Bangladesh', CI: 'Côte d’Ivoire', HK: 'Hong Kong', IT: 'Italy', MK: 'North Macedonia' },
      ...{ MM: 'Myanmar', MO: 'Macao', PS: 'Palestine', SZ: 'Eswatini' },
      ...{ 'DE-BY': 'Bavaria', 'FI-01': 'Åland Islands', 'NO-56': 'Finnmark', 'NZ-MBH': 'Marlborough' },
      ...{ 'RU-CE': 'Chechnya', 'US-DC': 'District of Columbia', 'US-PR': 'Puerto Rico' },
    }))
      expect([code, englishPlaceName(code)]).toEqual([code, name]);
    for (const code of ['DE-XX', 'UN', 'EU', 'ZZ', '']) expect(englishPlaceName(code)).toBeUndefined();
  });

  test('are looked up like other names, and unknown for other tags', () => {
    const nameOf = (tag: string, code: string) => languages.placeNamesOf(tag)?.get(code);
    expect(['de', 'de-at', 'DE-Latn-1996', 'deu'].map(tag => nameOf(tag, 'FR'))).toEqual(
      Array(4).fill('Frankreich'),
    );
    expect(nameOf('zh-TW', 'MK')).toBe('北馬其頓');
    expect(nameOf('pt-PT', 'MK')).toBe('Macedónia do Norte');
    expect(nameOf('nb', 'GB-SCT')).toBe('Skottland');
    expect(nameOf('de-CH', 'CH-GE')).toBe('Genf');
    expect(nameOf('fr', 'US')).toBe('États-Unis'); // not É.-U.
    for (const tag of ['xx', 'vo', 'de_DE', '']) expect(languages.placeNamesOf(tag)).toBeUndefined();
  });

  test('agree with the names of ICU, except for short forms', () => {
    for (const language of ['de', 'es', 'fr', 'ja', 'pl', 'ru']) {
      const names = new Intl.DisplayNames(language, { type: 'region' });
      const found = languages.placeNamesOf(language)!;
      const others = [...found]
        .filter(([code]) => code.length === 2)
        .filter(([code, name]) => names.of(code) !== name);
      expect([language, others.map(([code]) => code).sort()]).toEqual([language, ['HK', 'MO', 'PS']]);
    }
  });

  test('are unknown with the pack of an older version, which can read this one', () => {
    const pack = readLanguagePack();
    const older = new Languages(splitLanguagePack(pack).lines);
    expect(older.placeNamesOf('de')).toBeUndefined();
    expect(older.namesOf('de')).toEqual(languages.namesOf('de'));
    // As 1.0.0 reads it: the lines after those that it knows have an empty tag.
    const lines = new TextDecoder().decode(pack).trimEnd().split('\n');
    const others = lines.splice(languagesOfCldr().length);
    expect(others).toHaveLength(placeNames().entries.length + 1);
    expect(others.filter(line => !line.startsWith('\t'))).toEqual([]);
    expect(lines.filter(line => line.startsWith('\t'))).toEqual([]);
  });

  test('are rejected if they are damaged, but not those of other languages', () => {
    const text = new TextDecoder().decode(readLanguagePack());
    const deflated = (names: string) => deflateRawSync(names).toString('base64');
    const withGerman = (packed: string) =>
      new Languages(new TextEncoder().encode(text.replace(/(\n\tde [^\t]*\t).*/, `$1${packed}`)));
    for (const [packed, cause] of [
      ['', /^unexpected end of file$/],
      [deflated('Andorra|Spanien').slice(0, -4), /^unexpected end of file$/],
      ['AAAAAAAA', /^invalid stored block lengths$/],
      [deflated('Andorra|Spanien'), /^2 names for \d+ codes$/],
      [deflated('|'.repeat(100_001)), /^it decompresses to more than 100000 bytes$/],
    ] as const) {
      const damaged = withGerman(packed);
      expect(() => damaged.placeNamesOf('de-BE')).toThrow(
        expect.objectContaining({
          message: "The names of places in 'de-be' are damaged",
          cause: expect.objectContaining({ message: expect.stringMatching(cause) }),
        }),
      );
      expect(damaged.placeNamesOf('fr')?.get('AD')).toBe('Andorre');
      expect(damaged.namesOf('de')).toEqual(languages.namesOf('de'));
    }
  });

  test('beyond CLDR are for a code in a language, once', () => {
    const { names, sameAs } = readSubdivisions(
      '# Comment\nBE-BRU fr Bruxelles;\n  nl Brussel\nFR-971 = GP\n',
    );
    expect(names.get('nl')).toEqual(new Map([['BE-BRU', 'Brussel']]));
    expect(sameAs.get('FR-971')).toBe('GP');
    for (const line of ['BE', 'BE-BRU', 'BE-BRU Bruxelles', 'BE-BRU fr A|B', 'BE-BRU fr A; fr B'])
      expect(() => readSubdivisions(line)).toThrow('subdivisions.txt');
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
