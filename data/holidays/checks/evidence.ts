import { dayNumberOf, weekdayOf } from '../../../src/common/civil.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import type { CompiledCalendar } from '../calendars.ts';
import { YEARS_AHEAD } from '../coverage.ts';
import { isoDateOf, isWithin, SNAPSHOT_YEAR, TABLE_YEARS, type Years, yearOf, yearsIn } from '../dates.ts';
import type {
  Evidence,
  OfficialList,
  RecurringDays,
  Substitution,
  SubstitutionRule,
} from '../decisions/evidence.ts';
import { kindOf } from '../decisions/names.ts';
import type { SourceDay } from '../source_days.ts';

/** The contradictions between a compiled calendar and its evidence, as messages. */
export function evidenceFaults(calendar: CompiledCalendar, calendars: readonly CompiledCalendar[]): string[] {
  const { code, evidence } = calendar;
  if (evidence === undefined) return lostSubstitutes(calendar);
  const excepted = new Set(evidence.exceptions.map(({ dayNumber }) => dayNumber));
  const contradictions = [
    ...evidence.recurring.flatMap(law => recurringFaults(calendar, law, calendars)),
    ...evidence.lists.flatMap(list => listFaults(calendar, list)),
    ...evidence.substitution.flatMap(rule => substitutionFaults(calendar, rule)),
  ];
  const found = new Set(contradictions.map(({ dayNumber }) => dayNumber));
  return [
    ...contradictions
      .filter(({ dayNumber }) => !excepted.has(dayNumber))
      .map(({ dayNumber, text }) => `${code}: ${isoDateOf(dayNumber)} ${text}`),
    ...evidence.exceptions
      .filter(({ dayNumber }) => !found.has(dayNumber))
      .map(({ dayNumber, fault }) => fault(`the table does not differ on ${isoDateOf(dayNumber)}`).message),
    ...evidence.complete
      .filter(({ lastYear }) => lastYear > SNAPSHOT_YEAR)
      .map(
        ({ lastYear }) => `${code}: complete to ${lastYear}: no text has the one-off days of years to come`,
      ),
    ...lostSubstitutes(calendar),
    ...substitutesWithoutRule(calendar, evidence),
  ];
}

/** A day on which a table and a text differ. */
interface Contradiction {
  readonly dayNumber: number;
  readonly text: string;
}

/** Differences from the recurring days of a law; days of the countries in the text are allowed. */
function recurringFaults(
  calendar: CompiledCalendar,
  law: RecurringDays,
  calendars: readonly CompiledCalendar[],
): Contradiction[] {
  const { days, names } = calendar;
  const ofCountries = calendars.filter(({ code }) => law.countries.includes(code));
  const others = new Set(ofCountries.flatMap(each => each.days.holidays.map(({ dayNumber }) => dayNumber)));
  const off = new Set(days.holidays.map(({ dayNumber }) => dayNumber));
  const inLaw = new Set(yearsIn(law).flatMap(year => law.days.map(dayOf => dayOf(year))));
  const named = new Set([...law.names, ...law.rareNames]);
  const isNamed = ({ dayNumber, name }: SourceDay) =>
    inLaw.has(dayNumber) ||
    named.has(name) ||
    others.has(dayNumber) ||
    (law.hasSundays && weekdayOf(dayNumber) === 0);
  const inYears = days.holidays.filter(({ dayNumber }) => isWithin(dayNumber, law));
  const found = new Set(inYears.map(({ dayNumber, name }) => `${yearOf(dayNumber)} ${name}`));
  // Laws describe substitutes and feasts of the moon in words, and have no one-off days.
  const isOmitted = (day: SourceDay) => day.isSubstitute || kindOf(day.name, names) !== 'law';
  return [
    ...[...inLaw]
      .filter(day => !off.has(day))
      .map(dayNumber => ({ dayNumber, text: 'is in the law, and not in the table' })),
    ...yearsIn(law).flatMap(year =>
      law.names
        .filter(name => !found.has(`${year} ${name}`))
        .map(name => ({
          dayNumber: dayNumberOf(year, 1, 1),
          text: `is in a year without ${name}, which is in the law`,
        })),
    ),
    ...inYears
      .filter(day => !isOmitted(day) && !isNamed(day))
      .map(({ dayNumber, name }) => ({ dayNumber, text: `${name} is not in the law` })),
  ];
}

/** Differences from an official list on the days of the work week, and on worked weekends. */
function listFaults(
  { days, workWeek }: CompiledCalendar,
  { year, off, worked }: OfficialList,
): Contradiction[] {
  const isWeekend = (day: number) => isOnWeekend(workWeek, day);
  const ofYear = (all: readonly SourceDay[]) =>
    new Map(all.filter(day => yearOf(day.dayNumber) === year).map(day => [day.dayNumber, day.name]));
  const [holidays, workdays] = [ofYear(days.holidays), ofYear(days.workdays)];
  const inList = new Set(off);
  return [
    ...off
      .filter(day => !holidays.has(day) && !isWeekend(day))
      .map(dayNumber => ({ dayNumber, text: 'is in the official list, and not in the table' })),
    ...[...holidays]
      .filter(([day]) => !inList.has(day) && !isWeekend(day))
      .map(([dayNumber, name]) => ({ dayNumber, text: `${name} is not in the official list` })),
    ...(worked ?? [])
      .filter(day => !workdays.has(day))
      .map(dayNumber => ({ dayNumber, text: 'is worked by the official list, and not in the table' })),
    ...[...(worked === null ? [] : workdays.keys())]
      .filter(day => !worked!.includes(day))
      .map(dayNumber => ({ dayNumber, text: 'is worked, and not in the official list' })),
  ];
}

/** Substitutes in the table that the law does not give, and those that it lacks. */
function substitutionFaults(
  { days, workWeek, names, coverage }: CompiledCalendar,
  law: Substitution,
): Contradiction[] {
  // A substitute can be in the year after its holiday, and feasts of the moon end where they are computed no further.
  const lastYear = Math.min(law.lastYear, coverage.to, TABLE_YEARS.lastYear - 1);
  const years = { firstYear: law.firstYear, lastYear };
  const inYears = days.holidays.filter(({ dayNumber }) => isWithin(dayNumber, years));
  const isRecurring = (day: SourceDay) => !day.isSubstitute && kindOf(day.name, names) !== 'once';
  const holidays = inYears.filter(isRecurring).toSorted((a, b) => a.dayNumber - b.dayNumber);
  const off = new Set(days.holidays.filter(day => !day.isSubstitute).map(({ dayNumber }) => dayNumber));
  const expected = substitutesOf(holidays, off, law, day => isOnWeekend(workWeek, day));
  const actual = new Set(
    inYears
      .filter(day => day.isSubstitute && kindOf(day.name, names) !== 'once')
      .map(({ dayNumber }) => dayNumber),
  );
  const isWithinYears = (dayNumber: number) => isWithin(dayNumber, years);
  return [
    ...[...expected.difference(actual)]
      .filter(day => !off.has(day) && isWithinYears(day))
      .map(dayNumber => ({ dayNumber, text: 'is a substitute by the law, and not in the table' })),
    ...[...actual.difference(expected)].map(dayNumber => ({
      dayNumber,
      text: 'is a substitute, and not by the law',
    })),
  ];
}

/** The substitutes that a law gives for holidays in date order, so that a later one does not take the day of an earlier one. */
function substitutesOf(
  holidays: readonly SourceDay[],
  off: ReadonlySet<number>,
  { rule, exceptions }: Substitution,
  isWeekend: (day: number) => boolean,
): Set<number> {
  const given = new Set<number>();
  const seen = new Set<number>();
  const replaced = new Set<number>();
  const ruleOf = ({ dayNumber, name }: SourceDay): SubstitutionRule =>
    exceptions.find(({ day }) =>
      typeof day === 'function' ? day(yearOf(dayNumber)) === dayNumber : day.has(name),
    )?.rule ?? rule;
  const nextFree = (dayNumber: number) => {
    let day = dayNumber + 1;
    while (off.has(day) || given.has(day) || isWeekend(day)) day++;
    return day;
  };
  for (const holiday of holidays) {
    const { dayNumber } = holiday;
    const { byWeekday, shared } = ruleOf(holiday);
    const distance = byWeekday.get(weekdayOf(dayNumber));
    if (seen.has(dayNumber) && shared) {
      given.add(nextFree(dayNumber));
    } else if (distance !== undefined && !replaced.has(dayNumber)) {
      given.add(distance === 'after' ? nextFree(dayNumber) : dayNumber + distance);
      replaced.add(dayNumber);
    }
    seen.add(dayNumber);
  }
  return given;
}

/** A calendar that gives substitutes has several in as many years. */
const YEARS_COMPARED = 12;

/** A calendar whose substitutes end, as where a source's table or the official lists ended, without a law that says so. */
function lostSubstitutes({ code, days, names, coverage, evidence }: CompiledCalendar): string[] {
  const lastListed = Math.max(SNAPSHOT_YEAR, ...(evidence?.lists ?? []).map(({ year }) => year));
  const years = days.holidays
    .filter(day => day.isSubstitute && kindOf(day.name, names) !== 'once')
    .map(({ dayNumber }) => yearOf(dayNumber));
  const recent = years.filter(year => year <= lastListed && year >= lastListed - YEARS_COMPARED);
  const last = Math.max(...years);
  const isCited = evidence?.substitution.some(({ lastYear }) => lastYear > Math.max(last, SNAPSHOT_YEAR));
  return new Set(recent).size >= 3 && last < coverage.to - YEARS_COMPARED && !isCited
    ? [
        `${code}: there are substitutes to ${last}, and none later: evidence.txt does not cite the law's change`,
      ]
    : [];
}

/** The years from the next one on in which substitutes need a rule: those of nine years, since a weekday can be rare. */
const YEARS_WITH_RULES: Years = { firstYear: SNAPSHOT_YEAR + 1, lastYear: SNAPSHOT_YEAR + 9 };

/**
 * A calendar whose days follow from laws, with substitutes that no rule of the laws gives. Days that a law names where they are
 * kept, as on a Monday in Colombia, need none.
 */
function substitutesWithoutRule({ code, days, names }: CompiledCalendar, evidence: Evidence): string[] {
  const { recurring, substitution, decidedYearly } = evidence;
  const isStated = (year: number) => recurring.some(law => isWithin(dayNumberOf(year, 1, 1), law));
  if (decidedYearly !== null || !yearsIn(YEARS_AHEAD).every(isStated)) return [];
  const isRuled = ({ dayNumber }: SourceDay) =>
    substitution.some(law => isWithin(dayNumber, law)) ||
    recurring.some(
      law => isWithin(dayNumber, law) && law.days.some(day => day(yearOf(dayNumber)) === dayNumber),
    );
  const years = days.holidays
    .filter(day => day.isSubstitute && kindOf(day.name, names) !== 'once')
    .filter(day => isWithin(day.dayNumber, YEARS_WITH_RULES) && !isRuled(day))
    .map(({ dayNumber }) => yearOf(dayNumber));
  return years.length === 0
    ? []
    : [
        `${code}: there are substitutes in ${Math.min(...years)}, and evidence.txt has no rule of its law for them`,
      ];
}
