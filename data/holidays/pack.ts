import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { isOnWeekend } from '../../src/holidays/business_days.ts';
import {
  type Coverage,
  DAY_STATUSES,
  type DayList,
  type HolidayTable,
  MAGIC,
  type PackEntry,
  type PackHeader,
  type PackIndex,
  type Substitutes,
  type TableEntry,
  type Translations,
  type WorkWeekPeriod,
} from '../../src/holidays/holiday_pack.ts';
import { isWithin, SNAPSHOT_YEAR, TABLE_YEARS } from './dates.ts';
import { readDecisionFile } from './decisions/decision_file.ts';
import { splitLabel } from './decisions/names.ts';
import { WORK_WEEKS_SOURCE } from './decisions/work_weeks.ts';
import { DATE_HOLIDAYS_SOURCE } from './sources/date_holidays.ts';
import { PYTHON_HOLIDAYS_SOURCE } from './sources/python_holidays.ts';
import { translationsOf } from './sources/translations.ts';
import type { CompiledCalendar, CountryNames, Draft, SourceDay, Years } from './types.ts';

/** Packs a table in the layout that `src/holidays/holiday_pack.ts` describes and reads. */
export function encodeHolidayPack(table: HolidayTable): Uint8Array {
  const { countries, ...header } = table;
  const data = new DataWriter();
  const index: PackIndex = {
    countries: countries.map(country => [
      data.addEntry(country),
      country.subdivisionsDiffer,
      country.subdivisions.map(part => data.addEntry(part)),
    ]),
    sources: data.sources.list,
    coverages: data.coverages.list,
    workWeeks: data.workWeeks.list,
    translations: countries.map(country => data.addTranslations(country.readTranslations())),
    languages: data.languages.list,
    substitutes: countries.map(country => data.addSubstitutes(country.readSubstitutes())),
  };
  const body = Buffer.concat([withLength(index), Uint8Array.from(data.bytes)]);
  return new Uint8Array(
    Buffer.concat([Buffer.from(MAGIC), withLength(header), deflateRawSync(body, { level: 9 })]),
  );
}

function withLength(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json]);
}

/** Numbers values in the order in which they come; equal ones have one number. */
class Numbering<Value> {
  readonly list: Value[] = [];
  readonly #numbers = new Map<string, number>();

  of(value: Value): number {
    const key = JSON.stringify(value);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.list.length);
    return this.list.push(value) - 1;
  }
}

/** The data part of a pack as it grows. */
class DataWriter {
  /** Offset 0 stands for no text. */
  readonly bytes: number[] = [0];
  readonly sources = new Numbering<string>();
  readonly languages = new Numbering<string>();
  readonly coverages = new Numbering<Coverage>();
  readonly workWeeks = new Numbering<readonly WorkWeekPeriod[]>();
  /** Where each run of bytes was written first. */
  readonly #offsets = new Map<string, number>();

  /** Writes a calendar and returns its entry of the index. */
  addEntry({ code, name, aliases, coverage, workWeek, readDays }: TableEntry): PackEntry {
    return [
      code,
      name,
      aliases,
      this.coverages.of(coverage),
      this.workWeeks.of(workWeek),
      this.#addCalendar(readDays()),
    ];
  }

  addTranslations(translations: Translations): number {
    const names = [...translations].map(([name, byLanguage]) => [
      this.#addText(name),
      byLanguage.size,
      ...[...byLanguage].flatMap(([language, text]) => [this.languages.of(language), this.#addText(text)]),
    ]);
    return this.#addNumbers([names.length, ...names.flat()]);
  }

  addSubstitutes(substitutes: Substitutes): number {
    const names = [...substitutes].flatMap(([name, holiday]) => [name, holiday?.name, holiday?.nameEn]);
    return this.#addNumbers([substitutes.size, ...names.map(name => this.#addOptional(name))]);
  }

  #addCalendar(lists: readonly DayList[]): number {
    return this.#addNumbers([
      lists.length,
      ...lists.flatMap(list => [this.#addKind(list), this.#addNumbers(gaps(list.dayNumbers))]),
    ]);
  }

  #addKind({ name, nameEn, source, status, isSubstitute, isWorkday }: DayList): number {
    const flags = DAY_STATUSES.indexOf(status) * 4 + (isSubstitute ? 2 : 0) + (isWorkday ? 1 : 0);
    return this.#addNumbers([this.#addText(name), this.#addOptional(nameEn), this.sources.of(source), flags]);
  }

  #addOptional(text: string | null | undefined): number {
    return text == null ? 0 : this.#addText(text);
  }

  #addText(text: string): number {
    const utf8 = Buffer.from(text);
    return this.#add([...varint(utf8.length), ...utf8]);
  }

  #addNumbers(numbers: readonly number[]): number {
    return this.#add(numbers.flatMap(varint));
  }

  #add(bytes: readonly number[]): number {
    const key = bytes.join();
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const offset = this.bytes.length;
    this.#offsets.set(key, offset);
    for (const byte of bytes) this.bytes.push(byte);
    return offset;
  }
}

/** LEB128: seven bits a byte, the lowest first; the high bit says that more follow. */
function varint(number: number): number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)];
}

function gaps(dayNumbers: readonly number[]): number[] {
  return [dayNumbers.length, ...dayNumbers.map((day, index) => day - (dayNumbers[index - 1] ?? 0))];
}

/** The SHA-256 of a text or of bytes, in hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The files in the digest of the pack's header. */
const DECISION_FILES = ['calendars.txt', 'names.txt', 'reviews.txt', 'work_weeks.txt'];

/** The description of the sources in the pack. */
export function packHeader(): PackHeader {
  return {
    library: `${DATE_HOLIDAYS_SOURCE}, ${PYTHON_HOLIDAYS_SOURCE}`,
    corrections: sha256Of(DECISION_FILES.map(readDecisionFile).join('')),
    weekends: WORK_WEEKS_SOURCE,
    firstYear: TABLE_YEARS.firstYear,
    lastYear: TABLE_YEARS.lastYear,
  };
}

/** Packs compiled calendars. */
export function packCalendars(calendars: readonly CompiledCalendar[]): Uint8Array {
  return encodeHolidayPack({
    ...packHeader(),
    countries: calendars
      .filter(({ code }) => !code.includes('-'))
      .map(country => {
        const parts = calendars.filter(({ code }) => code.startsWith(`${country.code}-`));
        const holidays = [country, ...parts].flatMap(({ days }) => days.holidays);
        const translations = translationsOf(
          country.code,
          holidays.map(({ name }) => name),
          country.names,
        );
        const substitutes = substitutesOf(holidays, country.names);
        return {
          ...tableEntry(country),
          readTranslations: () => translations,
          readSubstitutes: () => substitutes,
          subdivisionsDiffer: parts.some(part => isDifferent(country, part)),
          subdivisions: parts.map(tableEntry),
        };
      }),
  });
}

/** The holiday of each substitute; one that has its holiday's name is not in `names.txt`. */
function substitutesOf(holidays: readonly SourceDay[], { substitutes }: CountryNames): Substitutes {
  return new Map(
    holidays
      .filter(day => day.isSubstitute)
      .map(({ name, nameEn }) => {
        const holiday = substitutes.has(name) ? substitutes.get(name)! : name;
        const holidayEn = nameEn && (splitLabel(nameEn)?.stem ?? nameEn);
        return [name, holiday === null ? null : { name: holiday, nameEn: holidayEn }];
      }),
  );
}

/** Collects the days of each name within the years of the table. */
export function toLists({ holidays, workdays }: Draft, years: Years = TABLE_YEARS): DayList[] {
  const lists = new Map<string, DayList & { dayNumbers: number[] }>();
  for (const [days, isWorkday] of [[holidays, false] as const, [workdays, true] as const]) {
    for (const { dayNumber, ...kind } of days) {
      if (!isWithin(dayNumber, years)) continue;
      const key = JSON.stringify([isWorkday, Object.values(kind)]);
      const list = lists.get(key) ?? { ...kind, isWorkday, dayNumbers: [] };
      lists.set(key, list);
      list.dayNumbers.push(dayNumber);
    }
  }
  return [...lists.values()].map(list => ({
    ...list,
    dayNumbers: [...new Set(list.dayNumbers)].sort((a, b) => a - b),
  }));
}

function tableEntry({ code, name, aliases, coverage, workWeek, days }: CompiledCalendar): TableEntry {
  const lists = toLists(days);
  const partCode = code.includes('-') ? code.slice(3) : code;
  return { code: partCode, name, aliases, coverage, workWeek, readDays: () => lists };
}

/** Whether a subdivision's working days differ from its country's, in the years around the present. */
function isDifferent(country: CompiledCalendar, part: CompiledCalendar): boolean {
  if (country.workWeek.at(-1)!.weekend.join() !== part.workWeek.at(-1)!.weekend.join()) return true;
  const own = workingDaysOff(country);
  return own.symmetricDifference(workingDaysOff(part)).size > 0;
}

function workingDaysOff({ days, workWeek }: CompiledCalendar): Set<number> {
  const years = { firstYear: SNAPSHOT_YEAR - 6, lastYear: SNAPSHOT_YEAR + 4 };
  return new Set(
    days.holidays
      .map(day => day.dayNumber)
      .filter(day => isWithin(day, years) && !isOnWeekend(workWeek, day)),
  );
}
