import { dayNumberOf, daysInMonth } from '../common/civil.ts';
import { quoted } from '../common/errors.ts';
import { parseLines, TextFault } from '../common/text_faults.ts';
import { findCountry, findSubdivision } from './find_calendar.ts';
import type { HolidayTable } from './holiday_pack.ts';

/** An organisation's entry for one day. */
export interface OrganisationDay {
  readonly dayNumber: number;
  readonly isWorkday: boolean;
  readonly name: string;
}

/** An organisation's own holidays and worked days, which override the public ones. */
export interface OrganisationCalendar {
  /** The entries for a country or a part of it, by day; those for a part take precedence over those for its country. */
  daysOf(country: string, subdivision: string | null): ReadonlyMap<number, OrganisationDay>;
  /** The number of lines that name a day. */
  readonly size: number;
}

interface OrganisationLine extends OrganisationDay {
  /** `''` for everywhere, `DE`, `DE-BY`. */
  readonly scope: string;
}

/**
 * Parses an organisation's calendar: one day per line, optionally preceded by a country or subdivision and followed by a name.
 *
 *     # Everywhere
 *     2026-12-24 holiday Closing day
 *     2026-02-14 workday
 *     DE-BY 2026-08-08 holiday Augsburger Friedensfest
 *
 * Empty lines and lines that begin with `#` are ignored. Throws like {@link parseLines}, also for a place or year that is not
 * in the table.
 */
export function parseOrganisationCalendar(text: string, table: HolidayTable): OrganisationCalendar {
  const lines = parseLines(text, 'day', (content, lineNumber) => {
    if (/^\s*(#|$)/.test(content)) return null;
    const line = parseLine(content, lineNumber, table);
    return [`${line.scope} ${line.dayNumber}`, line];
  });
  return {
    size: lines.length,
    daysOf: (country, subdivision) => {
      const scopes = ['', country, ...(subdivision === null ? [] : scopesWithin(country, subdivision))];
      const inOrder = scopes.flatMap(scope => lines.filter(line => line.scope === scope));
      return new Map(inOrder.map(line => [line.dayNumber, line]));
    },
  };
}

/** `DE` and `BY-A` give `DE-BY` and `DE-BY-A`. */
function scopesWithin(country: string, subdivision: string): string[] {
  const parts = subdivision.split('-');
  return parts.map((_, index) => [country, ...parts.slice(0, index + 1)].join('-'));
}

// Linear in the length of a line, since it ends with the name: trailing white space is trimmed before.
const LINE = /^(?:([A-Za-z]{2})(?:-(\S+))?\s+)?(\d{4})-(\d\d)-(\d\d)\s+(holiday|workday)(?:\s+(\S.*))?$/d;
const [SUBDIVISION, YEAR, NAME] = [2, 3, 7];

function parseLine(content: string, lineNumber: number, table: HolidayTable): OrganisationLine {
  const match = LINE.exec(content.trimEnd());
  if (match === null)
    throw new Error(
      `${quoted(content)} is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'`,
    );
  const faultAt = (group: number, reason: string) =>
    new TextFault(lineNumber, match.indices![group]![0] + 1, reason); // `d` is set, and the group matches
  const [year, month, day] = match.slice(3, 6).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month))
    throw faultAt(YEAR, `there is no ${match.slice(3, 6).join('-')}`);
  if (year < table.firstYear || year > table.lastYear)
    throw faultAt(YEAR, `calendars reach from ${table.firstYear} to ${table.lastYear}, not to ${year}`);
  const isWorkday = match[6] === 'workday';
  const name = match[NAME] ?? (isWorkday ? 'Working day' : 'Closing day');
  if (/\p{Cc}/u.test(name)) throw faultAt(NAME, 'the name has a control character');
  const scope = scopeOf(match[1], match[SUBDIVISION], table, reason => faultAt(SUBDIVISION, reason));
  return { scope, dayNumber: dayNumberOf(year, month, day), isWorkday, name };
}

function scopeOf(
  countryCode: string | undefined,
  subdivisionCode: string | undefined,
  { countries }: HolidayTable,
  subdivisionFault: (reason: string) => TextFault,
): string {
  if (countryCode === undefined) return '';
  const country = findCountry(countries, countryCode);
  if (country === undefined) throw new Error(`no country ${quoted(countryCode)} is known`);
  if (subdivisionCode === undefined) return country.code;
  const subdivision = findSubdivision(country, subdivisionCode);
  if (subdivision === undefined)
    throw subdivisionFault(`${country.name} has no subdivision ${quoted(subdivisionCode)}`);
  return `${country.code}-${subdivision.code}`;
}
