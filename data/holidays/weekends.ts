/** Where the weekends are from: `weekData` of this CLDR, `weekendStart` and `weekendEnd`. */
export const WEEKENDS_SOURCE = 'CLDR 48';

/** The weekend of a country, 1 is Monday, 7 Sunday, as CLDR has it today; for all years, since it keeps no past. */
export function weekendOf(country: string): readonly number[] {
  return WEEKENDS.get(country) ?? [6, 7];
}

const FRIDAY_AND_SATURDAY = [
  'BH',
  'DZ',
  'EG',
  'IL',
  'IQ',
  'JO',
  'KW',
  'LY',
  'OM',
  'QA',
  'SA',
  'SD',
  'SY',
  'YE',
];

const WEEKENDS = new Map<string, readonly number[]>([
  ['AF', [4, 5]],
  ['IN', [7]],
  ['IR', [5]],
  ['UG', [7]],
  ...FRIDAY_AND_SATURDAY.map((country): [string, readonly number[]] => [country, [5, 6]]),
]);
