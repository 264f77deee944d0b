import { dayNumberOf, daysInMonth, SECONDS_PER_DAY } from '../common/civil.ts';
import { formatOffset, wallClockText } from '../common/iso_text.ts';
import { Moment } from '../common/moment.ts';
import { basicForm, calendar, component, type Property } from '../text/icalendar.ts';
import type { ZonePeriod } from '../zones/timeline.ts';
import type { Zone, ZoneTransition } from '../zones/zone.ts';
import type { Target } from './target.ts';

/** Earlier clock changes are omitted. */
const FIRST_YEAR = 1970;
/** Years in which yearly rules are recognised: each date falls on each weekday; until 2087 tzdata predicts Ramadan. */
const FIRST_RULE_YEAR = 2101;
const LAST_YEAR = 2128;

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;

/**
 * The clock changes of a target from 1970 on, as a calendar with one VTIMEZONE: RFC 5545 §3.6.5. An observance has one
 * abbreviation, so that another one alone is a change, too.
 */
export function timeZoneCalendar({ zone, timezone, periodAt }: Target): string {
  const epochSeconds = startOf(FIRST_YEAR);
  const first = periodAt(epochSeconds);
  const changes = zone === null ? [] : changesAfter(zone.periodAt(epochSeconds), zone);
  const rules = zone === null ? [] : yearlyRules(zone, changes);
  const ruledFrom = rules.length === 0 ? LAST_YEAR + 1 : firstRuledYear(changes, rules);
  const unruled = changes.filter(change => yearOf(change) < ruledFrom);
  const observances = [
    observance({ epochSeconds, before: first, after: first }),
    ...[...Map.groupBy(unruled, effectOf).values()].map(group =>
      observance(group[0]!, group.length === 1 ? [] : group.map(change => ['RDATE', wallClockOf(change)])),
    ),
    ...rules.map(rule => {
      const start = changes.find(change => yearOf(change) >= ruledFrom && rule.key === patternOf(change));
      return observance(start!, [['RRULE', recurrenceOf(rule)]]); // the rule was derived from such changes
    }),
  ];
  return calendar(
    [],
    component('VTIMEZONE', [['TZID', timezone ?? first.abbreviation]], observances.join('')),
  );
}

/** The changes of offset, abbreviation or DST flag from the end of a period through {@link LAST_YEAR}. */
function changesAfter(first: ZonePeriod, zone: Zone): ZoneTransition[] {
  const changes: ZoneTransition[] = [];
  const end = startOf(LAST_YEAR + 1);
  let before = first;
  for (let after = zone.periodAfter(before); after !== null; after = zone.periodAfter(before)) {
    if (after.fromEpochSeconds >= end) break;
    changes.push({ epochSeconds: after.fromEpochSeconds, before, after });
    before = after;
  }
  return changes;
}

function startOf(year: number): number {
  return dayNumberOf(year, 1, 1) * SECONDS_PER_DAY;
}

/** A change of the offset, with its recurrence. Some readers that support RDATE do not treat DTSTART as an instance. */
function observance(change: ZoneTransition, recurrence: readonly Property[] = []): string {
  const { before, after } = change;
  return component(after.isDst ? 'DAYLIGHT' : 'STANDARD', [
    ['DTSTART', wallClockOf(change)],
    ['TZOFFSETFROM', formatOffset(before.offsetSeconds).replaceAll(':', '')],
    ['TZOFFSETTO', formatOffset(after.offsetSeconds).replaceAll(':', '')],
    ['TZNAME', after.abbreviation],
    ...recurrence,
  ]);
}

/** The local time at a change, before it takes effect. */
function momentOf({ epochSeconds, before }: ZoneTransition): Moment {
  return new Moment(epochSeconds * 1000, before.offsetSeconds, before.abbreviation);
}

function wallClockOf(change: ZoneTransition): string {
  return basicForm(wallClockText(momentOf(change)));
}

function yearOf(change: ZoneTransition): number {
  return momentOf(change).year;
}

/** Yearly changes on a weekday in a month, on one of some days. */
interface YearlyRule {
  /** What {@link patternOf} returns for each of the changes. */
  readonly key: string;
  readonly month: number;
  readonly weekday: number;
  /** Ascending. */
  readonly monthDays: readonly number[];
}

/** What changes. */
function effectOf({ before, after }: ZoneTransition): string {
  return [before.offsetSeconds, after.offsetSeconds, after.abbreviation, after.isDst].join();
}

function patternOf(change: ZoneTransition): string {
  const { month, weekday, hour, minute, second } = momentOf(change);
  return [month, weekday, hour, minute, second, effectOf(change)].join();
}

/**
 * The yearly rules of a zone, derived from its changes. A POSIX rule such as `M10.5.4/24`, the Friday after the last Thursday of
 * October, results in one rule for each month.
 */
function yearlyRules({ posixTz }: Zone, changes: readonly ZoneTransition[]): YearlyRule[] {
  if (posixTz?.includes(',') !== true) return [];
  const ruled = changes.filter(change => yearOf(change) >= FIRST_RULE_YEAR);
  return [...Map.groupBy(ruled, patternOf)].map(([key, group]) => {
    const moments = group.map(momentOf);
    const { month, weekday } = moments[0]!; // groups are not empty
    const monthDays = [...new Set(moments.map(({ day }) => day))].sort((a, b) => a - b);
    return { key, month, weekday, monthDays };
  });
}

/** The first year from which all changes follow the rules. */
function firstRuledYear(changes: readonly ZoneTransition[], rules: readonly YearlyRule[]): number {
  const monthDays = new Map(rules.map(rule => [rule.key, rule.monthDays]));
  const isRuled = (change: ZoneTransition) =>
    monthDays.get(patternOf(change))?.includes(momentOf(change).day) === true;
  const byYear = Map.groupBy(changes, yearOf);
  const perYear = byYear.get(LAST_YEAR)!.length; // rules have changes in each year
  for (let year = LAST_YEAR; year > FIRST_YEAR; year--) {
    const ofYear = byYear.get(year - 1) ?? [];
    if (ofYear.length !== perYear || !ofYear.every(isRuled)) return year;
  }
  return FIRST_YEAR;
}

/** `FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`, or with days of the month if these are not a single week. */
function recurrenceOf({ month, weekday, monthDays }: YearlyRule): string {
  const [firstDay, lastDay] = [monthDays[0]!, monthDays.at(-1)!];
  const isWeek = monthDays.length === 7 && lastDay - firstDay === 6;
  const isLast = month !== 2 && lastDay === daysInMonth(LAST_YEAR, month);
  const day = WEEKDAYS[weekday]!;
  const rule = `FREQ=YEARLY;BYMONTH=${month}`;
  if (isWeek && isLast) return `${rule};BYDAY=-1${day}`;
  if (isWeek && lastDay % 7 === 0) return `${rule};BYDAY=${lastDay / 7}${day}`;
  return `${rule};BYMONTHDAY=${monthDays.join()};BYDAY=${day}`;
}
