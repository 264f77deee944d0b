import { decodeHolidayPack, type TableEntry } from '../../../src/holidays/holiday_pack.ts';
import { countryOf, isoDateOf } from '../dates.ts';

/**
 * What differs between two packs, a line each: `PT 2026-11-30 added, announced: Feriado`. A line that holds for a country and its
 * subdivisions is listed once, and many dates of one holiday are listed as the first and the last.
 */
export function changesOf(before: Uint8Array, after: Uint8Array): string[] {
  const [older, newer] = [entriesOf(before), entriesOf(after)];
  const codesOf = new Map<string, string[]>();
  for (const code of [...new Set([...older.keys(), ...newer.keys()])].sort()) {
    for (const change of changesOfCalendar(older.get(code), newer.get(code))) {
      const key = `${countryOf(code)}|${change}`;
      codesOf.set(key, [...(codesOf.get(key) ?? []), code]);
    }
  }
  return [...codesOf].map(([key, codes]) => `${placesOf(codes)} ${key.slice(3)}`);
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
  readonly name: string;
  readonly state: string;
}

function changesOfCalendar(before: TableEntry | undefined, after: TableEntry | undefined): string[] {
  if (before === undefined || after === undefined) {
    return [before === undefined ? 'calendar added' : 'calendar removed'];
  }
  const [older, newer] = [daysOf(before), daysOf(after)];
  const dates = new Map<string, number[]>();
  const note = (what: string, dayNumber: number) => dates.set(what, [...(dates.get(what) ?? []), dayNumber]);
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
    ...[...dates].map(([what, dayNumbers]) => `${datesText(dayNumbers)} ${what}`),
    ...(['name', 'aliases', 'coverage', 'workWeek'] as const)
      .map(property => [property, JSON.stringify(before[property]), JSON.stringify(after[property])])
      .filter(([, was, is]) => was !== is)
      .map(([property, was, is]) => `${property} ${is}, was ${was}`),
  ];
}

function daysOf(calendar: TableEntry): Map<number, NamedState[]> {
  const days = new Map<number, NamedState[]>();
  for (const { name, status, isSubstitute, isWorkday, dayNumbers } of calendar.readDays()) {
    const state = `${status}${isSubstitute ? ', substitute' : ''}${isWorkday ? ', worked' : ''}`;
    for (const day of dayNumbers) days.set(day, [...(days.get(day) ?? []), { name, state }]);
  }
  return days;
}

/** More dates are listed as the first and the last. */
const LISTED_DATES = 4;

function datesText(dayNumbers: readonly number[]): string {
  const dates = dayNumbers.map(isoDateOf);
  return dates.length <= LISTED_DATES
    ? dates.join(' ')
    : `${dates[0]} to ${dates.at(-1)} (${dates.length} days)`;
}
