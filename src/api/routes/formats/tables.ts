import { unreadable } from '../../../common/errors.ts';
import { Transition } from '../../../operations/details.ts';
import { listHolidays, rangeOf } from '../../../operations/holidays.ts';
import type { Target } from '../../../operations/target.ts';
import { ZoneListing, zoneListing, zonesOf } from '../../../operations/timezone.ts';
import { type Cell, csvLine } from '../../../text/csv.ts';
import type { Targets } from '../../parameters/targets.ts';
import { instantRange, lifetimeOfRange, timestamp } from '../../parameters/timestamps.ts';
import { country, targetOrZones } from '../../parameters/zone_lists.ts';
import { textRoute, textsOf } from '../../route.ts';
import { listed } from '../holidays.ts';
import { transitionsIn, ZONES_PER_SLICE } from '../transitions.ts';

const CSV = 'text/csv; charset=utf-8';

const HOLIDAY_COLUMNS = ['date', 'name', 'name_en', 'day_full', 'status', 'source'] as const;

export const holidaysTableRoute = textRoute({
  path: '/v1/holidays.csv',
  summary: 'The public holidays of a country as CSV',
  description:
    'The days of `year`, or from `from` to `to`, with the members of `/v1/holidays` as columns, in CSV (RFC 4180).',
  contentType: CSV,
  parameters: { listed },
  lifetime: 'fixed',
  reads: ['holidays'],
  examples: [
    { title: 'A year in a subdivision', query: 'country=DE&subdivision=BY&year=2026' },
    { title: 'A range of days, in English', query: 'country=JP&from=2026-09-01&to=2026-09-30&lang=en' },
    { title: 'Without a year', query: 'country=DE' },
  ],
  handle({ listed }) {
    if (listed.kind !== 'days') throw unreadable('year', "it is missing: give 'year', or 'from' and 'to'");
    const days = listHolidays(listed.calendar, rangeOf(listed.days), listed.language);
    const rows = days.map(({ substitute_for, ...day }) => [
      ...HOLIDAY_COLUMNS.map(column => day[column]),
      substitute_for?.date ?? null,
      substitute_for?.name ?? null,
    ]);
    return table([...HOLIDAY_COLUMNS, 'substitute_for_date', 'substitute_for_name'], rows);
  },
});

const ZONE_COLUMNS = Object.keys(ZoneListing.properties);

export const timezonesTableRoute = textRoute({
  path: '/v1/timezones.csv',
  summary: 'All zones, or those of a country, as CSV',
  description: 'The list of `/v1/timezones` in CSV (RFC 4180). Country codes are separated by spaces.',
  contentType: CSV,
  parameters: { country, instant: timestamp },
  lifetime: ({ instant }) => (instant === null ? 'transition' : 'fixed'),
  reads: ['zones'],
  examples: [
    { title: 'By country', query: 'country=NZ' },
    { title: 'At an instant', query: 'country=PT&iso=1970-01-01' },
    { title: 'Not a country', query: 'country=ZZ' },
  ],
  handle({ country, instant }, context) {
    const epochMs = instant?.epochMs ?? context.nowMs;
    const rows = zonesOf(country, context.snapshot.zones).map(zone => {
      const { name, country_codes, offset, abbreviation, dst } = zoneListing(zone, epochMs);
      return [name, country_codes.join(' '), offset, abbreviation, dst];
    });
    return table(ZONE_COLUMNS, rows);
  },
});

const TRANSITION_COLUMNS = Object.keys(Transition.properties) as (keyof typeof Transition.properties)[];

export const transitionsTableRoute = textRoute({
  path: '/v1/time/transitions.csv',
  summary: 'The clock changes of one or more zones, as CSV',
  description: 'The changes of `/v1/time/transitions` in CSV (RFC 4180), one row per change.',
  contentType: CSV,
  parameters: { targets: targetOrZones, range: instantRange },
  lifetime: lifetimeOfRange,
  examples: [
    { title: 'This year', query: 'tz=Europe/Paris' },
    { title: 'Several zones', query: 'tz=America/New_York,Asia/Tokyo&from=2026-03-01&to=2026-04-01' },
    { title: 'Too long', query: 'all=true&from=2020-01-01&to=2030-01-01' },
  ],
  handle({ targets, range }, context) {
    const transitionsOf = transitionsIn(range, targets, context);
    const rowsOf = (target: Target) => {
      const { timezone, transitions } = transitionsOf(target);
      return transitions.map(change =>
        csvLine([timezone, ...TRANSITION_COLUMNS.map(column => change[column])]),
      );
    };
    const texts = textsOf(foundOf(targets), target => rowsOf(target).join(''), ZONES_PER_SLICE);
    const header = csvLine(['timezone', ...TRANSITION_COLUMNS]);
    return texts instanceof Promise ? texts.then(rows => header + rows.join('')) : header + texts.join('');
  },
});

/** The targets of a request; throws the error of an entry that fails, which a table cannot represent. */
function foundOf(targets: Targets): readonly Target[] {
  if ('periodAt' in targets) return [targets];
  return targets.map(entry => {
    if ('error' in entry) throw entry.error;
    return entry;
  });
}

function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return csvLine(columns) + rows.map(csvLine).join('');
}
