import { splitLabel } from '../decisions/names.ts';
import type { CountryNames } from '../types.ts';

/** A name in the snapshot, and what the label in parentheses behind it says of its day. */
interface SnapshotName {
  readonly name: string;
  readonly isEstimated: boolean;
  readonly isDated: boolean;
}

/** Removes a label of `names.txt` that says that a day is estimated or in exchange for a worked one: `X (observed, estimated)` is `X (observed)`. */
export function parseSnapshotName(text: string, { labels }: CountryNames): SnapshotName {
  const { label = '', stem = text } = splitLabel(text) ?? {};
  const meaning = labels.get(label);
  if (meaning === 'estimated' || meaning === 'dated') {
    return { name: stem, isEstimated: meaning === 'estimated', isDated: meaning === 'dated' };
  }
  const [, first = '', separator = '', last = ''] = /^(.*?)(, | (?=\S+$))(.*)$/.exec(label) ?? [];
  const isEstimated = labels.get(first) === 'substitute' && labels.get(last) === 'estimated';
  const end = text.length - 1 - separator.length - last.length;
  return { name: isEstimated ? text.slice(0, end) + text.at(-1) : text, isEstimated, isDated: false };
}

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

/** A local name and an English one that the snapshot has at the same place of a day's names. */
type Pair = readonly [local: string, english: string];

/**
 * The English names of a country's holidays by their local ones; null if unknown. The snapshot pairs the names of a day in the
 * order of each language, so that a pair can be wrong if a day has several: an English name of another holiday is not used.
 */
export function englishNamesOf(
  code: string,
  pairs: Readonly<Record<string, string>>,
  names: CountryNames,
): (name: string) => string | null {
  const byName = new Map([
    ...learnEnglish(uncrossed(Object.entries(pairs), names), names),
    ...Object.entries(ENGLISH_NAMES[code] ?? {}),
  ]);
  return name => {
    const ofHoliday = byName.get(names.substitutes.get(name) ?? name);
    return byName.get(name) ?? (ofHoliday === undefined ? null : `${ofHoliday} (observed)`);
  };
}

/** The English names of holidays, and of substitutes whose English name is not that of the holiday with a label. */
function learnEnglish(pairs: readonly Pair[], names: CountryNames): Map<string, string> {
  const hasLabel = (name: string) => names.labels.has(splitLabel(name)?.label ?? '');
  const candidates = new Map<string, Set<string>>();
  for (const [local, translation] of pairs) {
    const { name } = parseSnapshotName(local, names);
    const nameEn = parseSnapshotName(translation, names).name;
    const stem = hasLabel(nameEn) ? (splitLabel(nameEn)?.stem ?? '') : nameEn;
    const holidayEn = stem.replace(/^Day off for /, '');
    const isLabelled = holidayEn !== translation || hasLabel(name);
    const holiday = isLabelled ? (names.substitutes.get(name) ?? name) : name;
    candidates.set(holiday, (candidates.get(holiday) ?? new Set()).add(holidayEn));
  }
  const certain = new Set([...candidates.values()].filter(({ size }) => size === 1).map(([name]) => name));
  return new Map(
    [...candidates].map(([holiday, namesEn]) => [
      holiday,
      [...namesEn].find(name => !certain.has(name)) ?? [...namesEn][0]!,
    ]),
  );
}

/**
 * The pairs without those of which only one name is estimated, since it belongs to another holiday of its day. If there are two of
 * them, one in each direction, they are of the same day and exchanged; among more it is unclear which belong together.
 */
function uncrossed(pairs: readonly Pair[], names: CountryNames): Pair[] {
  const isEstimated = (name: string) => parseSnapshotName(name, names).isEstimated;
  const isCrossed = ([local, english]: Pair) => isEstimated(local) !== isEstimated(english);
  const [others, crossed] = [pairs.filter(pair => !isCrossed(pair)), pairs.filter(isCrossed)];
  const [first, second, third] = crossed;
  if (second === undefined || third !== undefined) return others;
  if (isEstimated(first![0]) === isEstimated(second[0])) return others;
  return [...others, [first![0], second[1]], [second[0], first![1]]];
}
