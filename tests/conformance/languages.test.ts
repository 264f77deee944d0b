import { expect, test } from 'bun:test';
import { availableLocales } from 'cldr-core/availableLocales.json';
import { readLanguagePack } from '../../data/languages/embedded.ts';
import { Languages } from '../../src/text/language_pack.ts';
import type { TimeNames } from '../../src/text/languages.ts';
import { expectNoDifferences } from '../support/proof.ts';

/** Differences between the names in CLDR 48.2 and those written by `Intl.DateTimeFormat` in Bun 1.4.5 (ICU 78.3, CLDR 48.2). */
interface LanguageDifference {
  readonly lists: readonly (keyof TimeNames)[];
  readonly tags: readonly string[];
  readonly reason: string;
}

const NAMES = [
  'weekdaysShort',
  'weekdaysFull',
  'monthsShort',
  'monthsFull',
  'halvesOfDay',
  'loneWeekdaysShort',
  'loneWeekdaysFull',
  'loneMonthsFull',
] as const;

function difference(lists: readonly (keyof TimeNames)[], tags: string, reason: string): LanguageDifference {
  return { lists, tags: tags.split(' '), reason };
}

const LANGUAGE_DIFFERENCES: readonly LanguageDifference[] = [
  difference(NAMES, 'en-Dsrt en-Shaw mn-Mong-MN', 'ICU has no such locale and falls back to the language'),
  difference(
    ['monthsShort'],
    'bg cs dz fi lt pt-AO pt-CH pt-CV pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-PT pt-ST pt-TL sk',
    'the pattern of day and short month has a number',
  ),
  difference(['monthsShort', 'monthsFull'], 'bua', 'the patterns of day and month have a number'),
  difference(['loneMonthsFull'], 'el el-CY el-polyton', 'the pattern of a month alone has the form in dates'),
  difference(['monthsShort', 'monthsFull'], 'el-polyton', 'the patterns of el, with accents of el'),
  difference(['monthsFull'], 'fa', 'the pattern has the stand-alone form'),
  difference(['weekdaysFull'], 'smn', 'the pattern has the stand-alone form'),
  difference(['halvesOfDay'], 'fr-CM', 'the pattern has no half of the day'),
  difference(
    ['monthsFull'],
    'zh zh-Hans zh-Hans-HK zh-Hans-MO zh-Hans-MY zh-Hans-SG',
    'the pattern has the short form, 1月',
  ),
  difference(['loneMonthsFull'], 'zh-Hans-SG', 'the pattern has the short form, 1月'),
];

/**
 * The names of each language of CLDR against the runtime's `Intl.DateTimeFormat`, in dates and standalone.
 * White space is compared as a space: ICU writes spaces where CLDR has non-breaking ones.
 */

const languages = new Languages(readLanguagePack());
const TAGS = availableLocales.full.filter(tag => Intl.DateTimeFormat.supportedLocalesOf([tag]).length > 0);

interface Comparison {
  readonly list: keyof TimeNames;
  /** The part of a date that has the name, and the options that make a pattern contain it. */
  readonly part: 'month' | 'weekday' | 'dayPeriod';
  readonly options: Intl.DateTimeFormatOptions;
  /** An instant for each name, in milliseconds. */
  readonly instants: readonly number[];
}

const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15, 12));
const WEEKDAYS = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 2, 1 + day, 12)); // March 1 is a Sunday
const DATE = { year: 'numeric', month: 'long', day: 'numeric' } as const;

const COMPARISONS: readonly Comparison[] = [
  { list: 'loneMonthsFull', part: 'month', options: { month: 'long' }, instants: MONTHS },
  { list: 'monthsFull', part: 'month', options: { month: 'long', day: 'numeric' }, instants: MONTHS },
  { list: 'monthsShort', part: 'month', options: { month: 'short', day: 'numeric' }, instants: MONTHS },
  { list: 'loneWeekdaysFull', part: 'weekday', options: { weekday: 'long' }, instants: WEEKDAYS },
  { list: 'loneWeekdaysShort', part: 'weekday', options: { weekday: 'short' }, instants: WEEKDAYS },
  { list: 'weekdaysFull', part: 'weekday', options: { weekday: 'long', ...DATE }, instants: WEEKDAYS },
  { list: 'weekdaysShort', part: 'weekday', options: { weekday: 'short', ...DATE }, instants: WEEKDAYS },
  {
    list: 'halvesOfDay',
    part: 'dayPeriod',
    options: { hour: 'numeric', hour12: true },
    instants: [Date.UTC(2026, 2, 1, 9), Date.UTC(2026, 2, 1, 15)],
  },
];

const spaced = (text: string) => text.replace(/\s/gu, ' ');

/** Whether a date has our name in its part, which for `1月` is only the number. */
function hasName(
  format: Intl.DateTimeFormat,
  epochMs: number,
  part: Comparison['part'],
  name: string,
): boolean {
  const parts = format.formatToParts(epochMs);
  const index = parts.findIndex(({ type }) => type === part);
  const [value, after] = [parts[index]?.value ?? '', parts[index + 1]?.value ?? ''];
  return spaced(value) === spaced(name) || (/^\d+$/.test(value) && `${value}${after}`.startsWith(name));
}

function isExpected(tag: string, list: keyof TimeNames): boolean {
  return LANGUAGE_DIFFERENCES.some(({ tags, lists }) => tags.includes(tag) && lists.includes(list));
}

test('the names in every language equal those of Intl, except for the listed differences', () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  let count = 0;
  for (const tag of TAGS) {
    const names = languages.namesOf(tag);
    if (names === undefined) continue;
    for (const { list, part, options, instants } of COMPARISONS) {
      const format = new Intl.DateTimeFormat(`${tag}-u-ca-gregory-nu-latn`, { timeZone: 'UTC', ...options });
      count += instants.length;
      const index = instants.findIndex(
        (instant, index) => !hasName(format, instant, part, names[list][index]!),
      );
      if (index === -1) continue;
      seen.add(`${tag} ${list}`);
      const found = `${list} of ${tag}: ${names[list][index]} is not in ${format.format(instants[index])}`;
      if (!isExpected(tag, list)) wrong.push(found);
    }
  }
  expectNoDifferences('names of Intl', count, wrong, 30_000);
  const listed = LANGUAGE_DIFFERENCES.flatMap(({ tags, lists }) =>
    tags.flatMap(tag => lists.map(list => `${tag} ${list}`)),
  );
  expect([...seen].sort()).toEqual(listed.sort());
});

test('a language in a script without CLDR names has none, whereas ICU falls back to another script', () => {
  const nameless = TAGS.filter(tag => languages.namesOf(tag) === undefined);
  const expected =
    'az-Arab az-Arab-IQ az-Arab-TR bm-Nkoo ha-Arab ha-Arab-SD ku-Arab ku-Arab-IR mn-Mong mni-Mtei ms-Arab ms-Arab-BN ' +
    'sat-Deva vai-Latn zh-Latn';
  expect(nameless.join(' ')).toBe(expected);
});
