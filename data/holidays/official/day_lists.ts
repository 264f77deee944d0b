import { type Static, Type } from '@sinclair/typebox';
import { weekdayOf } from '../../../src/common/civil.ts';
import { dayNumberOfIso } from '../dates.ts';
import { checked, type Importer, type OfficialYear, yearsOf } from './official_file.ts';

const Dates = Type.Array(Type.String());
const DayList = Type.Object({
  /** Other kinds than `public` are skipped. */
  kind: Type.Optional(Type.String()),
  source: Type.String({ minLength: 1 }),
  /** Where it was read: an address, or `owner/repository path@commit`. */
  copy: Type.Optional(Type.String()),
  off: Dates,
  worked: Type.Optional(Dates),
  names: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Which days are lacking. Such a list is skipped, since evidence.txt has whole years. */
  incomplete: Type.Optional(Type.String()),
});
type DayList = Static<typeof DayList>;
const DayLists = Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(DayList)));

const CALENDAR = /^[A-Z]{2}(-[A-Z0-9]+)*$/;

/** JSON of lists from many governments: `{"GB-ENG": {"2026": [{"source": "…", "off": ["2026-01-01"], "worked": []}]}}`. */
export const importDayLists: Importer = ({ json }) => {
  if (typeof json !== 'object' || json === null || !Object.keys(json).some(key => CALENDAR.test(key)))
    return null;
  const lists = Object.entries(checked(DayLists, json)).flatMap(([calendar, byYear]) => {
    if (!CALENDAR.test(calendar)) throw new Error(`'${calendar}' is not the code of a calendar`);
    return Object.entries(byYear).flatMap(([year, ofYear]) => ofYear.map(list => ({ calendar, year, list })));
  });
  const reasons = lists.map(({ calendar, list }) => ({ calendar, reason: reasonToSkip(list) }));
  return {
    years: lists
      .filter((_, index) => reasons[index]!.reason === null)
      .flatMap(({ calendar, year, list }) => yearOf(calendar, year, list)),
    skipped: [
      ...Map.groupBy(
        reasons.filter(({ reason }) => reason !== null),
        each => `${each.calendar}: ${each.reason}`,
      ),
    ].map(([text, { length }]) => `${text}${length === 1 ? '' : `, ${length} years`}`),
  };
};

function reasonToSkip({ kind = 'public', incomplete }: DayList): string | null {
  if (kind !== 'public') return `days of kind ${kind}`;
  return incomplete === undefined ? null : `a list without all days: ${incomplete}`;
}

/** Names of days in Australia's lists that are not off for everybody, in the whole of a state, all day. */
const NOT_PUBLIC = /\bpart[- ]day\b|applies to banks|state public service|royal hobart regatta/i;

function yearOf(
  calendar: string,
  year: string,
  { source, copy, off, worked, names = {} }: DayList,
): OfficialYear {
  const dates = off.filter(date => !NOT_PUBLIC.test(names[date] ?? ''));
  const [first, ...others] = yearsOf(calendar, dates, titleOf(source, copy));
  if (first?.year !== Number(year) || others.length > 0)
    throw new Error(`${calendar} ${year} has days of other years, or none`);
  return { ...first, worked: worked === undefined || hasWorkingDays(worked) ? null : worked.toSorted() };
}

/** Whether worked days are Mondays to Thursdays: those from which holidays were moved. */
function hasWorkingDays(worked: readonly string[]): boolean {
  return worked.some(date => [1, 2, 3, 4].includes(weekdayOf(dayNumberOfIso(date))));
}

/** What the sources without an address are, and the copies that were read. */
const TITLES: Readonly<Record<string, string>> = {
  'gov.uk bank holidays':
    'gov.uk, bank holidays as published (https://www.gov.uk/bank-holidays), from https://github.com/alphagov/frontend/blob/main/lib/data/bank-holidays.json',
  'Cabinet Office, syukujitsu.csv':
    '内閣府, syukujitsu.csv (https://www8.cao.go.jp/chosei/shukujitsu/gaiyou.html), from https://github.com/shogo82148/holidays-jp',
  'General Office of the State Council, yearly notices':
    '国务院办公厅关于部分节假日安排的通知, each year, from https://github.com/NateScarlet/holiday-cn',
  'Directorate-General of Personnel Administration, office calendar':
    '行政院人事行政總處, 政府行政機關辦公日曆表, each year, from https://github.com/ruyut/TaiwanCalendar',
  'etalab, jours fériés (data.gouv.fr)':
    'Etalab, jours fériés en France (https://www.data.gouv.fr/fr/datasets/jours-feries-en-france/), from https://github.com/etalab/jours-feries-france-data',
};

/** The title of a list with the address of its copy, if it is known. */
function titleOf(source: string, copy: string | undefined): string {
  if (copy === undefined) return TITLES[source] ?? source;
  const address = copy.replaceAll(
    /([\w.-]+\/[\w.-]+) ((?:[\w.-]+\/)*[\w .-]+\.\w+)@([0-9a-f]{40})/g,
    (_, repository: string, path: string, commit: string) =>
      `https://github.com/${repository}/blob/${commit}/${encodeURI(path)}`,
  );
  return `${source}, from ${address}`;
}
