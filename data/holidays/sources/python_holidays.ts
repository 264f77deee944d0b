import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dayNumberOfIso, SNAPSHOT } from '../dates.ts';
import { kindOf, parseNames, splitLabel } from '../decisions/names.ts';
import type { CountryNames, SourceCalendar, SourceDay } from '../types.ts';

/** The source given for days directly from the snapshot. */
export const PYTHON_HOLIDAYS_SOURCE = `python-holidays ${SNAPSHOT}`;

/** A date and the names of its holidays, joined by `; `. */
type SnapshotDay = readonly [date: string, names: string];

/** A country as written by `snapshot_python_holidays.py`. */
interface SnapshotCountry {
  readonly language: string | null;
  readonly start_year: number;
  readonly end_year: number;
  readonly aliases: Readonly<Record<string, string>>;
  readonly days: readonly SnapshotDay[];
  readonly worked_weekends: readonly string[];
  readonly subdivisions: Readonly<
    Record<string, { readonly add: readonly SnapshotDay[]; readonly drop: readonly SnapshotDay[] }>
  >;
  /** English names by local ones, from 2005 to 2045. */
  readonly english: Readonly<Record<string, string>>;
}

const FILE = new URL('python-holidays-1970-2100.json.gz', import.meta.url);

/** The codes here of subdivisions that the library identifies by name. */
const SUBDIVISION_CODES: Readonly<Record<string, string>> = {
  'BR-São Paulo Capital': 'BR-SP-SP',
  'DE-Augsburg': 'DE-BY-A',
  'NZ-South Canterbury': 'NZ-CAN-TIMARU',
  'IT-Andria': 'IT-BT-ANDRIA',
  'IT-Barletta': 'IT-BT-BARLETTA',
  'IT-Trani': 'IT-BT-TRANI',
  'IT-Cesena': 'IT-FC-CESENA',
  'IT-Forli': 'IT-FC-FORLI',
  'IT-Pesaro': 'IT-PU-PESARO',
  'IT-Urbino': 'IT-PU-URBINO',
};

/** All calendars of the snapshot, each country followed by its subdivisions. */
export function readPythonHolidays(namesOf = parseNames()): SourceCalendar[] {
  const countries: Record<string, SnapshotCountry> = JSON.parse(
    gunzipSync(readFileSync(FILE)).toString('utf8'),
  );
  return Object.entries(countries).flatMap(([code, country]) =>
    countryCalendars(code, country, namesOf(code)),
  );
}

function countryCalendars(code: string, country: SnapshotCountry, table: CountryNames): SourceCalendar[] {
  const names = new NameReader(code, country, table);
  const years = { firstYear: country.start_year, lastYear: country.end_year };
  const workdays = country.worked_weekends.map(
    (date): SourceDay => ({
      dayNumber: dayNumberOfIso(date),
      name: WORKED_DAY_NAMES[code] ?? 'Working day',
      nameEn: 'Working day',
      status: 'announced',
      isSubstitute: false,
      source: PYTHON_HOLIDAYS_SOURCE,
    }),
  );
  const calendar = (
    fullCode: string,
    aliases: readonly string[],
    days: readonly SnapshotDay[],
  ): SourceCalendar => ({
    code: fullCode,
    name: aliases[0] ?? null,
    aliases,
    ...years,
    holidays: names.readDays(days),
    workdays,
  });
  return [
    calendar(code, [], country.days),
    ...Object.entries(country.subdivisions).map(([part, { add, drop }]) => {
      const dropped = new Set(drop.map(String));
      const days = [...country.days.filter(day => !dropped.has(String(day))), ...add];
      const fullCode = SUBDIVISION_CODES[`${code}-${part}`] ?? `${code}-${part}`;
      const aliases = Object.keys(country.aliases).filter(alias => country.aliases[alias] === part);
      return calendar(fullCode, [...aliases, ...(fullCode.endsWith(part) ? [] : [part])], days);
    }),
  ];
}

/** The name of worked weekends that the snapshot lists without one. */
const WORKED_DAY_NAMES: Readonly<Record<string, string>> = {
  AM: 'Աշխատանքային օր',
  AZ: 'İş günü',
  BG: 'Работен ден',
  BY: 'Працоўны дзень',
  CN: '调休',
  HU: 'Áthelyezett munkanap',
  KG: 'Жумуш күнү',
  KZ: 'Жұмыс күні',
  LV: 'Pārceltā darbdiena',
  RU: 'Перенос выходного дня',
  TW: '補行上班',
  UA: 'Робочий день',
  UZ: 'Ish kuni',
  VN: 'Làm bù',
};

/** English names of holidays that the snapshot has only on shared days, in another order. */
const ENGLISH_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AR: { 'Día del fallecimiento de Juan Facundo Quiroga': 'Anniversary of the Death of Juan Facundo Quiroga' },
  BY: { 'Праваслаўны Вялiкдзень': 'Orthodox Easter', 'Свята працы': 'Labor Day' },
  HT: {
    'Commémoration de la Bataille de Vertières': 'Commemoration of the Battle of Vertieres',
    'Jour des Forces Armées': 'Armed Forces Day',
  },
  LT: { 'Motinos diena': "Mother's Day", 'Tarptautinė darbo diena': "International Workers' Day" },
  LV: {
    'Darba svētki': 'Labor Day',
    'Latvijas Republikas Satversmes sapulces sasaukšanas diena': 'Constitutional Assembly Convocation Day',
  },
  MY: {
    'Awal Muharam': 'Islamic New Year',
    'Pesta Kaamatan': 'Pesta Kaamatan',
    'Tahun Baharu Cina (Hari Kedua)': 'Chinese New Year (Second Day)',
  },
  NL: { Bevrijdingsdag: 'Liberation Day', Hemelvaartsdag: 'Ascension Day' },
  PS: { 'عيد العمال': 'Labor Day' },
  SY: { 'عيد العمال': 'Labor Day', 'عيد الفصح حسب التقويم الشرقي': 'Julian Easter Sunday' },
  TH: {
    วันชาติ: 'National Day',
    วันพ่อแห่งชาติ: "National Father's Day",
    'วันเฉลิมพระชนมพรรษาพระบาทสมเด็จพระปรมินทรมหาภูมิพลอดุลยเดช บรมนาถบพิตร': "HM King Bhumibol Adulyadej's Birthday",
  },
};

/**
 * Reads a country's names, which `names.txt` decides: the label in parentheses is removed if it says that a day is estimated
 * or in exchange for a worked one. The snapshot pairs the names of a day with their English ones in the order of each language, so
 * that a pair can be wrong if a day has several: an English name that belongs to another holiday is not used.
 */
class NameReader {
  readonly #names: CountryNames;
  readonly #english: ReadonlyMap<string, string>;

  constructor(code: string, { english, language }: SnapshotCountry, names: CountryNames) {
    this.#names = names;
    const isEnglish = language === null || language.startsWith('en');
    this.#english = new Map(
      isEnglish ? [] : [...this.#learnEnglish(english), ...Object.entries(ENGLISH_NAMES[code] ?? {})],
    );
  }

  readDays(days: readonly SnapshotDay[]): SourceDay[] {
    return days.flatMap(([date, texts]) =>
      texts.split('; ').map(text => this.#read(dayNumberOfIso(date), text)),
    );
  }

  #read(dayNumber: number, text: string): SourceDay {
    const { name, isEstimated, isDated } = this.#parse(text);
    const isOneOff = isDated || kindOf(name, this.#names) === 'once';
    return {
      dayNumber,
      name,
      nameEn: this.#englishOf(name),
      status: isEstimated ? 'estimated' : isOneOff ? 'announced' : 'statutory',
      isSubstitute: this.#names.substitutes.has(name),
      source: PYTHON_HOLIDAYS_SOURCE,
    };
  }

  /** `X (observed, estimated)` is `X (observed)`, and estimated. */
  #parse(text: string): { readonly name: string; readonly isEstimated: boolean; readonly isDated: boolean } {
    const { label = '', stem = text } = splitLabel(text) ?? {};
    const meaning = this.#names.labels.get(label);
    if (meaning === 'estimated' || meaning === 'dated') {
      return { name: stem, isEstimated: meaning === 'estimated', isDated: meaning === 'dated' };
    }
    const [, first = '', separator = '', last = ''] = /^(.*?)(, | (?=\S+$))(.*)$/.exec(label) ?? [];
    const isEstimated =
      this.#names.labels.get(first) === 'substitute' && this.#names.labels.get(last) === 'estimated';
    const end = text.length - 1 - separator.length - last.length;
    return { name: isEstimated ? text.slice(0, end) + text.at(-1) : text, isEstimated, isDated: false };
  }

  #englishOf(name: string): string | null {
    const english = this.#english.get(this.#names.substitutes.get(name) ?? name);
    return this.#english.get(name) ?? (english === undefined ? null : `${english} (observed)`);
  }

  /** The English names of holidays, and of substitutes whose English name is not that of the holiday with a label. */
  #learnEnglish(english: Readonly<Record<string, string>>): Map<string, string> {
    const candidates = new Map<string, Set<string>>();
    for (const [local, translation] of this.#uncrossed(Object.entries(english))) {
      const { name } = this.#parse(local);
      const english = this.#parse(translation).name;
      const { label = '', stem = '' } = splitLabel(english) ?? {};
      const baseEn = (this.#names.labels.has(label) ? stem : english).replace(/^Day off for /, '');
      const isLabelled = baseEn !== translation || this.#names.labels.has(splitLabel(name)?.label ?? '');
      const base = isLabelled ? (this.#names.substitutes.get(name) ?? name) : name;
      candidates.set(base, (candidates.get(base) ?? new Set()).add(baseEn));
    }
    const certain = new Set([...candidates.values()].filter(({ size }) => size === 1).map(([name]) => name));
    return new Map(
      [...candidates].map(([base, names]) => [
        base,
        [...names].find(name => !certain.has(name)) ?? [...names][0]!,
      ]),
    );
  }

  /**
   * The pairs of local and English names without those in which only one is estimated: two of them are the names of one
   * day in different orders, and are swapped.
   */
  #uncrossed(pairs: readonly (readonly [local: string, english: string])[]) {
    const isEstimated = (name: string) => this.#parse(name).isEstimated;
    const isCrossed = ([local, english]: readonly [string, string]) =>
      isEstimated(local) !== isEstimated(english);
    const [others, crossed] = [pairs.filter(pair => !isCrossed(pair)), pairs.filter(isCrossed)];
    const [first, second] = crossed;
    const isExchange = crossed.length === 2 && isEstimated(first![0]) !== isEstimated(second![0]);
    return isExchange
      ? [...others, [first![0], second![1]] as const, [second![0], first![1]] as const]
      : others;
  }
}
