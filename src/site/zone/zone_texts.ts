import { once } from '../../common/caching.ts';
import { SECONDS_PER_DAY } from '../../common/civil.ts';
import { formatOffset } from '../../common/iso_text.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import { compareReleases, type OffsetChange } from '../../operations/release_changes.ts';
import { MONTHS_FULL, WEEKDAYS_FULL } from '../../text/languages.ts';
import { parsePosixTz, type YearlyTime } from '../../zones/posix_tz.ts';
import { rearguardRule } from '../../zones/rearguard.ts';
import type { Release } from '../../zones/release_pack.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { clockText } from '../time_texts.ts';

/** Rules can shift by up to 167 hours, which is less than seven days. */
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];
const LAST_WEEK = 5;

/** The rule in a zone's TZif footer as sentences: `Each year clocks go forward …`. One sentence for a zone without changes. */
export function ruleSentences(posixTz: string): string[] {
  const { standard, daylight } = rearguardRule(parsePosixTz(posixTz));
  if (daylight === null) {
    return [`Clocks stay at UTC${formatOffset(standard.offsetSeconds)} all year: no change is planned.`];
  }
  const { type, start, end } = daylight;
  const [from, to] = [`UTC${formatOffset(standard.offsetSeconds)}`, `UTC${formatOffset(type.offsetSeconds)}`];
  const verb = (seconds: number) =>
    `go ${seconds > 0 ? 'forward' : 'back'} by ${minutesText(Math.abs(seconds))}`;
  const step = type.offsetSeconds - standard.offsetSeconds;
  return [
    `Each year clocks ${verb(step)} ${timeText(start)}, from ${standard.abbreviation} (${from}) to ${type.abbreviation} (${to}).`,
    `They ${verb(-step)} ${timeText(end)}, from ${type.abbreviation} to ${standard.abbreviation}.`,
  ];
}

/** A duration in words: `1 hour`, `30 minutes`, `2 hours 15 minutes`. */
export function minutesText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [seconds % 60, 'second'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
}

/** A yearly time, in local time before the change: `on the last Sunday of March at 02:00`. */
function timeText({ day, secondsOfDay }: YearlyTime): string {
  const days = Math.floor(secondsOfDay / SECONDS_PER_DAY);
  const isMidnight = secondsOfDay === SECONDS_PER_DAY;
  const seconds = isMidnight ? SECONDS_PER_DAY : secondsOfDay - days * SECONDS_PER_DAY;
  return `${shiftText(isMidnight ? 0 : days)}${dayText(day)} at ${clockText(seconds / 60)}`;
}

/** Rules can specify a time before or after their day: `M3.4.4/50` is 02:00 on the second day after the fourth Thursday. */
function shiftText(days: number): string {
  if (days === 0) return 'on ';
  const count = Math.abs(days) === 1 ? 'the day' : `the ${ORDINALS[Math.abs(days)]} day`;
  return `on ${count} ${days > 0 ? 'after' : 'before'} `;
}

function dayText(day: YearlyTime['day']): string {
  switch (day.kind) {
    case 'weekday':
      return `the ${day.week === LAST_WEEK ? 'last' : ORDINALS[day.week]} ${WEEKDAYS_FULL[day.weekday]} of ${MONTHS_FULL[day.month - 1]}`;
    case 'julian':
      return `day ${day.day} of the year, not counting February 29`;
    case 'ordinal':
      return `day ${day.day + 1} of the year`;
  }
}

/** The changes to a zone in a tzdata release. */
export interface ReleaseNews extends Release {
  readonly changes: readonly OffsetChange[];
}

/** Releases whose changes are shown: about four years. */
const SHOWN_RELEASES = 16;

/** Returns the changes in recent releases, newest first, by zone name. */
export const releaseNews: (snapshot: Snapshot) => () => Promise<ReadonlyMap<string, readonly ReleaseNews[]>> =
  perSnapshot(snapshot => once(() => collectNews(snapshot)));

async function collectNews({ releases }: Snapshot): Promise<Map<string, ReleaseNews[]>> {
  await releases.load();
  const history = releases.get();
  const news = new Map<string, ReleaseNews[]>();
  let before: ZoneDatabase | undefined;
  for (const { version, released } of history.releases.slice(-1 - SHOWN_RELEASES)) {
    const after = (await history.open(version))!; // the version is in the history
    const zones = before === undefined ? [] : (await compareReleases(before, after)).zones;
    for (const { zone, changes } of zones) {
      news.set(zone.name, [{ version, released, changes }, ...(news.get(zone.name) ?? [])]);
    }
    before = after;
  }
  return news;
}
