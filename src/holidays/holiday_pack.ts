import type { NamedCode } from './holiday_calendar.ts';

/**
 * The holidays of all calendars in one file:
 *
 *      0  "MHOLID1\n"       magic and version of this layout
 *      8  u32, big-endian   length of the header
 *     12  header            JSON in UTF-8, see PackHeader: which library made it, and for which years
 *      …  body              raw DEFLATE of
 *
 *              0  u32, big-endian   length of the index
 *              4  index             JSON in UTF-8, see PackIndex
 *              …  data              varints, see below; offsets in the index and in the data count from here
 *
 * Data holds two kinds of things, each written once however many calendars share it:
 *
 *     a list of days     count, first day, then the gap from each day to the next; day 0 is 1970-01-01
 *     a calendar         count, then as many of: name << 1 | is workday, source, offset of the list of days
 *
 * A name and a source are indexes into the lists of the index. The same table gives the same bytes.
 */

/** One holiday of a calendar over all years, or the worked days of one name. */
export interface DayList {
  readonly name: string;
  readonly source: string;
  /** True for days that are worked although they would be off. */
  readonly isWorkday: boolean;
  /** Ascending. */
  readonly dayNumbers: readonly number[];
}

/** What the table was made of. */
export interface PackHeader {
  /** `date-holidays 3.37.0` */
  readonly library: string;
  /** The SHA-256 of the corrections that were laid over it, in hex. */
  readonly corrections: string;
  /** `CLDR 48` */
  readonly weekends: string;
  readonly firstYear: number;
  readonly lastYear: number;
}

/** A calendar of the table; reading its lists is work and leaves nothing behind. */
export interface TableEntry extends NamedCode {
  readDays(): DayList[];
}

/** A country of the table: the calendar that holds in all of it, and those of its parts. */
export interface CountryEntry extends TableEntry {
  /** 1 is Monday, 7 Sunday. */
  readonly weekend: readonly number[];
  /** The last year whose official one-off days are in the table; null where they are not followed. */
  readonly knownThrough: number | null;
  readonly subdivisions: readonly TableEntry[];
}

/** All calendars, by code. */
export interface HolidayTable extends PackHeader {
  readonly countries: readonly CountryEntry[];
}

/** Arrays rather than objects: a code such as `constructor` stays a code, and the index half as long. */
interface PackIndex {
  readonly names: readonly string[];
  readonly sources: readonly string[];
  readonly countries: readonly (readonly [
    code: string,
    name: string,
    weekend: readonly number[],
    knownThrough: number | null,
    calendarAt: number,
    subdivisions: readonly (readonly [code: string, name: string, calendarAt: number])[],
  ])[];
}

const MAGIC = 'MHOLID1\n';
const HEADER_AT = MAGIC.length + 4;

/** Packs a table. */
export function encodeHolidayPack(table: HolidayTable): Uint8Array {
  const { countries, ...header } = table;
  const data = new DataWriter();
  const index: PackIndex = {
    names: data.names.list,
    sources: data.sources.list,
    countries: countries.map(country => [
      country.code,
      country.name,
      country.weekend,
      country.knownThrough,
      data.addCalendar(country.readDays()),
      country.subdivisions.map(part => [part.code, part.name, data.addCalendar(part.readDays())]),
    ]),
  };
  const body = Buffer.concat([withLength(index), Uint8Array.from(data.bytes)]);
  const { deflateRawSync } = zlib();
  return new Uint8Array(
    Buffer.concat([Buffer.from(MAGIC), withLength(header), deflateRawSync(body, { level: 9 })]),
  );
}

/** Loaded with the first calendar: it would take 2 ms of every start. */
function zlib(): typeof import('node:zlib') {
  return require('node:zlib');
}

function withLength(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json]);
}

/** Numbers things in the order in which they come. */
class Numbering {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

/** The data part of a pack as it grows. */
class DataWriter {
  readonly bytes: number[] = [];
  readonly names = new Numbering();
  readonly sources = new Numbering();
  /** Where each run of numbers was written first. */
  readonly #offsets = new Map<string, number>();

  /** Writes a calendar and gives its offset. */
  addCalendar(lists: readonly DayList[]): number {
    const numbers = lists.flatMap(list => [
      (this.names.of(list.name) << 1) | (list.isWorkday ? 1 : 0),
      this.sources.of(list.source),
      this.#add(gaps(list.dayNumbers)),
    ]);
    return this.#add([lists.length, ...numbers]);
  }

  #add(numbers: readonly number[]): number {
    const key = numbers.join();
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const offset = this.bytes.length;
    this.#offsets.set(key, offset);
    for (const number of numbers) this.#addVarint(number);
    return offset;
  }

  /** LEB128: seven bits a byte, the lowest first; the high bit says that more follow. */
  #addVarint(number: number): void {
    let rest = number;
    while (rest >= 0x80) {
      this.bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.bytes.push(rest);
  }
}

function gaps(dayNumbers: readonly number[]): number[] {
  return [dayNumbers.length, ...dayNumbers.map((day, index) => day - (dayNumbers[index - 1] ?? 0))];
}

/** Reads what a pack says of itself. Throws an `Error` where the bytes are something else. */
export function readHolidayPackHeader(pack: Uint8Array): PackHeader {
  return readHeader(pack).header;
}

function readHeader(pack: Uint8Array): { header: PackHeader; bodyAt: number } {
  if (pack.length < HEADER_AT || new TextDecoder().decode(pack.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new Error('These bytes are no pack of holidays');
  }
  const { value, end } = readWithLength(pack, MAGIC.length);
  return { header: value as PackHeader, bodyAt: end };
}

function readWithLength(bytes: Uint8Array, at: number): { value: unknown; end: number } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
  const end = at + 4 + length;
  return { value: JSON.parse(new TextDecoder().decode(bytes.subarray(at + 4, end))), end };
}

/** Opens a pack; its calendars are read when they are asked for. Throws an `Error` where it is cut. */
export function decodeHolidayPack(pack: Uint8Array): HolidayTable {
  const { header, bodyAt } = readHeader(pack);
  const body = new Uint8Array(zlib().inflateRawSync(pack.subarray(bodyAt)));
  const { value, end } = readWithLength(body, 0);
  const index = value as PackIndex;
  const data = new DataReader(body.subarray(end), index);
  return {
    ...header,
    countries: index.countries.map(([code, name, weekend, knownThrough, calendarAt, subdivisions]) => ({
      code,
      name,
      weekend,
      knownThrough,
      readDays: () => data.readCalendar(calendarAt),
      subdivisions: subdivisions.map(([partCode, partName, partAt]) => ({
        code: partCode,
        name: partName,
        readDays: () => data.readCalendar(partAt),
      })),
    })),
  };
}

class DataReader {
  readonly #data: Uint8Array;
  readonly #index: PackIndex;
  #at = 0;

  constructor(data: Uint8Array, index: PackIndex) {
    this.#data = data;
    this.#index = index;
  }

  readCalendar(offset: number): DayList[] {
    this.#at = offset;
    const entries = Array.from({ length: this.#varint() }, () => ({
      nameAndKind: this.#varint(),
      source: this.#varint(),
      daysAt: this.#varint(),
    }));
    return entries.map(({ nameAndKind, source, daysAt }) => ({
      name: this.#index.names[nameAndKind >>> 1]!,
      source: this.#index.sources[source]!,
      isWorkday: (nameAndKind & 1) === 1,
      dayNumbers: this.#readDays(daysAt),
    }));
  }

  #readDays(offset: number): number[] {
    this.#at = offset;
    const days: number[] = [];
    let day = 0;
    for (let left = this.#varint(); left > 0; left--) {
      day += this.#varint();
      days.push(day);
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
