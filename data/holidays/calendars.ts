import type { Coverage, WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { englishPlaceName } from '../languages/place_names.ts';
import { countryOf, isBelow, lineageOf } from './codes.ts';
import { correct, withMissing } from './corrections.ts';
import { withCoverage } from './coverage.ts';
import { isWithin, TABLE_YEARS, type Years, yearOf } from './dates.ts';
import { parseCalendars } from './decisions/calendars.ts';
import { type Evidence, parseEvidence } from './decisions/evidence.ts';
import { type CountryNames, parseNames } from './decisions/names.ts';
import { parseWorkWeeks, workWeekOf } from './decisions/work_weeks.ts';
import { carryHinduDaysOn } from './rules/hindu_days.ts';
import { carryIslamicDaysOn } from './rules/islamic_days.ts';
import type { Draft, SourceCalendar, SourceDay } from './source_days.ts';
import { readDateHolidays } from './sources/date_holidays.ts';
import { readPythonHolidays } from './sources/python_holidays.ts';

/** A compiled calendar, with its input. */
export interface CompiledCalendar {
  readonly code: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly pythonHolidays: SourceCalendar | undefined;
  readonly dateHolidays: SourceCalendar | undefined;
  readonly evidence: Evidence | undefined;
  /** The names of its country. */
  readonly names: CountryNames;
  readonly days: Draft;
  readonly coverage: Coverage;
  readonly workWeek: readonly WorkWeekPeriod[];
}

/**
 * Compiles all calendars, or those of one country, each country followed by its subdivisions: the days of the sources, our
 * corrections, then what the names and the evidence say of the days.
 */
export function compileCalendars(only: string | null = null): CompiledCalendar[] {
  const inputs = readInputs();
  const { pythonHolidays, dateHolidays, decisions } = inputs;
  const codes = [...new Set([...pythonHolidays.keys(), ...dateHolidays.keys()])]
    .filter(code => only === null || countryOf(code) === only)
    .sort();
  const drafts = new Map<string, Draft>();
  for (const code of codes) drafts.set(code, draftOf(code, drafts, inputs));
  const calendars = codes.map(code => compileCalendar(code, drafts.get(code)!, inputs));
  return calendars.map(calendar =>
    decisions.get(calendar.code)?.isCommonOfSubdivisions
      ? { ...calendar, days: commonDaysOf(calendar, calendars) }
      : calendar,
  );
}

function readInputs() {
  const namesOf = parseNames();
  return {
    namesOf,
    pythonHolidays: byCode(readPythonHolidays(namesOf)),
    dateHolidays: byCode(readDateHolidays()),
    decisions: parseCalendars(),
    evidence: parseEvidence(),
    workWeeks: parseWorkWeeks(),
  };
}
type Inputs = ReturnType<typeof readInputs>;

function byCode(calendars: readonly SourceCalendar[]): ReadonlyMap<string, SourceCalendar> {
  return new Map(calendars.map(calendar => [calendar.code, calendar]));
}

/** The days of a calendar before our corrections; `drafts` has those of the calendars above it. */
function draftOf(code: string, drafts: ReadonlyMap<string, Draft>, inputs: Inputs): Draft {
  const python = inputs.pythonHolidays.get(code);
  const dateHolidays = inputs.dateHolidays.get(code);
  const above = lineageOf(code)
    .slice(1)
    .find(other => drafts.has(other));
  const dateHolidaysAbove = above === undefined ? undefined : inputs.dateHolidays.get(above);
  if (python !== undefined) {
    const fill = (dateHolidays ?? dateHolidaysAbove)?.holidays ?? [];
    return merged(python, fill, inputs.decisions.get(code)?.fromDateHolidays);
  }
  return above === undefined
    ? { holidays: dateHolidays!.holidays, workdays: [], years: TABLE_YEARS }
    : withDifferences(drafts.get(above)!, dateHolidays!, dateHolidaysAbove);
}

/** The days of python-holidays, continued to 2100; those of date-holidays in the years before, as estimates, and in decided ones. */
function merged(python: SourceCalendar, fill: readonly SourceDay[], decided: Years | undefined): Draft {
  const carried = carryIslamicDaysOn(carryHinduDaysOn(python.code, python.holidays));
  const years = {
    firstYear: Math.max(python.firstYear, TABLE_YEARS.firstYear),
    lastYear: Math.min(carried.lastYear, python.lastYear),
  };
  const isBefore = ({ dayNumber }: SourceDay) => yearOf(dayNumber) < years.firstYear;
  const isDecided = ({ dayNumber }: SourceDay) => decided !== undefined && isWithin(dayNumber, decided);
  return {
    holidays: [
      ...carried.holidays.filter(day => !isBefore(day) && !isDecided(day)),
      ...fill.filter(isDecided),
      ...fill
        .filter(day => isBefore(day) && !isDecided(day))
        .map(day => ({ ...day, status: 'estimated' as const })),
    ],
    workdays: python.workdays,
    years,
  };
}

/** A subdivision that only date-holidays has: the country's days with its own, and without those that it lacks. */
function withDifferences(parent: Draft, part: SourceCalendar, whole: SourceCalendar | undefined): Draft {
  const inWhole = new Set(whole?.holidays.map(day => day.dayNumber));
  const inPart = new Set(part.holidays.map(day => day.dayNumber));
  const inBoth = ({ dayNumber }: SourceDay) => inPart.has(dayNumber) || !inWhole.has(dayNumber);
  const added = part.holidays.filter(({ dayNumber }) => !inWhole.has(dayNumber));
  return withMissing({ ...parent, holidays: parent.holidays.filter(inBoth) }, added);
}

function compileCalendar(code: string, draft: Draft, inputs: Inputs): CompiledCalendar {
  const { decisions } = inputs;
  const pythonHolidays = inputs.pythonHolidays.get(code);
  const dateHolidays = inputs.dateHolidays.get(code);
  const names = inputs.namesOf(code);
  const evidence = inputs.evidence.get(code);
  const workWeek = workWeekOf(code, inputs.workWeeks);
  const decision = decisions.get(code);
  const announced = withAnnouncer(draft, decision?.announcedBy);
  const holidaysOf = (other: string) => inputs.pythonHolidays.get(other)?.holidays ?? [];
  const corrected = withEnglishNames(correct(code, announced, decisions, workWeek, holidaysOf));
  const ofCountry = decisions.get(countryOf(code));
  const ofSource = dateHolidays?.name ?? pythonHolidays?.name ?? code;
  const name = nameOf(code, ofSource);
  // A subdivision can also be selected by the name in the source, a country only by its code.
  const others = code === countryOf(code) ? [] : [ofSource];
  const aliases = new Set([...others, ...(pythonHolidays?.aliases ?? []), ...(dateHolidays?.aliases ?? [])]);
  return {
    code,
    name,
    aliases: [...aliases].filter(alias => alias !== name),
    pythonHolidays,
    dateHolidays,
    evidence,
    names,
    ...withCoverage(corrected, decision, ofCountry, evidence, names),
    workWeek,
  };
}

/** The English name of a calendar. A part of a subdivision without one has its own after that of the subdivision. */
function nameOf(code: string, ofSource: string): string {
  const [, above, country] = lineageOf(code);
  const nameAbove = country === undefined ? undefined : englishPlaceName(above!);
  return englishPlaceName(code) ?? (nameAbove ? ofSource.replace(/^.*?(?=, )/, nameAbove) : ofSource);
}

/** The draft with the source of announced days named by a decision. */
function withAnnouncer(draft: Draft, announcedBy: string | undefined): Draft {
  if (announcedBy === undefined) return draft;
  const named = (day: SourceDay) => (day.status === 'announced' ? { ...day, source: announcedBy } : day);
  return { ...draft, holidays: draft.holidays.map(named), workdays: draft.workdays.map(named) };
}

/** Gives days without an English name the one of other days with their name; decisions have one name. */
function withEnglishNames({ holidays, workdays, years }: Draft): Draft {
  const known = new Map(
    [...workdays, ...holidays].flatMap(({ name, nameEn }) => (nameEn === null ? [] : [[name, nameEn]])),
  );
  const named = (day: SourceDay) => ({ ...day, nameEn: day.nameEn ?? known.get(day.name) ?? null });
  return { holidays: holidays.map(named), workdays: workdays.map(named), years };
}

/**
 * The days of a country without common law: those off in all its subdivisions, with the country's name for them, else
 * that of the first subdivision. Regions within subdivisions do not count.
 */
function commonDaysOf(country: CompiledCalendar, calendars: readonly CompiledCalendar[]): Draft {
  const subdivisions = calendars.filter(
    ({ code }) => isBelow(code, country.code) && lineageOf(code).length === 2,
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
