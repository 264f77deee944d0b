import { type CountryNames, splitLabel } from '../decisions/names.ts';
import given from './names.json' with { type: 'json' };

/** A name in the snapshot, and what the label in parentheses after it says of its day. */
interface SnapshotName {
  readonly name: string;
  readonly isEstimated: boolean;
  /** In exchange for a worked day. */
  readonly isDated: boolean;
}

/** Removes a label that says that a day is estimated or dated, but not one of a substitute: `X (observed, estimated)` is `X (observed)`. */
export function parseSnapshotName(text: string, { labels }: CountryNames): SnapshotName {
  const { label = '', stem = text } = splitLabel(text) ?? {};
  const meaning = labels.get(label);
  if (meaning === 'estimated') return { name: stem, isEstimated: true, isDated: false };
  if (meaning === 'dated') return { name: stem, isEstimated: false, isDated: true };
  const [, first = '', separator = '', last = ''] = /^(.*?)(, | (?=\S+$))(.*)$/.exec(label) ?? [];
  const isEstimated = labels.get(first) === 'substitute' && labels.get(last) === 'estimated';
  if (!isEstimated) return { name: text, isEstimated, isDated: false };
  const parenthesis = text.at(-1)!;
  const name = text.slice(0, text.lastIndexOf(separator + last + parenthesis)) + parenthesis;
  return { name, isEstimated, isDated: false };
}

/** English names of holidays that the snapshot has only on shared days, in another order. */
const ENGLISH_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = given.englishNames;

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
