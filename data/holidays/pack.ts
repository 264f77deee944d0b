import { deflateRawSync } from 'node:zlib';
import {
  type Coverage,
  DAY_STATUSES,
  type DayList,
  type HolidayTable,
  MAGIC,
  type PackEntry,
  type PackIndex,
  type Substitutes,
  type TableEntry,
  type Translations,
  type WorkWeekPeriod,
} from '../../src/holidays/holiday_pack.ts';
import { ByteWriter } from '../byte_writer.ts';

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
  const [pack, body] = [new ByteWriter(), new ByteWriter()];
  addJson(body, index);
  body.bytes(data.toBytes());
  pack.bytes(Buffer.from(MAGIC));
  addJson(pack, header);
  pack.bytes(deflateRawSync(body.toBytes(), { level: 9 }));
  return pack.toBytes().slice();
}

function addJson(writer: ByteWriter, value: unknown): void {
  const json = Buffer.from(JSON.stringify(value));
  writer.uintBe(json.length, 4);
  writer.bytes(json);
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
  readonly sources = new Numbering<string>();
  readonly languages = new Numbering<string>();
  readonly coverages = new Numbering<Coverage>();
  readonly workWeeks = new Numbering<readonly WorkWeekPeriod[]>();
  readonly #data = new ByteWriter();
  /** Where each item was written first. */
  readonly #offsets = new Map<string, number>();

  constructor() {
    this.#data.byte(0); // offset 0 stands for no text
  }

  toBytes(): Uint8Array {
    return this.#data.toBytes();
  }

  /** Writes a calendar and returns its entry of the index. */
  addEntry({ code, name, aliases, coverage, workWeek, readDays }: TableEntry): PackEntry {
    const [inCoverages, inWorkWeeks] = [this.coverages.of(coverage), this.workWeeks.of(workWeek)];
    return [code, name, aliases, inCoverages, inWorkWeeks, this.#addCalendar(readDays())];
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
    const item = new ByteWriter();
    item.unsigned(utf8.length);
    item.bytes(utf8);
    return this.#add(item);
  }

  #addNumbers(numbers: readonly number[]): number {
    const item = new ByteWriter();
    for (const number of numbers) item.unsigned(number);
    return this.#add(item);
  }

  #add(item: ByteWriter): number {
    const key = Buffer.from(item.toBytes()).toString('latin1');
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const offset = this.#data.length;
    this.#offsets.set(key, offset);
    this.#data.bytes(item.toBytes());
    return offset;
  }
}

function gaps(dayNumbers: readonly number[]): number[] {
  return [dayNumbers.length, ...dayNumbers.map((day, index) => day - (dayNumbers[index - 1] ?? 0))];
}
