import { type Coverage, decodeHolidayPack, type TableEntry } from '../../../src/holidays/holiday_pack.ts';
import { countryOf, partOf } from '../codes.ts';
import { isoDateOf, yearsIn } from '../dates.ts';

/**
 * What differs between two packs, a line each: `PT 2026-11-30 added, announced: Feriado`. A line that holds for a country and its
 * subdivisions is listed once, and many dates of one holiday are listed as the first and the last.
 */
export function changesOf(before: Uint8Array, after: Uint8Array): string[] {
  const older = entriesOf(before);
  const newer = entriesOf(after);
  const changes = [...new Set([...older.keys(), ...newer.keys()])]
    .sort()
    .flatMap(code => changesOfCalendar(older.get(code), newer.get(code)).map(text => ({ code, text })));
  return [...Map.groupBy(changes, ({ code, text }) => `${countryOf(code)} ${text}`).values()].map(
    places => `${placesOf(places.map(({ code }) => code))} ${places[0]!.text}`,
  );
}

function entriesOf(pack: Uint8Array): Map<string, TableEntry> {
  return new Map(
    decodeHolidayPack(pack).countries.flatMap(country => [
      [country.code, country] as const,
      ...country.subdivisions.map(part => [`${country.code}-${part.code}`, part] as const),
    ]),
  );
}

/** `PT`, `PT PT-01`, `PT and 20 subdivisions`, `PT-01 PT-02` */
function placesOf(codes: readonly string[]): string {
  const [first, ...others] = codes;
  if (others.length <= 1 || partOf(first!) !== null) return codes.join(' ');
  return `${first} and ${others.length} subdivisions`;
}

function changesOfCalendar(before: TableEntry | undefined, after: TableEntry | undefined): string[] {
  if (before === undefined) return ['calendar added'];
  if (after === undefined) return ['calendar removed'];
  const [older, newer] = [daysOf(before), daysOf(after)];
  const dayNumbers = [...new Set([...older.keys(), ...newer.keys()])].sort((a, b) => a - b);
  const changes = dayNumbers.flatMap(dayNumber =>
    changesOfDay(older.get(dayNumber) ?? [], newer.get(dayNumber) ?? []).map(text => ({ text, dayNumber })),
  );
  return [
    ...[...Map.groupBy(changes, ({ text }) => text)].map(
      ([text, days]) => `${datesText(days.map(({ dayNumber }) => dayNumber))} ${text}`,
    ),
    ...changesOfCoverage(before.coverage, after.coverage),
    ...(['name', 'aliases', 'workWeek'] as const)
      .map(property => [property, JSON.stringify(before[property]), JSON.stringify(after[property])])
      .filter(([, was, is]) => was !== is)
      .map(([property, was, is]) => `${property} ${is}, was ${was}`),
  ];
}

function changesOfCoverage(before: Coverage, after: Coverage): string[] {
  const [was, is] = [coverageText(before), coverageText(after)];
  if (was === is) return [];
  const lost = claimedYears(before).difference(claimedYears(after));
  return [`${lost.size > 0 ? 'claim lost' : 'coverage'}: ${is}, was ${was}`];
}

function claimedYears({ certain }: Coverage): Set<number> {
  return new Set(certain.flatMap(({ from, to }) => yearsIn({ firstYear: from, lastYear: to })));
}

/** `by law, certain 2015 2020-2029, announced through 2026, rules 1970-2100, read 2026-11` */
function coverageText({ from, to, basis, certain, announcedThrough, reviewed, expected }: Coverage): string {
  return [
    basis === null ? null : `by ${basis}`,
    certain.length === 0 ? null : `certain ${certain.map(yearsText).join(' ')}`,
    expected === null ? null : `expected ${yearsText(expected)}`,
    announcedThrough === null ? null : `announced through ${announcedThrough}`,
    `rules ${from}-${to}`,
    reviewed === null ? 'never read' : `read ${reviewed}`,
  ]
    .filter(part => part !== null)
    .join(', ');
}

function yearsText({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

/** A name on a day, with what is known of it: `announced, substitute`. */
interface NamedState {
  readonly dayNumber: number;
  readonly name: string;
  readonly state: string;
}

/** The changes on one day. If one name replaces another, the holiday is renamed. */
function changesOfDay(before: readonly NamedState[], after: readonly NamedState[]): string[] {
  const stateBefore = new Map(before.map(({ name, state }) => [name, state]));
  const stateAfter = new Map(after.map(({ name, state }) => [name, state]));
  const lost = before.filter(({ name }) => !stateAfter.has(name));
  const gained = after.filter(({ name }) => !stateBefore.has(name));
  const changed = after
    .filter(({ name, state }) => stateBefore.has(name) && stateBefore.get(name) !== state)
    .map(({ name, state }) => `${state}, was ${stateBefore.get(name)}: ${name}`);
  if (lost.length === 1 && gained.length === 1) {
    return [...changed, `renamed, ${gained[0]!.state}: ${lost[0]!.name} → ${gained[0]!.name}`];
  }
  return [
    ...changed,
    ...lost.map(({ name }) => `removed: ${name}`),
    ...gained.map(({ name, state }) => `added, ${state}: ${name}`),
  ];
}

/** The days of a calendar, and its worked days, by day number. */
function daysOf(calendar: TableEntry): Map<number, NamedState[]> {
  const days = calendar.readDays().flatMap(({ name, status, isSubstitute, isWorkday, dayNumbers }) => {
    const state = `${status}${isSubstitute ? ', substitute' : ''}${isWorkday ? ', worked' : ''}`;
    return dayNumbers.map(dayNumber => ({ dayNumber, name, state }));
  });
  return Map.groupBy(days, ({ dayNumber }) => dayNumber);
}

/** More dates are listed as the first and the last. */
const LISTED_DATES = 4;

function datesText(dayNumbers: readonly number[]): string {
  const dates = dayNumbers.map(isoDateOf);
  return dates.length <= LISTED_DATES
    ? dates.join(' ')
    : `${dates[0]} to ${dates.at(-1)} (${dates.length} days)`;
}
