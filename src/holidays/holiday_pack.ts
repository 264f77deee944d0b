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
  /** The last year whose announced days are included; null if they are not tracked. */
  readonly announcedThrough: number | null;
  /** `2026-11`: when it was last checked against an official text cited in the data; null if never. */
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
/** That of all calendars has 1 MB. */
const MAX_BODY_BYTES = 32_000_000;

/** The sources of a pack. Throws an `Error` if the bytes are not a pack. */
export function readHolidayPackHeader(pack: Uint8Array): PackHeader {
  return readHeader(pack).header;
}

function readHeader(pack: Uint8Array): { header: PackHeader; bodyAt: number } {
  if (pack.length < HEADER_AT || new TextDecoder().decode(pack.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new Error('These bytes are not a pack of holidays');
  }
  const { value, end } = readWithLength(pack, MAGIC.length);
  return { header: value as PackHeader, bodyAt: end };
}

function readWithLength(bytes: Uint8Array, at: number): { value: unknown; end: number } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
  const end = at + 4 + length;
  return { value: JSON.parse(new TextDecoder().decode(bytes.subarray(at + 4, end))), end };
}

/** Opens a pack; its calendars are decoded on demand. Throws an `Error` if it is truncated. */
export function decodeHolidayPack(pack: Uint8Array): HolidayTable {
  const { header, bodyAt } = readHeader(pack);
  const body = inflateRaw(pack.subarray(bodyAt), MAX_BODY_BYTES);
  const { value, end } = readWithLength(body, 0);
  const index = value as PackIndex;
  const data = new DataReader(body.subarray(end), index.sources);
  const { languages = [], translations = [], substitutes = [] } = index;
  return {
    ...header,
    countries: index.countries.map(([packed, subdivisionsDiffer, subdivisions], at) => ({
      ...entryOf(packed, index, data),
      readTranslations: once(() => data.readTranslations(translations[at], languages)),
      readSubstitutes: once(() => data.readSubstitutes(substitutes[at])),
      subdivisionsDiffer,
      subdivisions: subdivisions.map(part => entryOf(part, index, data)),
    })),
  };
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
  #at = 0;

  constructor(data: Uint8Array, sources: readonly string[]) {
    this.#data = data;
    this.#sources = sources;
  }

  readCalendar(offset: number, firstDay: number, lastDay: number): DayList[] {
    this.#at = offset;
    const lists = Array.from({ length: this.#varint() }, () => ({
      kindAt: this.#varint(),
      daysAt: this.#varint(),
    }));
    return lists.map(({ kindAt, daysAt }) => {
      const { name, nameEn, source, status, isSubstitute, isWorkday } = this.#kindOf(kindAt);
      const dayNumbers = this.#readDays(daysAt, firstDay, lastDay);
      return { name, nameEn, source, status, isSubstitute, isWorkday, dayNumbers };
    });
  }

  /** None without an offset. */
  readTranslations(offset: number | undefined, languages: readonly string[]): Translations {
    if (offset === undefined) return new Map();
    this.#at = offset;
    const names = Array.from({ length: this.#varint() }, () => ({
      nameAt: this.#varint(),
      translated: Array.from({ length: this.#varint() }, () => [this.#varint(), this.#varint()] as const),
    }));
    return new Map(
      names.map(({ nameAt, translated }) => [
        this.#readText(nameAt),
        new Map(translated.map(([language, textAt]) => [languages[language]!, this.#readText(textAt)])),
      ]),
    );
  }

  /** None without an offset. */
  readSubstitutes(offset: number | undefined): Substitutes {
    if (offset === undefined) return new Map();
    this.#at = offset;
    const count = this.#varint();
    const offsets = Array.from({ length: count }, () => [this.#varint(), this.#varint(), this.#varint()]);
    return new Map(
      offsets.map(offsetsOf => {
        const [substitute, name, nameEn] = offsetsOf.map(at => (at === 0 ? null : this.#readText(at)));
        return [substitute!, name == null ? null : { name, nameEn: nameEn! }];
      }),
    );
  }

  #kindOf(offset: number): KindOfDay {
    const kind = this.#kinds.get(offset) ?? this.#readKind(offset);
    this.#kinds.set(offset, kind);
    return kind;
  }

  #readKind(offset: number): KindOfDay {
    this.#at = offset;
    const [nameAt, nameEnAt, source] = [this.#varint(), this.#varint(), this.#varint()];
    const flags = this.#varint();
    return {
      name: this.#readText(nameAt),
      nameEn: nameEnAt === 0 ? null : this.#readText(nameEnAt),
      source: this.#sources[source]!,
      status: DAY_STATUSES[flags >> 2]!,
      isSubstitute: (flags & 2) !== 0,
      isWorkday: (flags & 1) !== 0,
    };
  }

  #readText(offset: number): string {
    this.#at = offset;
    const length = this.#varint();
    return UTF8.decode(this.#data.subarray(this.#at, this.#at + length));
  }

  #readDays(offset: number, firstDay: number, lastDay: number): number[] {
    const days = this.#readAllDays(offset);
    const isWithin = days.length === 0 || (days[0]! >= firstDay && days.at(-1)! <= lastDay);
    return isWithin ? days : days.filter(day => day >= firstDay && day <= lastDay);
  }

  /** Takes 6 µs for the 1,750 days of a calendar, instead of 15 µs with a call for each varint and a growing array. */
  #readAllDays(offset: number): number[] {
    this.#at = offset;
    const days = new Array<number>(this.#varint());
    const data = this.#data;
    let at = this.#at;
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
    return days;
  }

  #varint(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = this.#data[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

const UTF8 = new TextDecoder();
