import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SUBSTITUTE_PREFIX } from '../../src/holidays/holiday_calendars.ts';
import { dayNumberOfIso, type SourceCalendar, type SourceDay } from './source_calendar.ts';

/** The source given for days directly from the snapshot. */
export const PYTHON_HOLIDAYS_SOURCE = 'python-holidays 2026-07-23';

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

/** The bytes of the snapshot as committed. */
export function readSnapshot(): Uint8Array {
  return readFileSync(new URL('sources/python-holidays-1970-2100.json.gz', import.meta.url));
}

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
export function readPythonHolidays(snapshot = readSnapshot()): SourceCalendar[] {
  const countries: Record<string, SnapshotCountry> = JSON.parse(gunzipSync(snapshot).toString('utf8'));
  return Object.entries(countries).flatMap(([code, country]) => countryCalendars(code, country));
}

function countryCalendars(code: string, country: SnapshotCountry): SourceCalendar[] {
  const names = new NameReader(code, country);
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

/** The meaning of a label in parentheses at the end of a name. */
interface Label {
  readonly isEstimated: boolean;
  readonly isSubstitute: boolean;
  /** Off in exchange for a worked weekend; the date is in the label. */
  readonly isExchanged: boolean;
}

const LABEL = /\s*[（(]([^（()）]*)[）)]$/;

/**
 * Splits a country's names into the holiday's name and its label. Labels are in the country's language; their meaning is
 * derived from the English names. The snapshot pairs the names of a day in the order of each
 * language, so that a pair can be wrong if a day has several: the most frequent meaning of a label counts, and an
 * English name that belongs to another holiday is not used.
 */
class NameReader {
  readonly #english: ReadonlyMap<string, string>;
  readonly #labels: ReadonlyMap<string, Label>;
  readonly #isEnglish: boolean;
  /** The dates on which each name occurs, to recognise one-off days. */
  readonly #dates = new Map<string, Set<string>>();
  readonly #announced: ReadonlySet<string>;

  constructor(code: string, { english, language, days, subdivisions, end_year }: SnapshotCountry) {
    this.#isEnglish = language === null || language.startsWith('en');
    this.#labels = learnLabels(english);
    this.#english = new Map([
      ...learnEnglish(this.#pairedByLabel(english), local => this.#base(local)),
      ...Object.entries(ENGLISH_NAMES[code] ?? {}),
    ]);
    for (const list of [days, ...Object.values(subdivisions).map(({ add }) => add)]) {
      for (const [date, names] of list) {
        for (const name of names.split('; ')) {
          const dates = this.#dates.get(this.#base(name)) ?? new Set();
          this.#dates.set(this.#base(name), dates.add(date));
        }
      }
    }
    this.#announced = new Set(
      [...this.#dates].filter(([, dates]) => isAnnounced(dates, end_year)).map(([name]) => name),
    );
  }

  readDays(days: readonly SnapshotDay[]): SourceDay[] {
    return days.flatMap(([date, names]) =>
      names.split('; ').map(name => this.#read(dayNumberOfIso(date), name)),
    );
  }

  /**
   * The pairs of local and English names without those in which only one is estimated: two of them are the names of one
   * day in different orders, and are swapped.
   */
  #pairedByLabel(english: Readonly<Record<string, string>>): Record<string, string> {
    const pairs = Object.entries(english);
    const isEstimated = (name: string) => this.#labelOf(name).isEstimated;
    const crossed = pairs.filter(
      ([local, translation]) => isEstimated(local) !== isLabelledEstimate(translation),
    );
    const others = pairs.filter(pair => !crossed.includes(pair));
    const [first, second] = crossed;
    const isExchange = crossed.length === 2 && isEstimated(first![0]) !== isEstimated(second![0]);
    return Object.fromEntries(
      isExchange ? [...others, [first![0], second![1]], [second![0], first![1]]] : others,
    );
  }

  #labelOf(name: string): Label {
    if (SUBSTITUTE_DAY.test(name)) return { ...NO_LABEL, isSubstitute: true };
    if (SUBSTITUTE_PREFIX.test(name)) {
      return { ...this.#labelOf(name.replace(SUBSTITUTE_PREFIX, '')), isSubstitute: true };
    }
    const [, localLabel] = LABEL.exec(name) ?? [];
    const learnt = localLabel === undefined ? undefined : this.#labels.get(withoutDates(localLabel));
    return learnt ?? labelOf(name) ?? NO_LABEL;
  }

  #base(name: string): string {
    if (SUBSTITUTE_PREFIX.test(name)) return this.#base(name.replace(SUBSTITUTE_PREFIX, ''));
    const { isEstimated, isSubstitute, isExchanged } = this.#labelOf(name);
    return isEstimated || isSubstitute || isExchanged ? withoutLabel(name) : name;
  }

  #read(dayNumber: number, text: string): SourceDay {
    const { isEstimated, isSubstitute, isExchanged } = this.#labelOf(text);
    const base = this.#base(text);
    const name = isSubstitute ? withoutEstimate(text, isEstimated) : base;
    const baseEn = this.#isEnglish ? null : (this.#english.get(base) ?? null);
    return {
      dayNumber,
      name,
      nameEn: isSubstitute && baseEn !== null && base !== name ? `${baseEn} (observed)` : baseEn,
      status: isEstimated
        ? 'estimated'
        : isExchanged || this.#announced.has(base)
          ? 'announced'
          : 'statutory',
      isSubstitute,
      source: PYTHON_HOLIDAYS_SOURCE,
    };
  }
}

const NO_LABEL: Label = { isEstimated: false, isSubstitute: false, isExchanged: false };

/** The meanings of the labels in a country's language. */
function learnLabels(english: Readonly<Record<string, string>>): Map<string, Label> {
  const votes = new Map<string, Map<string, number>>();
  for (const [local, translation] of Object.entries(english)) {
    const [, localLabel] = LABEL.exec(local) ?? [];
    if (localLabel === undefined) continue;
    const counts = votes.get(withoutDates(localLabel)) ?? new Map<string, number>();
    votes.set(withoutDates(localLabel), counts);
    const meaning = JSON.stringify(labelOf(translation) ?? NO_LABEL);
    counts.set(meaning, (counts.get(meaning) ?? 0) + 1);
  }
  return new Map(
    [...votes].map(([label, counts]) => [
      label,
      JSON.parse([...counts].sort(([, a], [, b]) => b - a)[0]![0]) as Label,
    ]),
  );
}

/** The English names of holidays, without labels. */
function learnEnglish(
  english: Readonly<Record<string, string>>,
  baseOf: (local: string) => string,
): Map<string, string> {
  const candidates = new Map<string, Set<string>>();
  for (const [local, translation] of Object.entries(english)) {
    const isLabelled = labelOf(translation) !== null;
    const base = isLabelled ? withoutLabel(translation).replace(/^Day off for /, '') : translation;
    candidates.set(baseOf(local), (candidates.get(baseOf(local)) ?? new Set()).add(base));
  }
  const certain = new Set([...candidates.values()].filter(names => names.size === 1).map(([name]) => name));
  return new Map(
    [...candidates].map(([base, names]) => [
      base,
      [...names].find(name => !certain.has(name)) ?? [...names][0]!,
    ]),
  );
}

/** A name in so few of 131 years is a one-off day: an election, a funeral, a bridge day. */
const ONE_OFF_YEARS = 3;
/** Days decided each year are known until the year of the snapshot, or the next. */
const LAST_ANNOUNCED_YEARS = [2026, 2027];
/** A rule leads to fewer dates than decisions do: seven, if a holiday moves to a weekday. */
const DATES_OF_A_RULE = 7;

/**
 * Whether days with a name are one-off days: in few years, on changing dates in less than every second past year, or on
 * many dates until the snapshot ends.
 */
function isAnnounced(dates: ReadonlySet<string>, endYear: number): boolean {
  const years = new Set([...dates].map(date => Number(date.slice(0, 4))));
  const lastYear = Math.max(...years);
  const isStopped = LAST_ANNOUNCED_YEARS.includes(lastYear) && lastYear < endYear;
  const isPast = lastYear < LAST_ANNOUNCED_YEARS[0]! && years.size <= (lastYear - Math.min(...years)) / 2;
  const monthDays = new Set([...dates].map(date => date.slice(5))).size;
  return (
    years.size <= ONE_OFF_YEARS ||
    (isPast && monthDays > dates.size / 2) ||
    (isStopped && monthDays > DATES_OF_A_RULE)
  );
}

/** Thai also uses the prefix alone as a name. */
const SUBSTITUTE_DAY = /^วันหยุดชดเชย$/;

/** Whether a name says, in a language we know, that the day is a substitute. */
export function isLabelledSubstitute(name: string): boolean {
  return labelOf(name)?.isSubstitute === true || SUBSTITUTE_PREFIX.test(name) || SUBSTITUTE_DAY.test(name);
}

function isLabelledEstimate(english: string): boolean {
  return /\((observed, )?estimated\)$/.test(english);
}

function labelOf(english: string): Label | null {
  const label = {
    isEstimated: isLabelledEstimate(english),
    isSubstitute:
      /\((observed(, estimated)?|in lieu|substitute day)\)$|^Day off for |^Substitute Holiday$|^振替休日$| 대체 휴일$|[（(]補假[）)]$/.test(
        english,
      ),
    isExchanged: /\(substituted from [^()]*\)$|\d[^()]*\)$/.test(english) && !/\(G\d+\)$/.test(english),
  };
  return label.isEstimated || label.isSubstitute || label.isExchanged ? label : null;
}

function withoutLabel(name: string): string {
  return name.replace(LABEL, '');
}

function withoutDates(label: string): string {
  return label.replace(/\d/g, '0');
}

/** `X (observed, estimated)` is `X (observed)`: estimation is in the day's status. */
function withoutEstimate(name: string, isEstimated: boolean): string {
  if (!isEstimated) return name;
  return SUBSTITUTE_PREFIX.test(name)
    ? withoutLabel(name)
    : name.replace(/(, [^（()），]*| تقديري)([）)])$/, '$2');
}
