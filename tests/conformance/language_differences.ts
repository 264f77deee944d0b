import type { TimeNames } from '../../src/text/languages.ts';

/** Differences between the names in CLDR 48.2 and those written by `Intl.DateTimeFormat` in Bun 1.4.5 (ICU 78.3, CLDR 48.2). */
export interface LanguageDifference {
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

export const LANGUAGE_DIFFERENCES: readonly LanguageDifference[] = [
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
