import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoDateOf } from '../../../data/holidays/dates.ts';
import { readDecisionFile } from '../../../data/holidays/decisions/decision_file.ts';
import { parseEvidence } from '../../../data/holidays/decisions/evidence.ts';
import { IMPORTERS } from '../../../data/holidays/official/importers.ts';
import { mergeIntoEvidence } from '../../../data/holidays/official/merge.ts';
import { importFile, type OfficialYear } from '../../../data/holidays/official/official_file.ts';
import { newFolder } from '../../support/process.ts';
import { fc } from '../../support/property.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const imported = (path: string, content: string | Uint8Array) =>
  importFile(path, typeof content === 'string' ? utf8(content) : content, IMPORTERS);
/** `GB-ENG 2026: 01-01 worked 01-03` */
const texts = (years: readonly OfficialYear[]) =>
  years.map(({ calendar, year, off, worked }) => {
    const days = off.map(date => date.slice(5)).join(' ');
    return `${calendar} ${year}: ${days}${worked === null ? '' : ` worked ${worked.join(' ')}`}`;
  });

const events = (...dates: readonly string[]) => ({
  events: dates.map(date => ({ title: 'Bank holiday', date, notes: '', bunting: true })),
});
const govUk = (scotland: unknown = events('2026-01-01', '2026-03-17', '2026-06-15')) =>
  JSON.stringify({
    'england-and-wales': events('2025-12-25', '2026-01-01'),
    scotland,
    'northern-ireland': events('2026-03-17', '2026-01-01'),
  });

/** 国民の祝日・休日月日,国民の祝日・休日名称 and two days, with the names 元日 and 休日, in Shift_JIS. */
const SHIFT_JIS = Uint8Array.fromHex(
  '8d9196af82cc8f6a93fa81458b7893fa8c8e93fa2c8d9196af82cc8f6a93fa81458b7893fa96bc8fcc0d0a'.concat(
    '313936392f312f312c8cb393fa0d0a323032362f352f362c8b7893fa0d0a',
  ),
);
const korea = (...days: readonly string[]) =>
  `import { t } from "./runtime.js";\nconst y2027 = {\n${days.map(day => `\t"${day}": ["공휴일"]`).join(',\n')}\n};\nexport { y2027 };\n`;
const list = (rest: object) =>
  JSON.stringify({ 'AU-NT': { 2026: [{ source: 'Gazette', off: ['2026-01-26'], ...rest }] } });

describe('an importer', () => {
  test.each<[string, string | Uint8Array, string[]]>([
    [
      'bank-holidays.json',
      govUk(),
      [
        'GB 2026: 01-01',
        'GB-ENG 2025: 12-25',
        'GB-ENG 2026: 01-01',
        'GB-SCT 2026: 01-01 03-17 06-15',
        'GB-NIR 2026: 01-01 03-17',
      ],
    ],
    ['syukujitsu.csv', SHIFT_JIS, ['JP 2026: 05-06']],
    [
      'syukujitsu.csv',
      '国民の祝日・休日月日,国民の祝日・休日名称\n1970/1/1,元日\n1970/10/10,体育の日\n',
      ['JP 1970: 01-01 10-10'],
    ],
    [
      'jours_feries_la-reunion.csv',
      "date,annee,zone,nom_jour_ferie\n2026-12-20,2026,La Réunion,Abolition de l'esclavage\n",
      ['RE 2026: 12-20'],
    ],
    [
      'jours_feries.csv',
      'date,nom_jour_ferie,zones\n2026-05-01,1er mai,Métropole|Alsace-Moselle\n2026-04-03,Vendredi saint,Alsace-Moselle\n',
      ['FR 2026: 05-01', 'FR-57 2026: 04-03 05-01'],
    ],
    [
      'json/guyane.json',
      '{"2026-06-10": "Abolition", "2025-06-10": "Abolition"}',
      ['GF 2025: 06-10', 'GF 2026: 06-10'],
    ],
    ['metropole/2026.json', '{"2026-05-01": "1er mai"}', ['FR 2026: 05-01']],
    ['dist/2027-B0ejo23X.js', korea('2027-01-01', '2027-05-03'), ['KR 2027: 01-01 05-03']],
    ['lists.json', list({ worked: ['2026-01-31'] }), ['AU-NT 2026: 01-26 worked 2026-01-31']],
    [
      'lists.json',
      list({ off: ['2026-12-24', '2026-01-26'], names: { '2026-12-24': 'Part-day public holiday' } }),
      ['AU-NT 2026: 01-26'],
    ],
    // Wednesdays from which holidays were moved are no worked weekend.
    ['lists.json', list({ worked: ['2026-01-28'] }), ['AU-NT 2026: 01-26']],
  ])('reads %s', (path, content, expected) => {
    const { years, skipped } = imported(path, content);
    expect(texts(years)).toEqual(expected);
    expect(skipped).toEqual([]);
  });

  test.each([
    ['lists.json', list({ kind: 'bank' }), 'AU-NT: days of kind bank'],
    ['lists.json', list({ incomplete: 'no Easter' }), 'AU-NT: a list without all days: no Easter'],
    [
      'polynesie-francaise.json',
      '{"2026-05-01": "1er mai"}',
      'polynesie-francaise: the file lacks the holidays of its own law',
    ],
  ])('says what it skips in %s', (path, content, reason) => {
    expect(imported(path, content)).toEqual({ years: [], skipped: [reason] });
  });

  test.each<[string, string | Uint8Array, string]>([
    ['a.json', '{"england-and-wales": {"events": [{"dat', 'a.json: JSON Parse error: '],
    ['a.json', govUk({ events: [{ date: 20_260_101 }] }), 'a.json: /scotland/events/0/date: Expected string'],
    ['a.json', govUk(events('2026-02-30')), 'a.json: no date 2026-02-30'],
    ['a.json', govUk(events()), 'a.json: /scotland/events: Expected array length'],
    [
      'b.csv',
      '国民の祝日・休日月日,国民の祝日・休日名称\n令和8年1月1日,元日\n',
      "b.csv: '令和8年1月1日' is not a date",
    ],
    [
      'b.csv',
      '国民の祝日・休日月日,国民の祝日・休日名称\n2026/1/1\n',
      "b.csv: line 2: '2026/1/1' does not have 2 columns",
    ],
    ['b.csv', '国民の祝日・休日月日,国民の祝日・休日名称\n', 'b.csv: it has no days'],
    [
      'c.csv',
      'date,annee,zone,nom_jour_ferie\n2026-05-01,2026,Clipperton,1er mai\n',
      "c.csv: there is no zone 'clipperton'",
    ],
    ['c.json', '{"2026-05-01": "1er mai"}', "c.json: there is no zone 'c'"],
    ['mayotte.json', '{"2026-05-01": 1}', 'mayotte.json: /2026-05-01: Expected string'],
    ['d.js', korea('2026-01-01'), 'd.js: it has days outside 2027'],
    ['d.js', 'const y2027 = {\n\t"2027-01-01": [1월],\n};\n', 'd.js: JSON Parse error: '],
    ['e.json', list({ off: [] }), 'e.json: AU-NT 2026 has days of other years, or none'],
    ['e.json', list({ off: ['2025-12-26'] }), 'e.json: AU-NT 2026 has days of other years, or none'],
    ['e.json', list({ worked: '2026-01-31' }), 'e.json: /AU-NT/2026/0/worked: Expected array'],
    ['f.txt', 'Notice: an Anniversary', 'f.txt: none of the importers knows its format'],
    ['f.bin', new Uint8Array([0xff, 0xfe, 0x81]), 'f.bin: '],
  ])('rejects a malformed %s, %p', (path, content, message) => {
    expect(() => imported(path, content)).toThrow(message);
  });
});

const EVIDENCE = `# What official texts say.

[AT]
# A comment.
law 2020-01 Arbeitsruhegesetz, https://example.org/at
2023: 01-01
2024-2100: 01-01 12-25
list 2020-01 a first list, https://example.org/1
2024: 01-01 12-25
list 2020-01 a second list, https://example.org/2
2025: 01-01 12-25 worked 10-11
except 2024-12-25 it
  says so

[AT-1]
same as AT

[CH]
law 2020-01 Arbeitsgesetz, https://example.org/ch
`;
const year = (dates: string, rest: Partial<OfficialYear> = {}): OfficialYear => {
  const off = dates.split(' ').sort();
  const title = 'a list, https://example.org';
  return { calendar: 'AT', year: Number(off[0]!.slice(0, 4)), off, worked: null, title, ...rest };
};
const merged = (...years: readonly OfficialYear[]) => mergeIntoEvidence(EVIDENCE, years, '2026-11');

describe('merging', () => {
  test.each([
    ['a year that is there', [year('2025-01-01 2025-12-25')]],
    [
      'the year of a calendar that is the same as another',
      [year('2024-12-25 2024-01-01', { calendar: 'AT-1' })],
    ],
    ['worked days that are there', [year('2025-01-01 2025-12-25', { worked: ['2025-10-11'] })]],
    ['nothing', []],
  ])('changes nothing for %s', (_, years) => {
    expect(merged(...years)).toEqual({ text: EVIDENCE, changes: [] });
  });

  test('adds a year below its title, and before the exceptions', () => {
    const { text, changes } = merged(year('2027-01-01'), year('2026-01-01 2026-12-25', { worked: [] }));
    expect(changes).toEqual(['AT 2027: added, 1 day', 'AT 2026: added, 2 days']);
    expect(text).toBe(
      EVIDENCE.replace(
        'except',
        'list 2026-11 a list, https://example.org\n2026: 01-01 12-25 worked none\n2027: 01-01\nexcept',
      ),
    );
  });

  test('replaces a year with other days, and a list that has no other year', () => {
    const { text, changes } = merged(year('2024-01-01 2024-12-26'));
    expect(changes).toEqual(['AT 2024: replaced, with 12-26, without 12-25']);
    expect(text).toBe(
      EVIDENCE.replace('list 2020-01 a first list, https://example.org/1\n2024: 01-01 12-25\n', '').replace(
        'except',
        'list 2026-11 a list, https://example.org\n2024: 01-01 12-26\nexcept',
      ),
    );
  });

  test('adds a year that a law has days of, below a list that has others', () => {
    const { text } = merged(year('2023-01-01', { title: 'a first list, https://example.org/1' }));
    const title = 'list 2026-11 a first list, https://example.org/1';
    expect(text).toBe(EVIDENCE.replace('except', `${title}\n2023: 01-01\nexcept`));
    const again = year('2022-01-01', { title: 'a first list, https://example.org/1' });
    expect(mergeIntoEvidence(text, [again], '2026-11').text).toBe(
      text.replace(`${title}\n`, `${title}\n2022: 01-01\n`),
    );
  });

  test('adds a year to the section that a calendar is the same as', () => {
    const { text, changes } = merged(year('2026-01-01', { calendar: 'AT-1' }));
    expect(changes).toEqual(['AT-1 as AT 2026: added, 1 day']);
    expect(text).toBe(merged(year('2026-01-01')).text);
  });

  test('takes the worked days of either of two lists of a year', () => {
    const plain = year('2026-01-01');
    const list = year('2026-01-01', { worked: ['2026-01-03'] });
    for (const lists of [
      [plain, list],
      [list, plain],
    ])
      expect(merged(...lists)).toEqual(merged(list));
  });

  test('replaces worked days', () => {
    const { changes } = merged(year('2025-01-01 2025-12-25', { worked: ['2025-10-18'] }));
    expect(changes).toEqual(['AT 2025: replaced, worked 10-18, not worked 10-11']);
  });

  test('adds a section in alphabetical order, in lines of 120 columns', () => {
    const title = `${'a long title of a list '.repeat(8)}https://example.org`;
    const { text } = merged(year('2026-01-01', { calendar: 'BE', title }));
    const [, section] = /\nsame as AT\n\n(\[BE\]\n.*?\n)\n\[CH\]/s.exec(text)!;
    expect(section).toStartWith('[BE]\nlist 2026-11 a long');
    expect(section!.split('\n').every(line => line.length <= 120)).toBe(true);
    expect(parseEvidence(text).get('BE')!.lists[0]!.title.text).toBe(title);
  });

  test.each([
    [
      'two lists of a year',
      [year('2026-01-01'), year('2026-01-02', { title: 'b' })],
      "'a list, https://example.org' and 'b'",
    ],
    [
      'a new list without an address',
      [year('2026-01-01', { title: 'a list' })],
      "AT 2026: 'a list' has no address",
    ],
  ])('rejects %s', (_, years, message) => {
    expect(() => merged(...years)).toThrow(message);
  });

  test('any years are read from the text as they were, and merging them again changes nothing', () => {
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 364 }), { minLength: 1, maxLength: 40 });
    const years = fc.uniqueArray(
      fc.record({
        calendar: fc.constantFrom('AT', 'BE', 'CH', 'ZZ-1'),
        year: fc.integer({ min: 1970, max: 2100 }),
        title: fc.constantFrom('a list, https://example.org', 'a second list, https://example.org/2'),
        off: days,
        worked: fc.option(days),
      }),
      { maxLength: 12, selector: each => `${each.calendar} ${each.year}` },
    );
    fc.assert(
      fc.property(years, drawn => {
        const datesOf = (of: number, numbers: readonly number[]) =>
          numbers.map(day => isoDateOf(Date.UTC(of, 0, 1) / 86_400_000 + day)).sort();
        const lists = drawn.map(each => ({
          ...each,
          off: datesOf(each.year, each.off),
          worked: each.worked && datesOf(each.year, each.worked),
        }));
        const once = merged(...lists);
        const evidence = parseEvidence(once.text);
        for (const { calendar, year: of, off, worked } of lists) {
          const found = evidence.get(calendar)!.lists.filter(each => each.year === of);
          expect(found.map(each => each.off.map(isoDateOf))).toEqual([off]);
          if (worked !== null) expect(found[0]!.worked!.map(isoDateOf)).toEqual(worked);
        }
        expect(mergeIntoEvidence(once.text, lists, '2027-01')).toEqual({ text: once.text, changes: [] });
        expect(once.text.split('\n').filter(line => line.length > 120)).toEqual([]);
      }),
    );
  });

  test('the lists of evidence.txt are those that it has, and nothing else in it changes', () => {
    const text = readDecisionFile('evidence.txt');
    const lists = [...parseEvidence(text)].flatMap(([calendar, { lists }]) =>
      [...Map.groupBy(lists, each => each.year).values()].map(([first]) => ({
        ...first!,
        calendar,
        title: first!.title.text,
        off: first!.off.map(isoDateOf).sort(),
        worked: first!.worked?.map(isoDateOf).sort() ?? null,
      })),
    );
    expect(lists.length).toBeGreaterThan(300);
    expect(mergeIntoEvidence(text, lists, '2027-01')).toEqual({ text, changes: [] });
  });
});

test('a file that cannot be read leaves evidence.txt as it is', () => {
  const folder = newFolder();
  const good = join(folder, 'metropole.json');
  writeFileSync(good, '{"2099-05-01": "1er mai"}');
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, '{"2099-05-01": ');
  const evidence = readDecisionFile('evidence.txt');
  const script = join(import.meta.dir, '../../../data/holidays/official/import.ts');
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, script, good, bad]);
  expect([exitCode, stdout.toString()]).toEqual([1, '']);
  expect(stderr.toString()).toBe(`${bad}: JSON Parse error: Unexpected EOF\n`);
  expect(readDecisionFile('evidence.txt')).toBe(evidence);
});
