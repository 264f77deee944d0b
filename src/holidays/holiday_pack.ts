/**
 * The holidays of all calendars in one file:
 *
 *      0  "MHOLID3\n"       magic and version of this layout
 *      8  u32, big-endian   length of the header
 *     12  header            JSON in UTF-8, see PackHeader: which sources made it, and for which years
 *      …  body              raw DEFLATE of
 *
 *              0  u32, big-endian   length of the index
 *              4  index             JSON in UTF-8, see PackIndex
 *              …  data              varints, see below; offsets in the index and in the data count from here
 *
 * Data contains six kinds of items, each stored once even if several calendars share it:
 *
 *     a text             length in bytes, then UTF-8
 *     a list of days     count, first day, then the gap from each day to the next; day 0 is 1970-01-01
 *     a kind of day      offsets of its name and of its English name (0: none), number of its source, and its
 *                        status × 4 + 2 for a substitute + 1 for a worked day
 *     a calendar         count, then as many of: offset of the kind of day, offset of the list of days
 *     translations       count, then as many of: offset of a name, count, then as many of: number of the language, offset of
 *                        the name in it
 *     substitutes        count, then as many of: offset of a substitute's name, and those of its holiday's name (0: any
 *                        holiday) and English name (0: none)
 *
 * Opening a pack creates objects only for its index. Kinds are decoded on first use, days on every use, so that a table in use
 * takes 2 MB rather than 3. The same table gives the same bytes.
 */
import { once } from '../common/caching.ts';
import { inflateRaw } from '../common/zlib.ts';

/**
 * How certain a day is: by law; by an announcement for this date only; or computed, pending an announcement or a sighting of the
 * moon, so that it can move.
 */
export const DAY_STATUSES = ['statutory', 'announced', 'estimated'] as const;
export type DayStatus = (typeof DAY_STATUSES)[number];

/** One holiday of a calendar in all years, or the worked days with one name. */
export interface DayList {
  /** In the local language. */
  readonly name: string;
  /** In English, if known and different. */
  readonly nameEn: string | null;
  readonly source: string;
  readonly status: DayStatus;
  /** Whether these days are substitutes for a holiday on another day, usually on a weekend. */
  readonly isSubstitute: boolean;
  /** Whether these are worked days that would otherwise be off. */
  readonly isWorkday: boolean;
  /** Ascending. */
  readonly dayNumbers: readonly number[];
}

/** The years for which a calendar is complete, see `/v1/holidays`. */
export interface Coverage {
  /** The first and last year in which the statutory rules of the calendar are complete. */
  readonly from: number;
  readonly to: number;
  /** Whether recurring days follow from a law that was read, or are listed year by year; null if nobody has read either. */
  readonly basis: 'law' | 'list' | null;
  /**
   * The years after the lists in which a law that was read gives all days but those that are `estimated`, both ends inclusive; null if
   * there are none, as where a government moves days each year.
   */
  readonly expected: { readonly from: number; readonly to: number } | null;
  /** The years in which all days are known, as far as anybody can know them, both ends inclusive. */
  readonly certain: readonly { readonly from: number; readonly to: number }[];
  /** The last year up to which no day is estimated, and whose one-off days are complete; null without one. */
  readonly announcedThrough: number | null;
  /** `2026-11`: when an official text cited in the data was last read; null if never. */
  readonly reviewed: string | null;
}

/** The weekend from a day until the next period. */
export interface WorkWeekPeriod {
  /** Days since 1970-01-01; the first period of a calendar begins on day 0. */
  readonly firstDay: number;
  /** Weekend days: 1 is Monday, 7 Sunday (ISO 8601). */
  readonly weekend: readonly number[];
}

/** The sources of the table. */
export interface PackHeader {
  /** `date-holidays 3.37.0, python-holidays 2026-07-23` */
  readonly library: string;
  /** The SHA-256 of our decisions and corrections, in hex. */
  readonly corrections: string;
  /** The source of the work weeks. */
  readonly weekends: string;
  readonly firstYear: number;
  readonly lastYear: number;
  /** The last year in which calendars that follow from law are certain; absent in older packs. */
  readonly certainThrough?: number;
}

/** A code and its name: `BY`, `Bavaria`. */
export interface NamedCode {
  readonly code: string;
  readonly name: string;
}

/** A calendar in the table; its lists are decoded on each read and not cached. */
export interface TableEntry extends NamedCode {
  /** Alternative codes and names. */
  readonly aliases: readonly string[];
  readonly coverage: Coverage;
  readonly workWeek: readonly WorkWeekPeriod[];
  /** Its lists, with the days from one through another. */
  readDays(firstDay?: number, lastDay?: number): DayList[];
}

/** Names of days in languages other than English: by the name in the table, then by BCP 47 language. */
export type Translations = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * The holidays for which the days of a name are substitutes, by that name; null if it is given for any holiday, such as
 * `振替休日`.
 */
export type Substitutes = ReadonlyMap<string, Pick<DayList, 'name' | 'nameEn'> | null>;

/** A country in the table: the calendar common to all of it, and those of its parts. */
export interface CountryEntry extends TableEntry {
  /** The known translations of the names in all its calendars; decoded at the first call. */
  readTranslations(): Translations;
  /** The substitutes in all its calendars; decoded at the first call. */
  readSubstitutes(): Substitutes;
  /** Whether a subdivision has working days that the country does not have, or the other way round. */
  readonly subdivisionsDiffer: boolean;
  readonly subdivisions: readonly TableEntry[];
}

/** All calendars, by code. */
export interface HolidayTable extends PackHeader {
  readonly countries: readonly CountryEntry[];
}

/** Arrays rather than objects: a code such as `constructor` stays a code, and the index is half as long. */
export type PackEntry = readonly [
  code: string,
  name: string,
  aliases: readonly string[],
  coverage: number,
  workWeek: number,
  calendarAt: number,
];

export interface PackIndex {
  readonly sources: readonly string[];
  readonly coverages: readonly Coverage[];
  readonly workWeeks: readonly (readonly WorkWeekPeriod[])[];
  readonly countries: readonly (readonly [
    entry: PackEntry,
    subdivisionsDiffer: boolean,
    subdivisions: readonly PackEntry[],
  ])[];
  /** The languages of translations, and the offsets of the countries' translations and substitutes; absent in older packs. */
  readonly languages?: readonly string[];
  readonly translations?: readonly number[];
  readonly substitutes?: readonly number[];
}

export const MAGIC = 'MHOLID3\n';
const HEADER_AT = MAGIC.length + 4;
const UTF8 = new TextDecoder();
/** Business days are counted with 16 bits, and in a calendar without weekends all days are business days. */
const MAX_YEARS = 179;
/** That of all calendars has 1 MB. */
const MAX_BODY_BYTES = 32_000_000;

/** The sources of a pack. Throws an `Error` if the bytes are not a pack, or has impossible years. */
export function readHolidayPackHeader(pack: Uint8Array): PackHeader {
  return readHeader(pack).header;
}

function readHeader(pack: Uint8Array): { header: PackHeader; bodyAt: number } {
  if (pack.length < HEADER_AT || UTF8.decode(pack.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new Error('These bytes are not a pack of holidays');
  }
  const { value, end } = readWithLength(pack, MAGIC.length);
  const header = value as PackHeader;
  const { firstYear, lastYear } = header;
  const isRange = [firstYear, lastYear].every(Number.isInteger) && firstYear >= 1970 && firstYear <= lastYear;
  if (!isRange || lastYear - firstYear >= MAX_YEARS) {
    throw new Error(`A pack of holidays cannot be for the years ${firstYear} to ${lastYear}`);
  }
  return { header, bodyAt: end };
}

function readWithLength(bytes: Uint8Array, at: number): { value: unknown; end: number } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
  const end = at + 4 + length;
  return { value: JSON.parse(UTF8.decode(bytes.subarray(at + 4, end))), end };
}

/** Opens a pack; its calendars are decoded on demand. Throws an `Error` if it is truncated, or later if its data are. */
export function decodeHolidayPack(pack: Uint8Array): HolidayTable {
  const { header, bodyAt } = readHeader(pack);
  const body = inflateRaw(pack.subarray(bodyAt), MAX_BODY_BYTES);
  const { value, end } = readWithLength(body, 0);
  const packed = value as PackIndex;
  const index = { ...packed, coverages: packed.coverages.map(withEvidence) };
  const data = new DataReader(body.subarray(end), index.sources);
  const { languages = [], translations = [], substitutes = [] } = index;
  return {
    ...header,
    countries: index.countries.map(([entry, subdivisionsDiffer, subdivisions], at) => ({
      ...entryOf(entry, index, data),
      readTranslations: once(() => data.readTranslations(translations[at], languages)),
      readSubstitutes: once(() => data.readSubstitutes(substitutes[at])),
      subdivisionsDiffer,
      subdivisions: subdivisions.map(part => entryOf(part, index, data)),
    })),
  };
}

/** Nothing is certain by an older pack, whose claims have no evidence. */
function withEvidence(coverage: Coverage): Coverage {
  return 'basis' in coverage
    ? coverage
    : { ...(coverage as Coverage), basis: null, expected: null, certain: [], announcedThrough: null };
}

function entryOf(packed: PackEntry, index: PackIndex, data: DataReader): TableEntry {
  const [code, name, aliases, coverage, workWeek, calendarAt] = packed;
  return {
    code,
    name,
    aliases,
    coverage: index.coverages[coverage]!,
    workWeek: index.workWeeks[workWeek]!,
    readDays: (firstDay = 0, lastDay = Number.POSITIVE_INFINITY) =>
      data.readCalendar(calendarAt, firstDay, lastDay),
  };
}

/** The common properties of the days in a list. */
type KindOfDay = Omit<DayList, 'dayNumbers'>;

class DataReader {
  readonly #data: Uint8Array;
  readonly #sources: readonly string[];
  /** The kinds decoded so far, by offset. */
  readonly #kinds = new Map<number, KindOfDay>();

  constructor(data: Uint8Array, sources: readonly string[]) {
    this.#data = data;
    this.#sources = sources;
  }

  readCalendar(offset: number, firstDay: number, lastDay: number): DayList[] {
    const numbers = new VarintReader(this.#data, offset);
    return Array.from({ length: numbers.next() }, () => {
      const { name, nameEn, source, status, isSubstitute, isWorkday } = this.#kindOf(numbers.next());
      const dayNumbers = this.#readDays(numbers.next(), firstDay, lastDay);
      return { name, nameEn, source, status, isSubstitute, isWorkday, dayNumbers };
    });
  }

  /** None without an offset. */
  readTranslations(offset: number | undefined, languages: readonly string[]): Translations {
    if (offset === undefined) return new Map();
    const numbers = new VarintReader(this.#data, offset);
    const translated = () => [languages[numbers.next()]!, this.#readText(numbers.next())] as const;
    return new Map(
      Array.from({ length: numbers.next() }, () => [
        this.#readText(numbers.next()),
        new Map(Array.from({ length: numbers.next() }, translated)),
      ]),
    );
  }

  /** None without an offset. */
  readSubstitutes(offset: number | undefined): Substitutes {
    if (offset === undefined) return new Map();
    const numbers = new VarintReader(this.#data, offset);
    return new Map(
      Array.from({ length: numbers.next() }, () => {
        const substitute = this.#readText(numbers.next());
        const [name, nameEn] = [this.#readOptional(numbers.next()), this.#readOptional(numbers.next())];
        return [substitute, name === null ? null : { name, nameEn }];
      }),
    );
  }

  #kindOf(offset: number): KindOfDay {
    const kind = this.#kinds.get(offset) ?? this.#readKind(offset);
    this.#kinds.set(offset, kind);
    return kind;
  }

  #readKind(offset: number): KindOfDay {
    const numbers = new VarintReader(this.#data, offset);
    const [name, nameEn] = [this.#readText(numbers.next()), this.#readOptional(numbers.next())];
    const [source, flags] = [this.#sources[numbers.next()]!, numbers.next()];
    return {
      name,
      nameEn,
      source,
      status: DAY_STATUSES[flags >> 2]!,
      isSubstitute: (flags & 2) !== 0,
      isWorkday: (flags & 1) !== 0,
    };
  }

  #readOptional(offset: number): string | null {
    return offset === 0 ? null : this.#readText(offset);
  }

  #readText(offset: number): string {
    const numbers = new VarintReader(this.#data, offset);
    const end = numbers.next() + numbers.at;
    if (end > this.#data.length) throw truncated();
    return UTF8.decode(this.#data.subarray(numbers.at, end));
  }

  #readDays(offset: number, firstDay: number, lastDay: number): number[] {
    const days = this.#readAllDays(offset);
    const isWithin = days.length === 0 || (days[0]! >= firstDay && days.at(-1)! <= lastDay);
    return isWithin ? days : days.filter(day => day >= firstDay && day <= lastDay);
  }

  /** Takes 6 µs for the 1,750 days of a calendar, instead of 15 µs with a call for each varint and a growing array. */
  #readAllDays(offset: number): number[] {
    const data = this.#data;
    const numbers = new VarintReader(data, offset);
    const count = numbers.next();
    let { at } = numbers;
    if (count > data.length - at) throw truncated();
    const days = new Array<number>(count);
    let day = 0;
    for (let index = 0; index < days.length; index++) {
      let byte = data[at++]!;
      let gap = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = data[at++]!;
        gap |= (byte & 0x7f) << shift;
      }
      day += gap;
      days[index] = day;
    }
    // A byte past the end is undefined, and ends its number.
    if (at > data.length) throw truncated();
    return days;
  }
}

/** Reads varints one after the other. Items that they refer to have readers of their own. */
class VarintReader {
  readonly #data: Uint8Array;
  /** The offset of the next number. */
  at: number;

  constructor(data: Uint8Array, at: number) {
    this.#data = data;
    this.at = at;
  }

  /** Throws an `Error` at the end of the data. */
  next(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = this.#data[this.at++];
      if (byte === undefined) throw truncated();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

function truncated(): Error {
  return new Error('The data of this pack of holidays are truncated');
}
