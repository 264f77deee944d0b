import { decodeHolidayPack, type TableEntry } from '../../../src/holidays/holiday_pack.ts';
import { countryOf, isoDateOf } from '../dates.ts';

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

function placesOf(codes: readonly string[]): string {
  const [first, ...others] = codes;
  if (others.length === 0 || first!.includes('-')) return codes.join(' ');
  return others.length === 1 ? codes.join(' ') : `${first} and ${others.length} subdivisions`;
}

/** A name on a day, with what is known of it: `announced, substitute`. */
interface NamedState {
  readonly dayNumber: number;
  readonly name: string;
  readonly state: string;
}

function changesOfCalendar(before: TableEntry | undefined, after: TableEntry | undefined): string[] {
  if (before === undefined || after === undefined) {
    return [before === undefined ? 'calendar added' : 'calendar removed'];
  }
  const older = daysOf(before);
  const newer = daysOf(after);
  const notes: { readonly what: string; readonly dayNumber: number }[] = [];
  const note = (what: string, dayNumber: number) => notes.push({ what, dayNumber });
  for (const dayNumber of [...new Set([...older.keys(), ...newer.keys()])].sort((a, b) => a - b)) {
    const [was, is] = [older.get(dayNumber) ?? [], newer.get(dayNumber) ?? []];
    const lost = was.filter(({ name }) => !is.some(day => day.name === name));
    const gained = is.filter(({ name }) => !was.some(day => day.name === name));
    for (const { name, state } of is) {
      const known = was.find(day => day.name === name);
      if (known !== undefined && known.state !== state)
        note(`${state}, was ${known.state}: ${name}`, dayNumber);
    }
    const isRenamed = lost.length === 1 && gained.length === 1;
    if (isRenamed) note(`renamed, ${gained[0]!.state}: ${lost[0]!.name} → ${gained[0]!.name}`, dayNumber);
    for (const { name } of isRenamed ? [] : lost) note(`removed: ${name}`, dayNumber);
    for (const { name, state } of isRenamed ? [] : gained) note(`added, ${state}: ${name}`, dayNumber);
  }
  return [
    ...[...Map.groupBy(notes, ({ what }) => what)].map(
      ([what, days]) => `${datesText(days.map(({ dayNumber }) => dayNumber))} ${what}`,
    ),
    ...(['name', 'aliases', 'coverage', 'workWeek'] as const)
      .map(property => [property, JSON.stringify(before[property]), JSON.stringify(after[property])])
      .filter(([, was, is]) => was !== is)
      .map(([property, was, is]) => `${property} ${is}, was ${was}`),
  ];
}

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
