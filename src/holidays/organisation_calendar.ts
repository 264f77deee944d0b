import { dayNumberOf, daysInMonth } from '../common/civil.ts';
import { quoted } from '../common/errors.ts';
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

interface Line extends OrganisationDay {
  /** `''` for everywhere, `DE`, `DE-BY`. */
  readonly scope: string;
  readonly lineNumber: number;
}

/**
 * Parses an organisation's calendar: one day per line, optionally preceded by a country or subdivision and followed by a name.
 *
 *     # Everywhere
 *     2026-12-24 holiday Closing day
 *     2026-02-14 workday
 *     DE-BY 2026-08-08 holiday Augsburger Friedensfest
 *
 * Empty lines and lines that begin with `#` are ignored. Throws an `Error` with the number of the first line that cannot be
 * parsed, has the day of an earlier one, or names a place or year that is not in the table.
 */
export function parseOrganisationCalendar(text: string, table: HolidayTable): OrganisationCalendar {
  const lines = new Map<string, Line>();
  const contents = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [at, content] of contents.entries()) {
    if (/^\s*(#|$)/.test(content)) continue;
    const line = parseLine(content, at + 1, table);
    const key = `${line.scope} ${line.dayNumber}`;
    const earlier = lines.get(key);
    if (earlier !== undefined) throw badLine(line.lineNumber, `line ${earlier.lineNumber} has this day too`);
    lines.set(key, line);
  }
  return {
    size: lines.size,
    daysOf: (country, subdivision) => {
      const scopes = ['', country, ...(subdivision === null ? [] : scopesWithin(country, subdivision))];
      const inOrder = scopes.flatMap(scope => [...lines.values()].filter(line => line.scope === scope));
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
const LINE = /^(?:([A-Za-z]{2})(?:-(\S+))?\s+)?(\d{4})-(\d\d)-(\d\d)\s+(holiday|workday)(?:\s+(\S.*))?$/;

function parseLine(content: string, lineNumber: number, table: HolidayTable): Line {
  const match = LINE.exec(content.trimEnd());
  if (match === null) {
    throw badLine(
      lineNumber,
      `${quoted(content)} is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'`,
    );
  }
  const [year, month, day] = match.slice(3, 6).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    throw badLine(lineNumber, `there is no ${match.slice(3, 6).join('-')}`);
  }
  if (year < table.firstYear || year > table.lastYear) {
    throw badLine(lineNumber, `calendars reach from ${table.firstYear} to ${table.lastYear}, not to ${year}`);
  }
  const isWorkday = match[6] === 'workday';
  return {
    lineNumber,
    scope: scopeOf(match[1], match[2], lineNumber, table),
    dayNumber: dayNumberOf(year, month, day),
    isWorkday,
    name: match[7] ?? (isWorkday ? 'Working day' : 'Closing day'),
  };
}

function scopeOf(
  countryCode: string | undefined,
  subdivisionCode: string | undefined,
  lineNumber: number,
  { countries }: HolidayTable,
): string {
  if (countryCode === undefined) return '';
  const country = findCountry(countries, countryCode);
  if (country === undefined) throw badLine(lineNumber, `no country ${quoted(countryCode)} is known`);
  if (subdivisionCode === undefined) return country.code;
  const subdivision = findSubdivision(country, subdivisionCode);
  if (subdivision === undefined) {
    throw badLine(lineNumber, `${country.name} has no subdivision ${quoted(subdivisionCode)}`);
  }
  return `${country.code}-${subdivision.code}`;
}

function badLine(lineNumber: number, reason: string): Error {
  return new Error(`line ${lineNumber}: ${reason}`);
}
