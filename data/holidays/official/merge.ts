import { isoDateOf } from '../dates.ts';
import { type OfficialList, parseEvidence } from '../decisions/evidence.ts';
import { EvidenceText } from './evidence_text.ts';
import type { OfficialYear } from './official_file.ts';

/** The text of evidence.txt with further official lists, and what has changed in it. */
export interface Merged {
  readonly text: string;
  /** A line each: `GB-ENG 2026: replaced, with 12-28, without 12-26`. */
  readonly changes: readonly string[];
}

/**
 * Adds years of official lists, read in a month such as `2026-11`, to the text of evidence.txt. A year that it has with the same
 * days stays as it is, one with others is replaced; exceptions stay. Throws an `Error` if two lists of a year differ, and for a
 * new one without an address.
 */
export function mergeIntoEvidence(text: string, years: readonly OfficialYear[], month: string): Merged {
  const evidence = parseEvidence(text);
  const edited = new EvidenceText(text);
  const changes = withoutRepetitions(years, edited).flatMap(each => {
    const { calendar, year, title } = each;
    const code = edited.sectionOf(calendar);
    const before = (evidence.get(code)?.lists ?? []).filter(list => list.year === year).map(daysOf);
    if (before.some(days => hasDays(days, each))) return [];
    if (!/https?:\/\//.test(title)) throw new Error(`${calendar} ${year}: '${title}' has no address`);
    edited.setYear(code, year, `list ${month} ${title}`, lineOf(each));
    return `${calendar}${code === calendar ? '' : ` as ${code}`} ${year}: ${changeText(before, each)}`;
  });
  const merged = edited.toString();
  parseEvidence(merged);
  return { text: merged, changes };
}

type Days = Pick<OfficialYear, 'off' | 'worked'>;

function daysOf({ off, worked }: OfficialList): Days {
  return { off: off.map(isoDateOf).sort(), worked: worked === null ? null : worked.map(isoDateOf).sort() };
}

/** Whether some days are those of a list, as far as the list says. */
function hasDays(days: Days, { off, worked }: Days): boolean {
  return days.off.join() === off.join() && (worked === null || days.worked?.join() === worked.join());
}

/** Each year of a section once. */
function withoutRepetitions(years: readonly OfficialYear[], edited: EvidenceText): OfficialYear[] {
  const found = new Map<string, OfficialYear>();
  for (const each of years) {
    const key = `${edited.sectionOf(each.calendar)} ${each.year}`;
    const other = found.get(key);
    if (other === undefined || hasDays(each, other)) found.set(key, each);
    else if (!hasDays(other, each))
      throw new Error(
        `two lists differ on ${key}: '${other.title}' and '${each.title}', ${changeText([other], each)}`,
      );
  }
  return [...found.values()];
}

/** `2026: 01-01 12-25 worked 10-11` */
function lineOf({ year, off, worked }: OfficialYear): string {
  const line = `${year}: ${off.map(monthAndDay).join(' ')}`;
  return worked === null ? line : `${line} worked ${worked.map(monthAndDay).join(' ') || 'none'}`;
}

function monthAndDay(date: string): string {
  return date.slice('2026-'.length);
}

function changeText([before]: readonly Days[], { off, worked }: Days): string {
  if (before === undefined) return `added, ${off.length} day${off.length === 1 ? '' : 's'}`;
  const parts = [
    ['with', off.filter(date => !before.off.includes(date))],
    ['without', before.off.filter(date => !off.includes(date))],
    ['worked', (worked ?? []).filter(date => !before.worked?.includes(date))],
    ['not worked', (before.worked ?? []).filter(date => !worked?.includes(date))],
  ] as const;
  const texts = parts.map(([text, dates]) =>
    dates.length > 0 ? `, ${text} ${dates.map(monthAndDay).join(' ')}` : '',
  );
  return `replaced${texts.join('') || ', worked none'}`;
}
