import type { Coverage } from '../../src/holidays/holiday_pack.ts';
import { correct } from './corrections.ts';
import {
  countryOf,
  isPartOf,
  isWithin,
  isYearlyUntil,
  lineageOf,
  SNAPSHOT_YEAR,
  TABLE_YEARS,
  yearOf,
} from './dates.ts';
import { parseDecisions } from './decisions/calendars.ts';
import { parseNames, withStatus } from './decisions/names.ts';
import { parseReviews } from './decisions/reviews.ts';
import { parseWorkWeeks, workWeekOf } from './decisions/work_weeks.ts';
import { carryHinduDaysOn } from './rules/hindu_days.ts';
import { carryIslamicDaysOn } from './rules/islamic_days.ts';
import { readOrComputeDateHolidays } from './sources/date_holidays.ts';
import { readPythonHolidays } from './sources/python_holidays.ts';
import type { CompiledCalendar, DecidedCalendar, Draft, Review, SourceCalendar, SourceDay } from './types.ts';

/**
 * Compiles all calendars, each country followed by its subdivisions: the days of the sources, our corrections, then what the
 * names say of the days.
 */
export function compileCalendars(): CompiledCalendar[] {
  const inputs = readInputs();
  const { pythonHolidays, dateHolidays, decisions } = inputs;
  const codes = [...new Set([...pythonHolidays.keys(), ...dateHolidays.keys()])].sort();
  const drafts = new Map<string, Draft>();
  for (const code of codes) drafts.set(code, draftOf(code, drafts, inputs));
  const calendars = codes.map(code => compileCalendar(code, drafts.get(code)!, inputs));
  const common = decisions.filter(decision => decision.isCommonOfSubdivisions).map(({ code }) => code);
  return calendars.map(calendar =>
    common.includes(calendar.code) ? { ...calendar, days: commonDaysOf(calendar, calendars) } : calendar,
  );
}

function readInputs() {
  const namesOf = parseNames();
  return {
    namesOf,
    pythonHolidays: byCode(readPythonHolidays(namesOf)),
    dateHolidays: byCode(readOrComputeDateHolidays()),
    decisions: parseDecisions(),
    reviews: parseReviews(),
    workWeeks: parseWorkWeeks(),
  };
}
type Inputs = ReturnType<typeof readInputs>;

function byCode(calendars: readonly SourceCalendar[]): Map<string, SourceCalendar> {
  return new Map(calendars.map(calendar => [calendar.code, calendar]));
}

/**
 * The days of a calendar before our corrections: those of python-holidays, and of date-holidays in the years before and in those
 * that were decided; without python-holidays, those of the calendar above as date-holidays has them here.
 */
function draftOf(code: string, drafts: ReadonlyMap<string, Draft>, inputs: Inputs): Draft {
  const [python, dateHolidays] = [inputs.pythonHolidays.get(code), inputs.dateHolidays.get(code)];
  const above = lineageOf(code).find(other => drafts.has(other));
  const dateHolidaysAbove = inputs.dateHolidays.get(above ?? '');
  if (python === undefined) {
    return above === undefined
      ? { holidays: dateHolidays!.holidays, workdays: [], years: TABLE_YEARS }
      : withDifferences(drafts.get(above)!, dateHolidays!, dateHolidaysAbove);
  }
  const { fromDateHolidays } = inputs.decisions.find(decision => decision.code === code) ?? {};
  const carried = carryIslamicDaysOn(carryHinduDaysOn(code, python.holidays));
  const otherDays = (dateHolidays ?? dateHolidaysAbove)?.holidays ?? [];
  const years = {
    firstYear: Math.max(python.firstYear, TABLE_YEARS.firstYear),
    lastYear: Math.min(carried.lastYear, python.lastYear),
  };
  const isBefore = ({ dayNumber }: SourceDay) => yearOf(dayNumber) < years.firstYear;
  const isDecided = ({ dayNumber }: SourceDay) =>
    fromDateHolidays !== undefined && isWithin(dayNumber, fromDateHolidays);
  return {
    holidays: [
      ...carried.holidays.filter(day => !isBefore(day) && !isDecided(day)),
      ...otherDays.filter(isDecided),
      ...otherDays
        .filter(day => isBefore(day) && !isDecided(day))
        .map(day => ({ ...day, status: 'estimated' as const })),
    ],
    workdays: python.workdays,
    years,
  };
}

function compileCalendar(code: string, draft: Draft, inputs: Inputs): CompiledCalendar {
  const { pythonHolidays, dateHolidays, decisions, workWeeks } = inputs;
  const [ofPython, ofDateHolidays] = [pythonHolidays.get(code), dateHolidays.get(code)];
  const decisionOn = (other: string) => decisions.find(calendar => calendar.code === other);
  const [decision, ofCountry] = [decisionOn(code), decisionOn(countryOf(code))];
  const names = inputs.namesOf(code);
  const review = inputs.reviews.get(code);
  const workWeek = workWeekOf(code, workWeeks);
  const announced = withAnnouncer(draft, decision?.announcedBy);
  const holidaysOf = (other: string) => pythonHolidays.get(other)?.holidays ?? [];
  const days = correct(code, announced, decisions, workWeek, holidaysOf);
  const coverage = coverageOf(days, decision, ofCountry, review);
  const name = ofDateHolidays?.name ?? ofPython?.name ?? COUNTRY_NAMES.of(countryOf(code))!;
  const aliases = new Set([...(ofPython?.aliases ?? []), ...(ofDateHolidays?.aliases ?? [])]);
  return {
    code,
    name,
    aliases: [...aliases].filter(alias => alias !== name),
    pythonHolidays: ofPython,
    dateHolidays: ofDateHolidays,
    review,
    names,
    days: { ...days, holidays: withStatus(days.holidays, coverage, names) },
    coverage,
    workWeek,
  };
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** The draft with the source of announced days named by a decision. */
function withAnnouncer(draft: Draft, announcedBy: string | undefined): Draft {
  if (announcedBy === undefined) return draft;
  const named = (day: SourceDay) => (day.status === 'announced' ? { ...day, source: announcedBy } : day);
  return { ...draft, holidays: draft.holidays.map(named), workdays: draft.workdays.map(named) };
}

/** A subdivision that only date-holidays has: its additions to and omissions from the whole country. */
function withDifferences(parent: Draft, part: SourceCalendar, whole: SourceCalendar | undefined): Draft {
  const inWhole = new Set(whole?.holidays.map(day => day.dayNumber));
  const inPart = new Set(part.holidays.map(day => day.dayNumber));
  return {
    ...parent,
    holidays: [
      ...parent.holidays.filter(({ dayNumber }) => inPart.has(dayNumber) || !inWhole.has(dayNumber)),
      ...part.holidays.filter(({ dayNumber }) => !inWhole.has(dayNumber)),
    ],
  };
}

/**
 * The days of a country without common law: those off in all its subdivisions, with the country's name for them, else
 * that of the first subdivision. Regions within subdivisions do not count.
 */
function commonDaysOf(country: CompiledCalendar, calendars: readonly CompiledCalendar[]): Draft {
  const subdivisions = calendars.filter(
    ({ code }) => isPartOf(code, country.code) && lineageOf(code).length === 2,
  );
  const [first, ...others] = subdivisions.map(({ days }) => days.holidays);
  const shared = others.reduce(
    (days, holidays) => days.intersection(new Set(holidays.map(day => day.dayNumber))),
    new Set(first!.map(day => day.dayNumber)),
  );
  const named = new Set(country.days.holidays.map(day => day.dayNumber));
  const unnamed = first!.filter(({ dayNumber }) => shared.has(dayNumber) && !named.has(dayNumber));
  return {
    ...country.days,
    holidays: [...country.days.holidays.filter(({ dayNumber }) => shared.has(dayNumber)), ...unnamed],
  };
}

/** The published years of a calendar; the first decision that specifies them counts. */
function coverageOf(
  draft: Draft,
  own: DecidedCalendar | undefined,
  ofCountry: DecidedCalendar | undefined,
  review: Review | undefined,
): Coverage {
  const { firstYear, lastYear } = own?.coverage ?? ofCountry?.coverage ?? draft.years;
  const isFollowed = own === ofCountry || ofCountry?.arePartsUnfollowed !== true;
  const ofSources = isFollowed ? (ofCountry?.announcedThrough ?? lastFollowedYear(draft)) : null;
  return {
    from: Math.max(firstYear, draft.years.firstYear),
    to: Math.min(lastYear, draft.years.lastYear, lastCompleteYear(draft.holidays)),
    announcedThrough: own?.announcedThrough ?? ofSources,
    reviewed: review?.month ?? null,
  };
}

/**
 * The last year whose announced and sighted days are included: the last one before the snapshot without an estimate; null if
 * that was more than `FOLLOWED_YEARS` before it.
 */
function lastFollowedYear({ holidays, years }: Draft): number | null {
  const estimates = holidays.filter(({ status }) => status === 'estimated');
  const estimatedYears = new Set(estimates.map(({ dayNumber }) => yearOf(dayNumber)));
  let year = SNAPSHOT_YEAR - 1;
  while (year >= years.firstYear && estimatedYears.has(year)) year--;
  return year < SNAPSHOT_YEAR - FOLLOWED_YEARS ? null : year;
}

const FOLLOWED_YEARS = 6;

/**
 * The last year before a yearly holiday ends for good, which is where a table of the source ended: a holiday ended by law
 * is not followed by silence to 2100. The ends in some years are coincidences of weekdays.
 */
function lastCompleteYear(holidays: readonly SourceDay[]): number {
  const yearly = holidays.filter(({ status, isSubstitute }) => status !== 'announced' && !isSubstitute);
  const ends = [...Map.groupBy(yearly, ({ name }) => name).values()].flatMap(days => {
    const years = new Set(days.map(({ dayNumber }) => yearOf(dayNumber)));
    const end = Math.max(...years);
    const isEnd = end >= SNAPSHOT_YEAR && end < TABLE_YEARS.lastYear - 1 && isYearlyUntil(end, years);
    return isEnd ? [end] : [];
  });
  return Math.min(TABLE_YEARS.lastYear, ...ends);
}
