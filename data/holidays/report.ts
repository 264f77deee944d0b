/**
 * Writes `accuracy.json` and, summed by country, the table for the pages: `bun data/holidays/report.ts`. For each
 * calendar: its sources, the days compared, their differences, and its review. Prints those that no text decides, and a summary.
 */
import { writeFileSync } from 'node:fs';
import type { Coverage } from '../../src/holidays/holiday_pack.ts';
import { type CompiledCalendar, compileCalendars } from './calendars.ts';
import {
  COMPARED_YEARS,
  type Comparison,
  compareSources,
  DIFFERENCE_CLASSES,
  type DifferenceClass,
  daysOfClass,
  type Source,
} from './checks/comparison.ts';
import { type DecidedDifference, type Decision, decidedDifferences, describe } from './checks/differences.ts';
import { countryOf } from './codes.ts';
import type { Years } from './dates.ts';
import type { Evidence } from './decisions/evidence.ts';

/** A calendar in the report. */
export interface CalendarAccuracy {
  readonly code: string;
  readonly name: string;
  readonly sources: readonly Source[];
  readonly coverage: Coverage;
  /** The text it was compared with, if reviewed. */
  readonly reviewed_text: string | null;
  /** Days in at least one of two sources; null if there is only one source. */
  readonly days_compared: number | null;
  /** Days in only one source, by class; classes without days are omitted. */
  readonly differing_days: Readonly<Partial<Record<DifferenceClass, number>>>;
  /**
   * Differences decided one by one: those for which a text is named, those in past years, and those that follow the
   * leading source.
   */
  readonly decided_by_text: number;
  readonly decided_as_history: number;
  readonly decided_by_lead: number;
}

/** The whole report. */
export interface AccuracyReport {
  readonly compared_years: Years;
  readonly calendars: readonly CalendarAccuracy[];
}

/** Builds the report of compiled calendars. */
export function accuracyReport(
  calendars: readonly CompiledCalendar[],
  compared = compareSources(calendars),
  differences = decidedDifferences(compared),
): AccuracyReport {
  const comparisons = new Map(compared.map(comparison => [comparison.calendar.code, comparison]));
  const decided = Map.groupBy(differences, ({ code }) => code);
  return {
    compared_years: COMPARED_YEARS,
    calendars: calendars.map(calendar =>
      calendarAccuracy(calendar, comparisons.get(calendar.code), decided.get(calendar.code) ?? []),
    ),
  };
}

function calendarAccuracy(
  calendar: CompiledCalendar,
  comparison: Comparison | undefined,
  decided: readonly DecidedDifference[],
): CalendarAccuracy {
  const { code, name, coverage, evidence, pythonHolidays, dateHolidays } = calendar;
  const decidedBy = (wanted: Decision) => decided.filter(({ decision }) => decision === wanted).length;
  const differing = DIFFERENCE_CLASSES.map(
    kind => [kind, daysOfClass(comparison?.differences ?? [], kind)] as const,
  );
  return {
    code,
    name,
    sources: [
      ...(pythonHolidays === undefined ? [] : (['python-holidays'] as const)),
      ...(dateHolidays === undefined ? [] : (['date-holidays'] as const)),
    ],
    coverage,
    reviewed_text: textOf(evidence),
    days_compared: comparison?.daysCompared ?? null,
    differing_days: Object.fromEntries(differing.filter(([, days]) => days > 0)),
    decided_by_text: decidedBy('text'),
    decided_as_history: decidedBy('history'),
    decided_by_lead: decidedBy('lead'),
  };
}

function textOf(evidence: Evidence | undefined): string | null {
  const cited = [...(evidence?.laws ?? []), ...(evidence?.lists ?? []).map(({ title }) => title)];
  return cited.length === 0 ? null : [...new Set(cited.map(({ text }) => text))].join('; ');
}

/** The report in a few lines, for the front page. */
export function summaryOf({ calendars, compared_years: years }: AccuracyReport): string {
  const sum = (numberOf: Count) => sumOf(calendars, numberOf).toLocaleString('en');
  const count = (has: (calendar: CalendarAccuracy) => boolean) =>
    calendars.filter(has).length.toLocaleString('en');
  const basedOn = (basis: Coverage['basis']) => count(({ coverage }) => coverage.basis === basis);
  const classes = DIFFERENCE_CLASSES.map(
    kind => `${sum(({ differing_days: days }) => days[kind] ?? 0)} ${kind}`,
  );
  return [
    `${count(() => true)} calendars, ${count(({ days_compared: days }) => days !== null)} of them in two sources`,
    `${sum(({ days_compared: days }) => days ?? 0)} days compared, ${years.firstYear} to ${years.lastYear}`,
    `days that differ: ${classes.join(', ')}`,
    `differences decided by a text that is named: ${sum(({ decided_by_text: byText }) => byText)}, as history: ${sum(({ decided_as_history: asHistory }) => asHistory)}, by the lead alone: ${sum(({ decided_by_lead: byLead }) => byLead)}`,
    `calendars that follow from a law that was read: ${basedOn('law')}, held against lists: ${basedOn('list')}, neither: ${basedOn(null)}`,
    '',
  ].join('\n');
}

type Count = (calendar: CalendarAccuracy) => number;

function sumOf(calendars: readonly CalendarAccuracy[], numberOf: Count): number {
  return calendars.reduce((total, calendar) => total + numberOf(calendar), 0);
}

/** The classes of differences that affect working days, once each. */
const OF_WORKING_DAYS = ['sighted', 'substitute', 'announced', 'rule'] as const satisfies DifferenceClass[];

/** The report as Markdown: a row for each country with two sources, summed over its calendars. */
export function accuracyTable({ calendars }: AccuracyReport): string {
  const countries = [...Map.groupBy(calendars, ({ code }) => countryOf(code))];
  const isCompared = (parts: readonly CalendarAccuracy[]) => parts.some(part => part.days_compared !== null);
  const others = countries.filter(([, parts]) => !isCompared(parts)).map(([code]) => code);
  return [
    '| Country | Compared | Differ | By rule | By text | Announced | Reviewed |',
    '| - | - | - | - | - | - | - |',
    ...countries.flatMap(([, parts]) => (isCompared(parts) ? [tableRow(parts)] : [])),
    '',
    `In one source only, and not compared: ${others.join(', ')}.`,
    '',
  ].join('\n');
}

function tableRow(calendars: readonly CalendarAccuracy[]): string {
  const sum = (numberOf: Count) => sumOf(calendars, numberOf);
  const reviewed = calendars.filter(({ coverage }) => coverage.reviewed !== null).length;
  const cells = [
    calendars[0]!.code,
    sum(({ days_compared: days }) => days ?? 0),
    sum(({ differing_days: days }) => OF_WORKING_DAYS.reduce((total, kind) => total + (days[kind] ?? 0), 0)),
    sum(({ differing_days: days }) => days.rule ?? 0),
    sum(({ decided_by_text: byText }) => byText),
    calendars[0]!.coverage.announcedThrough ?? 'no',
    reviewed === 0 ? 'by nobody' : `${reviewed} of ${calendars.length}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const TABLE = new URL('../../src/site/guide/accuracy_table.md', import.meta.url);

if (import.meta.main) {
  const calendars = compileCalendars();
  const compared = compareSources(calendars);
  const differences = decidedDifferences(compared);
  const report = accuracyReport(calendars, compared, differences);
  const rows = report.calendars.map(calendar => JSON.stringify(calendar)).join(',\n');
  writeFileSync(
    new URL('accuracy.json', import.meta.url),
    `{"compared_years":${JSON.stringify(report.compared_years)},"calendars":[\n${rows}\n]}\n`,
  );
  writeFileSync(TABLE, accuracyTable(report));
  const byLead = differences.filter(({ decision }) => decision === 'lead');
  process.stdout.write(
    `${byLead.map(difference => `${describe(difference)}\n`).join('')}\n${summaryOf(report)}`,
  );
}
