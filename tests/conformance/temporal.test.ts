import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ServiceError } from '../../src/common/errors.ts';
import { addDuration, CALENDAR_UNITS, type CalendarUnit, durationUntil } from '../../src/operations/spans.ts';
import { offsetTarget, type Target, zoneTarget } from '../../src/operations/target.ts';
import { isoDurationText, parseIsoDuration } from '../../src/text/duration.ts';
import { resolveLocalTime } from '../../src/zones/local_time.ts';
import { given } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF, runs, sample, sampleNumbers } from '../support/proof.ts';
import { seconds, zoneOf, zones } from '../support/zones.ts';

/**
 * `duration` and `largest_unit` against temporal-polyfill under Node: as ZonedDateTime where Node's zone data equals
 * ours, and over the whole range of times as PlainDateTime with our resolution of local times.
 */

const hasNode = spawnSync('node', ['--version']).status === 0;
const inNode = given(hasNode, 'node');
const ORACLE = join(import.meta.dir, 'temporal_oracle.mjs');

function temporal<Result>(requests: readonly object[]): Result[] {
  const { stdout, stderr } = spawnSync('node', [ORACLE], {
    input: JSON.stringify(requests),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const FROM = seconds('1970-01-02');
const UNTIL = seconds('2040-01-01');
const SECONDS_PER_DAY = 86_400;
const MS_PER_DAY = SECONDS_PER_DAY * 1000;

/** Zones with skipped days, and with clocks set back over midnight. */
const UNUSUAL = ['America/St_Johns', 'Antarctica/Palmer', 'Pacific/Apia', 'Pacific/Kwajalein'];

/** The instants at which offsets are compared: next to each change we know, and once a month. */
function probesOf(name: string): number[] {
  const probes: number[] = [];
  for (let at = FROM; at < UNTIL; at += 30 * SECONDS_PER_DAY) probes.push(at);
  for (const at of changesOf(name)) probes.push(at - 1, at);
  return probes;
}

function changesOf(name: string): number[] {
  const changes: number[] = [];
  let change = zoneOf(name).nextTransition(FROM);
  while (change !== null && change.epochSeconds < UNTIL) {
    changes.push(change.epochSeconds);
    change = zoneOf(name).nextTransition(change.epochSeconds);
  }
  return changes;
}

/** The zones of a sample with the same offsets in Node from 1970 to 2040, and their changes. */
function agreeingZones(): { readonly name: string; readonly changes: readonly number[] }[] {
  const drawn = sample(
    zones.canonicalZones().map(({ name }) => name),
    12,
  );
  const names = [...new Set([...drawn, ...UNUSUAL])];
  const probes = names.map(probesOf);
  const offsets = temporal<number[] | 'RangeError'>(
    names.map((zone, index) => ({ operation: 'offsets', zone, at: probes[index] })),
  );
  return names
    .filter((name, index) =>
      probes[index]!.every((at, probe) => offsets[index]![probe] === zoneOf(name).periodAt(at).offsetSeconds),
    )
    .map(name => ({ name, changes: changesOf(name) }));
}

const random = sampleNumbers();
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
const oneOf = <Item>(items: readonly Item[]): Item => items[between(0, items.length - 1)]!;

/** An instant within two days of a change, mostly within hours of it or whole days away. */
function near(changes: readonly number[]): number {
  const at = changes.length === 0 ? between(FROM, UNTIL) : oneOf(changes);
  const days = oneOf([0, 0, between(-40, 40)]) * SECONDS_PER_DAY;
  const rest = oneOf([0, -1, 1, between(-7300, 7300), between(-7300, 7300), between(-90_000, 90_000)]);
  return (at + days + rest) * 1000 + oneOf([0, 0, between(0, 999)]);
}

/** A duration of at most some decades, sometimes without time or without date units. */
function anyDuration(): string {
  const units = (designators: string, most: number) =>
    [...designators].map(unit => (random() < 0.4 ? `${between(0, most)}${unit}` : '')).join('');
  const date = units('YMWD', 25);
  const hasTime = date === '' || random() < 0.5;
  const time = `T${between(0, 50)}H${between(0, 99)}M${between(0, 99)}${oneOf(['', '.5', '.004'])}S`;
  return `${oneOf(['', '-'])}P${date}${hasTime ? time : ''}`;
}

interface Request {
  readonly zone: string;
  readonly fromMs: number;
}
interface AddRequest extends Request {
  readonly operation: 'add';
  readonly duration: string;
}
interface UntilRequest extends Request {
  readonly operation: 'until';
  readonly toMs: number;
  readonly largestUnit: CalendarUnit;
}

const targetOf = ({ zone }: Pick<Request, 'zone'>) => zoneTarget(zoneOf(zone));
const sumOf = ({ fromMs, duration, ...zone }: Omit<AddRequest, 'operation'>) =>
  addDuration(fromMs, targetOf(zone), parseIsoDuration(duration, ''));

function anyRequest(agreeing: ReturnType<typeof agreeingZones>): AddRequest | UntilRequest {
  const { name: zone, changes } = oneOf(agreeing);
  const from = { zone, fromMs: near(changes) };
  const duration = anyDuration();
  if (random() < 0.4) return { operation: 'add', ...from, duration };
  // The end is also next to a change, or next to the date that a duration leads to.
  const besideSum = () => sumOf({ ...from, duration }) + oneOf([0, 0, -1, 1]) * between(0, 90_000_000);
  const toMs = random() < 0.5 ? near(changes) : besideSum();
  return { operation: 'until', ...from, toMs, largestUnit: oneOf(CALENDAR_UNITS) };
}

function isInRange(request: AddRequest | UntilRequest): boolean {
  const end = request.operation === 'add' ? sumOf(request) : request.toMs;
  return [request.fromMs, end].every(epochMs => epochMs > FROM * 1000 && epochMs < UNTIL * 1000);
}

/**
 * Whether Temporal throws a RangeError although we have a duration that leads to the end. There are only three such cases, all
 * with a largest unit of days or more:
 *
 * - The end is on the day after a skipped one, and before the start, at a time of day that is not later. The remainder is
 *   measured within the previous day, which has no length (NudgeToZonedTime; `Out-of-bounds TimeZone gap` in the polyfill).
 * - The clock was set back over midnight, and the later of the two instants has the earlier date: date and time have
 *   opposite signs (`Cannot mix duration signs`).
 * - The end is two calendar days from the last whole one, and before the start: there DifferenceZonedDateTime tries only one
 *   day, and two only after the start.
 */
function throwsInTemporal({ fromMs, toMs, largestUnit, zone }: Omit<UntilRequest, 'operation'>): boolean {
  if (fromMs === toMs || ['hour', 'minute', 'second'].includes(largestUnit)) return false;
  const target = targetOf({ zone });
  const sign = Math.sign(toMs - fromMs);
  const [from, to] = [wallClockOf(fromMs, target), wallClockOf(toMs, target)];
  const [fromDay, toDay] = [from, to].map(localMs => Math.floor(localMs / MS_PER_DAY)) as [number, number];
  if (sign * (toDay - fromDay) < 0) return true;
  /** The instant on a date at the time of day of the start. */
  const at = (day: number) =>
    day === fromDay ? fromMs : instantAt(from + (day - fromDay) * MS_PER_DAY, target);
  let lastDay = toDay;
  if (sign * (to - from - (toDay - fromDay) * MS_PER_DAY) < 0) lastDay -= sign;
  if (sign * (toMs - at(lastDay)) < 0) lastDay -= sign;
  if (sign < 0 && lastDay - toDay === 2) return true;
  return sign * (at(lastDay + sign) - at(lastDay)) <= 0;
}

/** The difference between our result and Temporal's, or null. */
function differenceOf(request: AddRequest | UntilRequest, theirs: number | string): string | null {
  const { operation, fromMs } = request;
  if (operation === 'add') return sumOf(request) === theirs ? null : `${sumOf(request)}, not ${theirs}`;
  const { toMs, largestUnit } = request;
  const from = { epochMs: fromMs, frame: targetOf(request) };
  const ours = isoDurationText(durationUntil(from, toMs, largestUnit));
  if (!throwsInTemporal(request)) return ours === theirs ? null : `${ours}, not ${theirs}`;
  const rest = sumOf({ ...request, duration: `${toMs < fromMs ? '-' : ''}${ours}` }) - toMs;
  return theirs === 'RangeError' && Math.abs(rest) < 1000 ? null : `${ours} leads to ${rest} ms, ${theirs}`;
}

test.skipIf(!hasNode).each([
  // 2011-12-30 was skipped.
  ['Pacific/Apia', '2012-01-02T10:00', '2011-12-31T09:00', 'P2DT1H', 0],
  ['Pacific/Apia', '2012-01-02T10:00', '2011-12-31T10:00', 'P2D', 0],
  // 00:01 became 23:01 on the previous day.
  ['America/St_Johns', '1989-10-29T00:00:30', '1989-10-28T23:30', 'PT29M30S', 3600],
  // 00:01 became 22:01 on the previous day.
  ['America/St_Johns', '1988-11-02T00:00:59', '1988-10-29T22:01:01', 'P2DT25H59M58S', 7200],
])(
  'there is a duration in %s from %s until %s, for which Temporal throws (requires node)',
  (zone, fromText, toText, expected, laterSeconds) => {
    const [fromMs, end] = [fromText, toText].map(text =>
      instantAt(Date.parse(`${text}Z`), targetOf({ zone })),
    ) as [number, number];
    const request: UntilRequest = {
      operation: 'until',
      zone,
      fromMs,
      toMs: end + laterSeconds * 1000,
      largestUnit: 'day',
    };
    const from = { epochMs: fromMs, frame: targetOf(request) };
    expect(isoDurationText(durationUntil(from, request.toMs, 'day'))).toBe(expected);
    expect(throwsInTemporal(request)).toBeTrue();
    expect(differenceOf(request, temporal<string>([request])[0]!)).toBeNull();
  },
);

inNode('durations are added and measured as by ZonedDateTime, if Node has our zone data', () => {
  const agreeing = agreeingZones();
  expect(agreeing.length).toBeGreaterThan(5);
  const requests = Array.from({ length: runs(4_000, 120_000) }, () => anyRequest(agreeing)).filter(isInRange);
  const theirs = temporal<number | string>(requests);
  const differences = requests.flatMap((request, index) => {
    const difference = differenceOf(request, theirs[index]!);
    return difference === null ? [] : `${JSON.stringify(request)}: ${difference}`;
  });
  expectNoDifferences('durations of Temporal', requests.length, differences, 100_000);
  const thrown = theirs.filter(result => result === 'RangeError').length;
  if (IS_PROOF) console.log(`Temporal throws, and we lead to the end: ${thrown}`);
});

/** A random wall-clock time as if it were UTC, in milliseconds, over the whole range of times, but mostly within some centuries. */
function anyWallClock(): number {
  const reachMs = oneOf([8.64e15 - 2 * 86_400_000, 1e13, 1e13]);
  return Math.floor((random() * 2 - 1) * reachMs);
}

/** The instant of a wall-clock time; null if it is out of range. */
function instantAt(localMs: number, { zone, periodAt }: Target): number {
  const epochSeconds = Math.floor(localMs / 1000);
  const at =
    zone === null
      ? epochSeconds - periodAt(0).offsetSeconds
      : resolveLocalTime(zone, epochSeconds, 'compatible');
  return at * 1000 + (localMs - epochSeconds * 1000);
}

function anyTarget(): Target {
  return random() < 0.2 ? offsetTarget(between(-86_340, 86_340)) : zoneTarget(oneOf(zones.canonicalZones()));
}

const wallClockOf = (epochMs: number, target: Target) =>
  epochMs + target.periodAt(Math.floor(epochMs / 1000)).offsetSeconds * 1000;

/** The sum, or `RangeError`. */
function sumInRange(epochMs: number, target: Target, duration: string): number | 'RangeError' {
  try {
    return addDuration(epochMs, target, parseIsoDuration(duration, ''));
  } catch (error) {
    if (error instanceof ServiceError) return 'RangeError';
    throw error;
  }
}

inNode('in all zones and times, dates move as in PlainDateTime, with our resolution of local times', () => {
  const cases = Array.from({ length: runs(3_000, 60_000) }, () => {
    const target = anyTarget();
    const epochMs = instantAt(anyWallClock(), target);
    const scale = oneOf([1, 1, 1000]);
    const date = `${between(1, 400) * scale}Y${between(0, 9999)}M${between(0, 999)}W${between(0, 99)}D`;
    return {
      target,
      epochMs,
      localMs: wallClockOf(epochMs, target),
      duration: `${oneOf(['', '-'])}P${date}`,
    };
  });
  const theirs = temporal<number | 'RangeError'>(
    cases.map(({ localMs, duration }) => ({ operation: 'addDate', localMs, duration })),
  );
  const differences = cases.flatMap(({ target, epochMs, duration }, index) => {
    const local = theirs[index]!;
    const sum = local === 'RangeError' ? local : instantAt(local, target);
    const expected = Math.abs(Number(sum)) <= 8.64e15 ? sum : 'RangeError';
    const ours = sumInRange(epochMs, target, duration);
    return ours === expected ? [] : [`${target.zoneText} ${epochMs} ${duration}: ${ours}, not ${expected}`];
  });
  expectNoDifferences('dates of PlainDateTime', cases.length, differences, 60_000);
});

/** The last date on which a wall clock shows the time of day of `fromMs` up to `toMs`, by trial. */
function lastDateOf(fromMs: number, toMs: number, target: Target): number {
  const sign = Math.sign(toMs - fromMs);
  const [from, to] = [wallClockOf(fromMs, target), wallClockOf(toMs, target)];
  const days = Math.round((to - from) / 86_400_000);
  for (let count = days + 3 * sign; count * sign > 0; count -= sign) {
    const instant = instantAt(from + count * 86_400_000, target);
    if (sign * (toMs - instant) >= 0) return from + count * 86_400_000;
  }
  return from;
}

inNode("between all times, the difference in dates equals PlainDate's, and the remainder is exact", () => {
  const cases = Array.from({ length: runs(3_000, 60_000) }, () => {
    const target = anyTarget();
    const [fromMs, toMs] = [instantAt(anyWallClock(), target), instantAt(anyWallClock(), target)];
    const lastMs = lastDateOf(fromMs, toMs, target);
    const largestUnit = oneOf<CalendarUnit>(['year', 'month', 'week', 'day']);
    return { target, fromMs, toMs, lastMs, largestUnit };
  });
  const theirs = temporal<string>(
    cases.map(({ target, fromMs, lastMs, largestUnit }) => {
      const localMs = wallClockOf(fromMs, target);
      return { operation: 'untilDate', fromMs: localMs, toMs: lastMs, largestUnit };
    }),
  );
  const differences = cases.flatMap(({ target, fromMs, toMs, lastMs, largestUnit }, index) => {
    const restMs = Math.abs(toMs - instantAt(lastMs, target));
    const units = durationUntil({ epochMs: fromMs, frame: target }, toMs, largestUnit);
    const { hours = 0, minutes = 0, seconds = 0, ...date } = units;
    const ours = [isoDurationText(date), hours * 3600 + minutes * 60 + seconds].join(' ');
    const expected = [theirs[index], Math.floor(restMs / 1000)].join(' ');
    return ours === expected
      ? []
      : [`${target.zoneText} ${fromMs} ${toMs} ${largestUnit}: ${ours}, not ${expected}`];
  });
  expectNoDifferences('dates between instants', cases.length, differences, 60_000);
});
