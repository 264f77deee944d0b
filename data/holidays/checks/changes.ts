import { decodeHolidayPack, type TableEntry } from '../../../src/holidays/holiday_pack.ts';
import { countryOf, partOf } from '../codes.ts';
import { isoDateOf } from '../dates.ts';

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
    ...(['name', 'aliases', 'coverage', 'workWeek'] as const)
      .map(property => [property, JSON.stringify(before[property]), JSON.stringify(after[property])])
      .filter(([, was, is]) => was !== is)
      .map(([property, was, is]) => `${property} ${is}, was ${was}`),
  ];
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
