import { pick, type Random } from './random_schedules.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

function listOf(random: Random, most: number, item: () => number | string): string {
  const items = new Set(Array.from({ length: 1 + Math.floor(random() * most) }, item));
  return [...items].join(',');
}

function whole(random: Random, first: number, last: number): number {
  return first + Math.floor(random() * (last - first + 1));
}

function signed(random: Random, last: number): number {
  return whole(random, 1, last) * (random() < 0.3 ? -1 : 1);
}

/** An RFC 5545 rule without `DTSTART`, with any frequency and any of the parts allowed for it. */
export function randomRule(random: Random): string {
  const frequency = pick(random, ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY']);
  const isSubdaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(frequency);
  const parts = [`FREQ=${frequency}`];
  const maybe = (chance: number, name: string, value: () => string) => {
    if (random() < chance) parts.push(`${name}=${value()}`);
  };
  maybe(
    0.4,
    'INTERVAL',
    () => `${pick(random, isSubdaily ? [2, 3, 5, 7, 12, 25, 45, 100] : [2, 3, 4, 5, 7, 12])}`,
  );
  maybe(0.2, 'COUNT', () => `${whole(random, 1, 30)}`);
  maybe(0.3, 'BYMONTH', () => listOf(random, 4, () => whole(random, 1, 12)));
  const takesWeekNo = frequency === 'YEARLY' && random() < 0.15;
  // Weeks that extend into an adjacent year: RFC 5545 does not say to which year their days belong.
  const [firstWeek, lastWeek] = parts.some(part => part.startsWith('INTERVAL')) ? [3, 50] : [1, 53];
  const week = () => whole(random, firstWeek, lastWeek) * (random() < 0.3 ? -1 : 1);
  if (takesWeekNo) parts.push(`BYWEEKNO=${listOf(random, 3, week)}`);
  if (!['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency) && !takesWeekNo)
    maybe(0.1, 'BYYEARDAY', () => listOf(random, 4, () => signed(random, 366)));
  const has = (name: string) => parts.some(part => part.startsWith(`${name}=`));
  if (frequency !== 'WEEKLY') maybe(0.2, 'BYMONTHDAY', () => listOf(random, 4, () => signed(random, 31)));
  const takesOrdinals = ['MONTHLY', 'YEARLY'].includes(frequency) && !takesWeekNo && random() < 0.5;
  const ordinals = frequency === 'MONTHLY' || has('BYMONTH') ? 5 : 52;
  const ordinal = () => (takesOrdinals ? signed(random, ordinals) : '');
  maybe(takesWeekNo ? 0.6 : 0.4, 'BYDAY', () =>
    listOf(random, 4, () => `${ordinal()}${pick(random, WEEKDAYS)}`),
  );
  maybe(0.25, 'BYHOUR', () => listOf(random, 4, () => pick(random, [0, 1, 2, 3, whole(random, 0, 23)])));
  maybe(0.25, 'BYMINUTE', () => listOf(random, 3, () => pick(random, [0, 30, whole(random, 0, 59)])));
  maybe(0.15, 'BYSECOND', () => listOf(random, 3, () => whole(random, 0, 59)));
  if (!takesWeekNo && parts.some(part => part.startsWith('BY')))
    maybe(0.15, 'BYSETPOS', () => listOf(random, 2, () => signed(random, 4)));
  maybe(0.2, 'WKST', () => pick(random, WEEKDAYS));
  return parts.join(';');
}
