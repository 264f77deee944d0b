/**
 * Decisions on single differences: `bun data/holidays/decided_differences.ts` rewrites `differences.txt`, keeping its
 * reasons, with `lead` for new differences; review those before they are committed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isWithin } from './compile_calendar.ts';
import { type CompiledCalendar, compileCalendars } from './compile_calendars.ts';
import { DATE_HOLIDAYS_SOURCE } from './date_holidays.ts';
import { parseDecisions, readDecisions } from './decisions.ts';
import {
  type Comparison,
  compareSources,
  type Difference,
  isOfHistory,
  type Source,
  yearRanges,
} from './differences.ts';
import { PYTHON_HOLIDAYS_SOURCE } from './python_holidays.ts';

const FILE = new URL('decisions/differences.txt', import.meta.url);

/** The reason of decisions that rest only on the leading source. */
export const LEAD = 'lead';
/** The reason of decisions by the class of past differences, see `classes.txt`. */
export const HISTORY = 'history';
/** The reason of decisions by the text a calendar was compared with. */
const REVIEWED = 'the text in reviews.txt';

/** A difference and its decision. */
export interface DecidedDifference {
  readonly code: string;
  readonly source: Source;
  readonly name: string;
  /** `2010-2015 2017` */
  readonly years: string;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Whether the table has the days of a difference: all, none, or some of them. */
export type Verdict = 'has' | 'lacks' | 'has some';

/** The current differences that no class decides, without reasons. */
export function undecidedDifferences(
  comparisons: readonly Comparison[],
): Omit<DecidedDifference, 'reason'>[] {
  return comparisons.flatMap(({ calendar, differences }) =>
    differences
      .filter(difference => difference.class === 'rule')
      .map(difference => withVerdict(calendar, difference)),
  );
}

function withVerdict(calendar: CompiledCalendar, difference: Difference): Omit<DecidedDifference, 'reason'> {
  return {
    code: calendar.code,
    source: difference.source,
    name: difference.name,
    years: yearRanges(difference.dayNumbers),
    verdict: verdictOf(calendar, difference),
  };
}

/** Whether the text a calendar was compared with covers a year of a difference. */
function isReviewed({ review }: CompiledCalendar, { dayNumbers }: Difference): boolean {
  return (review?.lists ?? []).some(list => dayNumbers.some(day => isWithin(day, list)));
}

function verdictOf({ days }: CompiledCalendar, { dayNumbers }: Difference): Verdict {
  const off = new Set(days.holidays.map(day => day.dayNumber));
  const has = dayNumbers.filter(day => off.has(day)).length;
  if (has === 0) return 'lacks';
  return has === dayNumbers.length ? 'has' : 'has some';
}

const LINE = /^(has|lacks|has some) (date-holidays|python-holidays) ([\d -]+): (.+) = (.+)$/;

/** Parses `differences.txt`. Throws an `Error` with the number of a line that it rejects. */
export function readDecidedDifferences(): DecidedDifference[] {
  if (!existsSync(FILE)) return [];
  const decided: DecidedDifference[] = [];
  let code = '';
  for (const [index, content] of readFileSync(FILE, 'utf8').split('\n').entries()) {
    if (/^(#|$)/.test(content)) continue;
    const [, heading] = /^\[([A-Z0-9-]+)\]$/.exec(content) ?? [];
    const match = LINE.exec(content);
    if (heading !== undefined) code = heading;
    else if (match === null) throw new Error(`differences.txt:${index + 1}: cannot parse '${content}'`);
    else {
      const [, verdict, source, years, name, reason] = match as unknown as string[];
      decided.push({
        code,
        source: source as Source,
        name: name!,
        years: years!,
        verdict: verdict as Verdict,
        reason: reason!,
      });
    }
  }
  return decided;
}

/** The subject of a decision: the same difference in other years is another one. */
export function differenceKey({
  code,
  source,
  name,
  years,
  verdict,
}: Omit<DecidedDifference, 'reason'>): string {
  return JSON.stringify([code, source, name, years, verdict]);
}

const HEADER = `# Differences between date-holidays and python-holidays of 2010–2035 that no class decides (see classes.txt): which
# of the two lists days that the other does not list, in which years, and whether the table has these days.
#
#   has date-holidays 2010-2035: Good Friday = Hawaii Revised Statutes § 8-1
#
# The reason names the text that decides; that somebody read it is claimed only by reviews.txt, and by an address. Where
# it is '${HISTORY}', classes.txt gives it. Where it is '${LEAD}', no text was named: the table follows the source that leads
# for this calendar, which is python-holidays unless calendars.txt says otherwise.
`;

function render(decided: readonly DecidedDifference[]): string {
  const codes = [...new Set(decided.map(({ code }) => code))];
  const sections = codes.map(code => {
    const lines = decided
      .filter(difference => difference.code === code)
      .map(
        ({ verdict, source, years, name, reason }) => `${verdict} ${source} ${years}: ${name} = ${reason}`,
      );
    return `[${code}]\n${lines.join('\n')}\n`;
  });
  return [HEADER, ...sections].join('\n');
}

/** The source of the correction that decides a difference, or null. */
function correctionOf(
  calendar: CompiledCalendar,
  difference: Omit<DecidedDifference, 'reason'>,
): string | null {
  const dropped = parseDecisions(readDecisions())
    .filter(({ code }) => `${calendar.code}-`.startsWith(`${code}-`))
    .flatMap(({ corrections }) => corrections)
    .find(correction => correction.kind === 'drop' && correction.name === difference.name);
  if (dropped !== undefined && difference.verdict !== 'has') return dropped.source;
  if (difference.source === 'python-holidays' || difference.verdict === 'lacks') return null;
  const listed = new Set(
    calendar.dateHolidays!.holidays.filter(({ name }) => name === difference.name).map(day => day.dayNumber),
  );
  const ours = calendar.days.holidays.find(
    ({ dayNumber, source }) => listed.has(dayNumber) && !LIBRARIES.includes(source),
  );
  return ours?.source ?? null;
}

const LIBRARIES = [DATE_HOLIDAYS_SOURCE, PYTHON_HOLIDAYS_SOURCE];

if (import.meta.main) {
  const known = readDecidedDifferences();
  const nameKey = ({ code, source, name }: Omit<DecidedDifference, 'reason' | 'years' | 'verdict'>) =>
    JSON.stringify([code, source, name]);
  const reasons = new Map(
    known
      .filter(({ reason }) => ![LEAD, HISTORY, REVIEWED].includes(reason))
      .map(difference => [nameKey(difference), difference.reason]),
  );
  const calendars = compileCalendars();
  const decided = compareSources(calendars).flatMap(comparison =>
    comparison.differences
      .filter(difference => difference.class === 'rule')
      .map(difference => {
        const { calendar } = comparison;
        const undecided = withVerdict(calendar, difference);
        const reason =
          reasons.get(nameKey(difference)) ??
          correctionOf(calendar, undecided) ??
          (isReviewed(calendar, difference) ? REVIEWED : null) ??
          (isOfHistory(calendar, difference) ? HISTORY : LEAD);
        return { ...undecided, reason };
      }),
  );
  writeFileSync(FILE, render(decided));
  const count = (wanted: string) => decided.filter(({ reason }) => reason === wanted).length;
  process.stderr.write(
    `differences.txt: ${decided.length} differences, ${count(HISTORY)} of them history, ${count(LEAD)} by the lead alone\n`,
  );
}
