import { createHash } from 'node:crypto';
import type { Coverage, PackHeader, TableEntry, WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { encodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { commonDaysOf } from './common_days.ts';
import { correct, coverageOf, type Draft, draftOf, toLists, withAnnouncer } from './compile_calendar.ts';
import { DATE_HOLIDAYS_SOURCE, readDateHolidays, TABLE_YEARS } from './date_holidays.ts';
import { type DecidedCalendar, parseDecisions, readDecisions } from './decisions.ts';
import { PYTHON_HOLIDAYS_SOURCE, readPythonHolidays } from './python_holidays.ts';
import { parseReviews, type Review, readReviews } from './reviews.ts';
import type { SourceCalendar } from './source_calendar.ts';
import { withEstimates } from './status_rules.ts';
import { type TranslatedCalendar, translationsOf } from './translations.ts';
import { isWeekend, parseWorkWeeks, readWorkWeeks, WORK_WEEKS_SOURCE, workWeekOf } from './work_weeks.ts';

/** A compiled calendar, with its input. */
export interface CompiledCalendar {
  readonly code: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly pythonHolidays: SourceCalendar | undefined;
  readonly dateHolidays: SourceCalendar | undefined;
  readonly decision: DecidedCalendar | undefined;
  readonly review: Review | undefined;
  readonly days: Draft;
  readonly coverage: Coverage;
  readonly workWeek: readonly WorkWeekPeriod[];
}

/** The SHA-256 of a text or of bytes, in hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The description of the sources in the pack. */
export function packHeader(): PackHeader {
  return {
    library: `${DATE_HOLIDAYS_SOURCE}, ${PYTHON_HOLIDAYS_SOURCE}`,
    corrections: sha256Of(readDecisions() + readReviews() + readWorkWeeks()),
    weekends: WORK_WEEKS_SOURCE,
    ...TABLE_YEARS,
  };
}

/** Compiles all calendars, each country followed by its subdivisions. */
export function compileCalendars(): CompiledCalendar[] {
  const pythonHolidays = byCode(readPythonHolidays());
  const dateHolidays = byCode(readDateHolidays());
  const decisions = parseDecisions(readDecisions());
  const reviews = parseReviews(readReviews());
  const workWeeks = parseWorkWeeks(readWorkWeeks());
  const drafts = new Map<string, Draft>();
  const codes = [...new Set([...pythonHolidays.keys(), ...dateHolidays.keys()])].sort();
  const calendars = codes.map((code): CompiledCalendar => {
    const [python, library] = [pythonHolidays.get(code), dateHolidays.get(code)];
    const decision = decisions.find(calendar => calendar.code === code);
    const above = codeAbove(code, drafts);
    const draft = draftOf(
      {
        code,
        pythonHolidays: python,
        dateHolidays: library,
        parent:
          above === null ? undefined : { draft: drafts.get(above)!, dateHolidays: dateHolidays.get(above) },
      },
      decision,
    );
    drafts.set(code, draft);
    const workWeek = workWeekOf(code, workWeeks);
    const days = correct(
      code,
      withAnnouncer(draft, decision?.announcedBy),
      decisions,
      workWeek,
      other => pythonHolidays.get(other)?.holidays ?? [],
    );
    const review = reviews.get(code);
    const coverage = coverageOf(days, [decision, countryDecision(code, decisions)], review);
    const name = library?.name ?? python?.name ?? COUNTRY_NAMES.of(code.slice(0, 2))!;
    const aliases = [...new Set([...(python?.aliases ?? []), ...(library?.aliases ?? [])])];
    return {
      code,
      name,
      aliases: aliases.filter(alias => alias !== name),
      pythonHolidays: python,
      dateHolidays: library,
      decision,
      review,
      days: { ...days, holidays: withEstimates(code, days.holidays, coverage) },
      coverage,
      workWeek,
    };
  });
  return calendars.map(calendar =>
    calendar.decision?.isCommonOfSubdivisions === true
      ? { ...calendar, days: commonDaysOf(calendar, partsOf(calendar, calendars)) }
      : calendar,
  );
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** Days followed in a country are followed in its subdivisions. */
function countryDecision(code: string, decisions: readonly DecidedCalendar[]): DecidedCalendar | undefined {
  return decisions.find(calendar => calendar.code === code.slice(0, 2));
}

function byCode(calendars: readonly SourceCalendar[]): Map<string, SourceCalendar> {
  return new Map(calendars.map(calendar => [calendar.code, calendar]));
}

/** The nearest calendar above one: `DE-BY` for `DE-BY-A`, `DE` for `DE-BY`. */
function codeAbove(code: string, drafts: ReadonlyMap<string, Draft>): string | null {
  const end = code.lastIndexOf('-');
  if (end === -1) return null;
  const above = code.slice(0, end);
  return drafts.has(above) ? above : codeAbove(above, drafts);
}

/** The subdivisions of a country, regions of subdivisions included. */
export function partsOf<Calendar extends { readonly code: string }>(
  { code }: { readonly code: string },
  calendars: readonly Calendar[],
): Calendar[] {
  return calendars.filter(calendar => calendar.code.startsWith(`${code}-`));
}

function tableEntry({ code, name, aliases, coverage, workWeek, days }: CompiledCalendar): TableEntry {
  const lists = toLists(days);
  const partCode = code.includes('-') ? code.slice(3) : code;
  return { code: partCode, name, aliases, coverage, workWeek, readDays: () => lists };
}

/** Whether a subdivision's working days differ from its country's, in the years around the present. */
function isDifferent(country: CompiledCalendar, part: CompiledCalendar): boolean {
  if (country.workWeek.at(-1)!.weekend.join() !== part.workWeek.at(-1)!.weekend.join()) return true;
  const own = workingDaysOff(country);
  return own.symmetricDifference(workingDaysOff(part)).size > 0;
}

function workingDaysOff({ days, workWeek }: CompiledCalendar): Set<number> {
  const [first, end] = [Date.UTC(2020, 0, 1) / 86_400_000, Date.UTC(2031, 0, 1) / 86_400_000];
  return new Set(
    days.holidays
      .map(day => day.dayNumber)
      .filter(day => day >= first && day < end && !isWeekend(day, workWeek)),
  );
}

function translatedCalendar(
  { code, days }: CompiledCalendar,
  calendars: readonly CompiledCalendar[],
): TranslatedCalendar {
  return { holidays: days.holidays, library: libraryCalendar(code, calendars)?.holidays ?? [] };
}

/** What date-holidays has of a calendar, or of the nearest one above it. */
function libraryCalendar(code: string, calendars: readonly CompiledCalendar[]): SourceCalendar | undefined {
  const found = calendars.find(calendar => calendar.code === code)?.dateHolidays;
  const end = code.lastIndexOf('-');
  return found ?? (end === -1 ? undefined : libraryCalendar(code.slice(0, end), calendars));
}

/** Packs compiled calendars. */
export function packCalendars(calendars: readonly CompiledCalendar[]): Uint8Array {
  return encodeHolidayPack({
    ...packHeader(),
    countries: calendars
      .filter(({ code }) => !code.includes('-'))
      .map(country => {
        const parts = partsOf(country, calendars);
        const translations = translationsOf(
          country.code,
          [country, ...parts].map(calendar => translatedCalendar(calendar, calendars)),
        );
        return {
          ...tableEntry(country),
          readTranslations: () => translations,
          subdivisionsDiffer: parts.some(part => isDifferent(country, part)),
          subdivisions: parts.map(tableEntry),
        };
      }),
  });
}
